import type { RouterContextProvider } from "react-router";
import { toSignIn, visitor } from "~/accounts/session.server";
import { refusalOf } from "~/data/refusals";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { VARIANT_WIDTHS, type VariantWidth } from "./address";
import { attachment } from "./file-name";
import { GRANT_MS, type Granted } from "./grants.server";
import { type Pictures, picturesFor } from "./pictures.server";
import { BusyError } from "./queue.server";
import { VARIANT_VERSION, type Wanted } from "./variant.server";

const DEFAULT_WIDTH: VariantWidth = 1280;

/**
 * Answers `/images/:id`: a picture for display (`?w=`, one of `VARIANT_WIDTHS`), or its original to be saved (`?original=1`). A missing
 * picture, a foreign one, and any picture for somebody who is not signed in get the same 404.
 */
export async function serveImage(request: Request, imageId: string, context: Readonly<RouterContextProvider>): Promise<Response> {
  const who = await visitor(context);
  // Followed from elsewhere as a link, rather than shown in a page: somebody wants to see it.
  if (!who) return request.headers.get("Sec-Fetch-Dest") === "document" ? toSignIn(request) : missing();

  const { searchParams } = new URL(request.url);
  const width = readWidth(searchParams.get("w"));
  if (width === null) return text(400, `w is one of ${VARIANT_WIDTHS.join(", ")}.`);

  const pictures = picturesFor(context.get(configContext));
  const asked = { request, imageId, sessionId: who.sessionId, pictures };
  try {
    const picture = await pictures.grants.get(who.sessionId, imageId);
    if (!picture) return missing();
    return searchParams.has("original") ? await serveOriginal(asked, picture) : await serveVariant(asked, picture, width);
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found" || code === "unauthenticated") return missing();
    if (error instanceof Unavailable || error instanceof BusyError)
      return text(503, "The picture cannot be had at the moment.", { "Retry-After": "5" });
    throw error;
  }
}

type Asked = { request: Request; imageId: string; sessionId: string; pictures: Pictures };

async function serveVariant({ request, imageId, sessionId, pictures }: Asked, picture: Granted, width: VariantWidth): Promise<Response> {
  const wanted: Wanted = /\bimage\/avif\b(?!\s*;\s*q=0(?:\.0*)?(?:[,\s]|$))/i.test(request.headers.get("Accept") ?? "") ? "avif" : "webp";
  const headers = new Headers({
    ...PRIVATE,
    ...INERT,
    // Another format for another browser, another answer for another person.
    Vary: "Accept, Cookie",
    ETag: `"${picture.checksum.slice(0, 32)}-${width}-${wanted}-${VARIANT_VERSION}"`,
  });
  if (isKnown(request, headers)) return new Response(null, { status: 304, headers });
  const { type, bytes } = await pictures.variant(sessionId, imageId, picture, width, wanted);
  headers.set("Content-Type", type);
  headers.set("Content-Length", String(bytes.length));
  return new Response(request.method === "HEAD" ? null : new Uint8Array(bytes), { headers });
}

async function serveOriginal({ request, imageId, sessionId, pictures }: Asked, picture: Granted): Promise<Response> {
  const headers = new Headers({
    ...PRIVATE,
    ...INERT,
    Vary: "Cookie",
    ETag: `"${picture.checksum}"`,
    "Accept-Ranges": "bytes",
    "Content-Type": picture.contentType,
    "Content-Disposition": attachment(picture.name, picture.contentType),
  });
  if (isKnown(request, headers)) return new Response(null, { status: 304, headers });
  if (request.method === "HEAD") {
    headers.set("Content-Length", String(picture.size));
    return new Response(null, { headers });
  }
  const ifRange = request.headers.get("If-Range");
  const range = ifRange === null || ifRange === headers.get("ETag") ? request.headers.get("Range") : null;
  const stored = await pictures.original(sessionId, imageId, range, request.signal);
  if (![200, 206, 416].includes(stored.status)) {
    await stored.body?.cancel();
    throw new Unavailable(`The storage answered ${stored.status}`);
  }
  for (const name of ["Content-Length", "Content-Range"]) {
    const value = stored.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(stored.body, { status: stored.status, headers });
}

/** Kept by the browser alone, and for as long as access itself is remembered; after that it asks again, which mostly ends with a 304. */
const PRIVATE = { "Cache-Control": `private, max-age=${GRANT_MS / 1000}, must-revalidate` };

/** Whatever the bytes are, they run nothing, load nothing, and are nobody else's to embed. */
const INERT = {
  "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const missing = () => text(404, "The page you are looking for does not exist.", { "Cache-Control": "private, no-store" });

function text(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers } });
}

/** RFC 9110, 13.1.2: compared weakly, since a proxy may have made it weak. */
function isKnown(request: Request, headers: Headers): boolean {
  const known = request.headers.get("If-None-Match");
  if (known === null) return false;
  const strip = (tag: string) => tag.trim().replace(/^W\//, "");
  return (
    known.trim() === "*" ||
    known
      .split(",")
      .map(strip)
      .includes(headers.get("ETag") ?? "")
  );
}

function readWidth(asked: string | null): VariantWidth | null {
  if (asked === null) return DEFAULT_WIDTH;
  return VARIANT_WIDTHS.find((width) => String(width) === asked) ?? null;
}
