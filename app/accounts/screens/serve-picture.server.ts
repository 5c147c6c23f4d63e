import { api } from "#convex/_generated/api";
import type { RouterContextProvider } from "react-router";
import { refusalOf } from "~/data/refusals";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { serviceConvex } from "../service.server";
import { visitor } from "../session.server";

/** Answers `/people/:id/picture`. A missing picture, one that is not for this visitor, and any for somebody signed out get the same 404. */
export async function servePicture(request: Request, userId: string, context: Readonly<RouterContextProvider>): Promise<Response> {
  const who = await visitor(context);
  if (!who) return missing();
  try {
    const picture = await serviceConvex(context.get(configContext)).query(api.accounts.pictures.get, { sessionId: who.sessionId, userId });
    const etag = `"${picture.checksum.slice(0, 32)}"`;
    const headers = {
      // Its address names its content; `Vary` keeps it from the next who signs in here.
      "Cache-Control": "private, max-age=31536000, immutable",
      Vary: "Cookie",
      ETag: etag,
      "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
      "Cross-Origin-Resource-Policy": "same-origin",
    };
    if (request.headers.get("If-None-Match") === etag) return new Response(null, { status: 304, headers });
    return new Response(picture.bytes, { headers: { ...headers, "Content-Type": picture.contentType } });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found" || code === "unauthenticated") return missing();
    if (error instanceof Unavailable)
      return new Response("The picture cannot be had at the moment.\n", { status: 503, headers: { "Retry-After": "5" } });
    throw error;
  }
}

const missing = () =>
  new Response("The page you are looking for does not exist.\n", {
    status: 404,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "private, no-store" },
  });
