import { href } from "react-router";
import { commentIntents } from "~/features/comments/comment-intents";
import { commentsAction } from "~/features/comments/attachments/receive-comment-images.server";
import { CommentsPage } from "~/features/comments/list/comments-page";
import { loadComments } from "~/features/comments/list/load-comments.server";
import type { ProjectHandle } from "~/features/shell/open-project";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { liveAction } from "~/lib/forms/live-action";
import { OwnRights } from "~/lib/rights/rights";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/image.comments";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Comments on ${isolate(loaderData?.inPlace.value.image.name ?? "image")}`) },
];

export async function loader({ params: { id, imageId }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [design, inPlace, version, comments] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.designImages.getDesignImageInPlace, { id: imageId }),
    convex.preload(api.versions.getImageVersion, { imageId }),
    loadComments(context, imageId, url),
  ]);
  if (inPlace.value.image.designId !== design.value._id) throw notFoundResponse();
  return { design, inPlace, version, comments };
}

export const action = (args: Route.ActionArgs) => commentsAction(args, args.params.imageId);
export const clientAction = liveAction(commentIntents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = {
  projectOf: ({ design: { value } }) => ({ _id: value.projectId, role: value.role }),
};
export const shouldRevalidate = liveRevalidation;

export default function ImageComments({ loaderData }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const { image } = useLive(loaderData.inPlace);
  const { number } = useLive(loaderData.version);
  useTitle(titleOf(`Comments on ${isolate(image.name)}`));
  return (
    <OwnRights role={design.role}>
      <CommentsPage
        trail={
          <Breadcrumb
            trail={[
              { to: href("/design/:id", { id: design._id }), name: design.name },
              { to: href("/design/:id/images/:imageId", { id: design._id, imageId: image._id }), name: image.name },
            ]}
          />
        }
        item={image}
        place={{ projectId: design.projectId, designId: design._id, imageId: image._id, versionNumber: number }}
        data={loaderData.comments}
      />
    </OwnRights>
  );
}
