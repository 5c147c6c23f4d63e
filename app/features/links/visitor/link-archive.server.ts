import { normalizeIP } from "@better-auth/core/utils/ip";
import type { RouterContextProvider } from "react-router";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { designEntries, projectEntries } from "~/features/downloads/archive-entries";
import { type ContentReader, listAll } from "~/features/downloads/content-reader.server";
import { zipResponse } from "~/features/downloads/zip-response.server";
import { serveLinkImage } from "~/features/images/serve/serve-image.server";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import { type OpenedLink, unlockedLink } from "../open-link.server";

type Context = Readonly<RouterContextProvider>;
type Download = { request: Request; file: string; context: Context };

/** Streams the archive of a link's project or of a design in it. Throws the 404 of unknown addresses if downloads are not allowed. */
export async function downloadOverLink({ request, file, context }: Download): Promise<Response> {
  const link = await unlockedLink(context);
  const id = file.replace(/\.zip$/, "");
  if (!link.downloads || link.target.kind === "image") throw notFoundResponse();
  const content = linkContent(request, context, link);
  // All visitors share the link, so each network has its own number of downloads.
  const userId = `link ${link.linkId} ${normalizeIP(context.get(clientAddressContext), { ipv6Subnet: 64 })}`;
  const convex = convexFor(context);
  if (link.target.kind === "project" && id === link.target.id) {
    const { name } = (await convex.preload(api.projects.getProjectById, { id })).value;
    return zipResponse(request, { name, userId, entries: (signal) => projectEntries(content, id, signal) });
  }
  const { name } = (await convex.preload(api.designs.getDesignById, { id })).value;
  return zipResponse(request, { name, userId, entries: (signal) => designEntries(content, id, signal) });
}

function linkContent(request: Request, context: Context, link: OpenedLink): Pick<ContentReader, "designs" | "images" | "original"> {
  const convex = serviceConvex(context.get(configContext));
  const { linkId, lock } = link;
  return {
    designs: (projectId) => listAll(convex, api.linkArchive.designs, { linkId, lock, projectId }),
    images: (designId) => listAll(convex, api.linkArchive.images, { linkId, lock, designId }),
    async original({ id }, signal) {
      const url = new URL(request.url);
      url.search = "original=1";
      const response = await serveLinkImage(new Request(url, { signal }), id, context, link);
      if (response.status !== 404) return response;
      await response.body?.cancel();
      return null;
    },
  };
}
