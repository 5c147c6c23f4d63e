import { LinkComments } from "~/features/links/visitor/link-comments";
import { linkCommentsAction } from "~/features/links/visitor/link-comments.server";
import { loadLinkComments } from "~/features/links/visitor/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { isolate } from "~/lib/ui/isolate";
import { titleOf } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/link.image.comments";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Comments on ${isolate(loaderData?.inPlace.value.image.name ?? "image")}`) },
  { name: "robots", content: "noindex" },
];

export async function loader({ params: { imageId }, context, url }: Route.LoaderArgs) {
  const link = await unlockedLink(context);
  const [comments, inPlace] = await Promise.all([
    loadLinkComments(context, link, imageId, url),
    convexFor(context).preload(api.designImages.getDesignImageInPlace, { id: imageId }),
  ]);
  return { comments, inPlace };
}

export const action = linkCommentsAction;
export const shouldRevalidate = liveRevalidation;

export default function LinkImageComments({ loaderData }: Route.ComponentProps) {
  const { image } = useLive(loaderData.inPlace);
  const { image: imageAddress } = useItemAddresses();
  const { designId, _id: imageId } = image;
  const trail = [{ to: imageAddress(designId, imageId), name: image.name }];
  return <LinkComments item={image} designId={designId} imageId={imageId} trail={trail} data={loaderData.comments} />;
}
