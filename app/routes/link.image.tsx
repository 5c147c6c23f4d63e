import { LinkImage } from "~/features/links/link-image";
import { loadImage } from "~/features/links/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { titleOf } from "~/lib/ui/use-title";
import type { Route } from "./+types/link.image";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(loaderData?.inPlace.value.image.name ?? "Image") },
  { name: "robots", content: "noindex" },
];

export async function loader(args: Route.LoaderArgs) {
  return loadImage(args, await unlockedLink(args.context), args.params.imageId);
}

export const shouldRevalidate = liveRevalidation;

export default function LinkImagePage({ loaderData }: Route.ComponentProps) {
  return <LinkImage shown={loaderData} />;
}
