import { LinkDesign } from "~/features/links/link-design";
import { loadDesign } from "~/features/links/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { titleOf } from "~/lib/ui/use-title";
import type { Route } from "./+types/link.design";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(loaderData?.design.value.name ?? "Design") },
  { name: "robots", content: "noindex" },
];

export async function loader(args: Route.LoaderArgs) {
  return loadDesign(args, await unlockedLink(args.context), args.params.id);
}

export const shouldRevalidate = liveRevalidation;

export default function LinkDesignPage({ loaderData, params: { token, id } }: Route.ComponentProps) {
  return <LinkDesign key={id} token={token} shown={loaderData} />;
}
