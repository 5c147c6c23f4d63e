import { href } from "react-router";
import { LinkDesign } from "~/features/links/visitor/link-design";
import { LinkImage } from "~/features/links/visitor/link-image";
import { LinkProject } from "~/features/links/visitor/link-project";
import { loadDesign, loadImage, loadProject } from "~/features/links/visitor/load-items.server";
import { type OpenedLink, unlockedLink } from "~/features/links/open-link.server";
import { imageAddress } from "~/features/images/display/image-address";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { linkPreview } from "~/lib/ui/open-graph";
import { titleOf } from "~/lib/ui/use-title";
import { configContext } from "~/lib/http/context";
import { originOf } from "~/lib/http/origin.server";
import type { Route } from "./+types/link.target";

export const meta: Route.MetaFunction = ({ loaderData }) =>
  loaderData
    ? [{ title: titleOf(loaderData.preview.name) }, { name: "robots", content: "noindex" }, ...linkPreview(loaderData.preview)]
    : [];

export async function loader(args: Route.LoaderArgs) {
  const link = await unlockedLink(args.context);
  const shown = await load(args, link);
  const cover = shown.kind === "image" ? shown.image.inPlace.value.image._id : coverOf(shown);
  const origin = originOf(args.context.get(configContext), args.request);
  const files = href("/s/:token/files/:id", { token: link.token, id: "" }).replace(/\/$/, "");
  const preview = {
    name: link.target.name,
    address: origin + href("/s/:token", { token: link.token }),
    // Hidden for a link with a password, because visitors without the password could see the picture.
    picture: link.hasPassword || cover === undefined ? null : origin + imageAddress(cover, 1280, { files }),
  };
  return { ...shown, preview };
}

async function load(args: Route.LoaderArgs, link: OpenedLink) {
  const { kind, id } = link.target;
  if (kind === "project") return { kind, project: await loadProject(args, id) };
  if (kind === "design") return { kind, design: await loadDesign(args, link, id) };
  return { kind, image: await loadImage(args, link, id) };
}

function coverOf(shown: Exclude<Awaited<ReturnType<typeof load>>, { kind: "image" }>): string | undefined {
  const { cover } = shown.kind === "project" ? shown.project.project.value : shown.design.design.value;
  return cover[0]?.imageId;
}

export const shouldRevalidate = liveRevalidation;

export default function LinkTarget({ loaderData: shown, params: { token } }: Route.ComponentProps) {
  if (shown.kind === "project") return <LinkProject token={token} shown={shown.project} />;
  if (shown.kind === "design") return <LinkDesign token={token} shown={shown.design} />;
  return <LinkImage shown={shown.image} />;
}
