import type { RouterContextProvider } from "react-router";
import { readCookie } from "~/features/accounts/session/cookies";
import { loadComments } from "~/features/comments/list/load-comments.server";
import { imageServiceFor, sessionOfLink } from "~/features/images/serve/image-service.server";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { pageOf, preloadPage } from "~/lib/data/pagination/pages";
import { imageSortIn, sortIn, viewIn } from "~/lib/data/pagination/sorting";
import { configContext } from "~/lib/http/context";
import { BACKGROUND_COOKIE, BACKGROUNDS, choiceFrom, GALLERY_VIEW_COOKIE, GALLERY_VIEWS } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import type { OpenedLink } from "../open-link.server";

type Place = { request: Request; url: URL; context: Readonly<RouterContextProvider> };

export async function loadProject({ url, context }: Place, id: string) {
  const convex = convexFor(context);
  const [project, designs] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    preloadPage(url, {
      first: () => convex.preload(api.designs.getDesignsByProjectId, { projectId: id, ...viewIn(url) }),
      later: (paginationOpts) => convex.preload(api.designs.listDesigns, { projectId: id, ...sortIn(url), paginationOpts }),
    }),
  ]);
  return { project, designs };
}

export async function loadDesign({ request, url, context }: Place, link: OpenedLink, id: string) {
  const convex = convexFor(context);
  const [design, images] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    preloadPage(url, {
      first: () => convex.preload(api.designImages.getDesignImagesByDesignId, { designId: id, ...imageSortIn(url) }),
      later: (paginationOpts) => convex.preload(api.designImages.listDesignImages, { designId: id, ...imageSortIn(url), paginationOpts }),
    }),
  ]);
  imageServiceFor(context.get(configContext)).accessCache.store(sessionOfLink(link), pageOf(images.value).rows);
  return {
    design,
    images,
    isTarget: link.target.kind === "design",
    view: choiceFrom(GALLERY_VIEWS, readCookie(request.headers, GALLERY_VIEW_COOKIE)),
  };
}

/** Throws 404, as for an unknown address, if the link does not allow comments. */
export function loadLinkComments(context: Readonly<RouterContextProvider>, link: OpenedLink, itemId: string, url: URL) {
  if (!link.comments) throw notFoundResponse();
  return loadComments(context, itemId, url);
}

export async function loadImage({ request, context }: Omit<Place, "url">, link: OpenedLink, imageId: string) {
  const inPlace = await convexFor(context).preload(api.designImages.getDesignImageInPlace, { id: imageId });
  imageServiceFor(context.get(configContext)).accessCache.store(sessionOfLink(link), [inPlace.value.image]);
  return { inPlace, background: choiceFrom(BACKGROUNDS, readCookie(request.headers, BACKGROUND_COOKIE)) };
}
