import { href, redirect } from "react-router";
import { LinkImage } from "~/features/links/visitor/link-image";
import { loadImage } from "~/features/links/visitor/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { titleOf } from "~/lib/ui/use-title";
import type { Route } from "./+types/link.image";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(loaderData?.inPlace.value.image.name ?? "Image") },
  { name: "robots", content: "noindex" },
];

export async function loader(args: Route.LoaderArgs) {
  const link = await unlockedLink(args.context);
  const { token, imageId } = args.params;
  const shown = await loadImage(args, link, imageId);
  const { designId: id } = shown.inPlace.value.image;
  if (link.target.kind !== "image") throw redirect(href("/s/:token/designs/:id/images/:imageId", { token, id, imageId }));
  return shown;
}

export const shouldRevalidate = liveRevalidation;

export default function LinkImagePage({ loaderData }: Route.ComponentProps) {
  return <LinkImage shown={loaderData} />;
}
