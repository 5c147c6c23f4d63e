import { LinkDesign } from "~/features/links/visitor/link-design";
import { loadDesign } from "~/features/links/visitor/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { liveDesignRevalidation } from "~/lib/data/should-revalidate";
import { titleOf } from "~/lib/ui/use-title";
import type { Route } from "./+types/link.design";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(loaderData?.design.value.name ?? "Design") },
  { name: "robots", content: "noindex" },
];

export async function loader(args: Route.LoaderArgs) {
  return loadDesign(args, await unlockedLink(args.context), args.params.id);
}

export const shouldRevalidate = liveDesignRevalidation;

export default function LinkDesignPage({ loaderData, params }: Route.ComponentProps) {
  const isViewing = "imageId" in params && params.imageId !== undefined;
  return <LinkDesign key={params.id} token={params.token} shown={loaderData} isViewing={isViewing} />;
}
