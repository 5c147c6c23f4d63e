import { href } from "react-router";
import { LinkComments } from "~/features/links/visitor/link-comments";
import { loadLinkComments } from "~/features/links/visitor/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { linkCommentsAction } from "~/features/links/visitor/link-comments.server";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { isolate } from "~/lib/ui/isolate";
import { titleOf } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/link.design.comments";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Comments on ${isolate(loaderData?.design.value.name ?? "design")}`) },
  { name: "robots", content: "noindex" },
];

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const link = await unlockedLink(context);
  const [comments, design] = await Promise.all([
    loadLinkComments(context, link, id, url),
    convexFor(context).preload(api.designs.getDesignById, { id }),
  ]);
  return { comments, design };
}

export const action = linkCommentsAction;
export const shouldRevalidate = liveRevalidation;

export default function LinkDesignComments({ loaderData, params: { token } }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const trail = [{ to: href("/s/:token/designs/:id", { token, id: design._id }), name: design.name }];
  return <LinkComments item={design} designId={design._id} trail={trail} data={loaderData.comments} />;
}
