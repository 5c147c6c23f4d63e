import { api } from "#convex/_generated/api";
import type { RouterContextProvider } from "react-router";
import { refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { Unavailable } from "~/lib/http/unavailable.server";
import { NOT_FOUND_TEXT } from "~/lib/http/error-texts";
import { serviceConvex } from "../../session/convex/service-client.server";
import { getVisitor } from "../../session/session.server";

/** Answers `/people/:id/picture`. Missing and inaccessible pictures get the same 404. */
export async function servePicture(request: Request, userId: string, context: Readonly<RouterContextProvider>): Promise<Response> {
  const visitor = await getVisitor(context);
  if (!visitor) return missing();
  try {
    const picture = await serviceConvex(context.get(configContext)).query(api.accounts.pictures.get, {
      sessionId: visitor.sessionId,
      userId,
    });
    const etag = `"${picture.checksum.slice(0, 32)}"`;
    const headers = {
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
      return new Response("The image is not available right now.\n", { status: 503, headers: { "Retry-After": "5" } });
    throw error;
  }
}

const missing = () =>
  new Response(`${NOT_FOUND_TEXT}\n`, {
    status: 404,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "private, no-store" },
  });
