import { type CommentsData, CommentsPage } from "~/features/comments/list/comments-page";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { titleOf, useTitle } from "~/lib/ui/use-title";

type LinkCommentsProps = {
  item: { _id: string; name: string; lastCommentAt?: number };
  designId: string;
  imageId?: string;
  trail: { to: string; name: string }[];
  data: CommentsData;
};

export function LinkComments({ item, designId, imageId, trail, data }: LinkCommentsProps) {
  useTitle(titleOf(`Comments on ${isolate(item.name)}`));
  const place = { projectId: "", designId, imageId };
  return <CommentsPage trail={<Breadcrumb trail={trail} />} item={item} place={place} data={data} />;
}
