import { useOutletContext } from "react-router";
import { type DesignOfLink, LinkImage } from "~/features/links/visitor/link-image";
import { loadImage } from "~/features/links/visitor/load-items.server";
import { unlockedLink } from "~/features/links/open-link.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { titleOf } from "~/lib/ui/use-title";
import type { Route } from "./+types/link.design.image";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(loaderData?.inPlace.value.image.name ?? "Image") },
  { name: "robots", content: "noindex" },
];

export async function loader(args: Route.LoaderArgs) {
  const shown = await loadImage(args, await unlockedLink(args.context), args.params.imageId);
  if (shown.inPlace.value.image.designId !== args.params.id) throw notFoundResponse();
  return shown;
}

export const shouldRevalidate = liveRevalidation;

export default function LinkDesignImage({ loaderData }: Route.ComponentProps) {
  return <LinkImage shown={loaderData} design={useOutletContext<DesignOfLink>()} />;
}
