import { href } from "react-router";
import { commentIntents } from "~/features/comments/comment-intents";
import { commentsAction } from "~/features/comments/attachments/receive-comment-images.server";
import { CommentsPage } from "~/features/comments/list/comments-page";
import { loadComments } from "~/features/comments/list/load-comments.server";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import type { ProjectHandle } from "~/features/shell/open-project";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { liveAction } from "~/lib/forms/live-action";
import { OwnRights } from "~/lib/rights/rights";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/design.comments";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Comments on ${isolate(loaderData?.design.value.name ?? "design")}`) },
];

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const [design, comments] = await Promise.all([
    convexFor(context).preload(api.designs.getDesignById, { id }),
    loadComments(context, id, url),
  ]);
  return { design, comments };
}

export const action = (args: Route.ActionArgs) => commentsAction(args, args.params.id);
export const clientAction = liveAction(commentIntents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = {
  projectOf: ({ design: { value } }) => ({ _id: value.projectId, role: value.role }),
};
export const shouldRevalidate = liveRevalidation;

export default function DesignComments({ loaderData }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  useTitle(titleOf(`Comments on ${isolate(design.name)}`));
  return (
    <OwnRights role={design.role}>
      <CommentsPage
        trail={<Breadcrumb trail={[projectsCrumb(design), { to: href("/design/:id", { id: design._id }), name: design.name }]} />}
        item={design}
        place={{ projectId: design.projectId, designId: design._id }}
        data={loaderData.comments}
      />
    </OwnRights>
  );
}
