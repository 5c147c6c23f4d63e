import type { RouterContextProvider } from "react-router";
import { toSignIn, visitor } from "~/accounts/session.server";
import { refusalOf } from "~/data/refusals";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { OWN_WIDTH, VARIANT_WIDTHS, type VariantWidth } from "./address";
import { DrawingError } from "./drawing.server";
import { attachment } from "./file-name";
import { GRANT_MS, type Granted } from "./grants.server";
import { type Of, type Pictures, picturesFor, variantKey } from "./pictures.server";
import { BusyError } from "./queue.server";
import type { Asked } from "./variant.server";

const DEFAULT_WIDTH: VariantWidth = 1280;

/**
 * Answers `/images/:id`: a picture for display (`?w=`, one of `VARIANT_WIDTHS` or `own` for its own pixels; `&still=1` for a
 * moving one's first frame), or its original to be saved (`?original=1`); `?version=` means one of its versions instead of the current one. A
 * missing picture, a foreign one, and any picture for somebody who is not signed in get the same 404.
 */
export async function serveImage(request: Request, imageId: string, context: Readonly<RouterContextProvider>): Promise<Response> {
  const who = await visitor(context);
  // Followed from elsewhere as a link, rather than shown in a page: somebody wants to see it.
  if (!who) return request.headers.get("Sec-Fetch-Dest") === "document" ? toSignIn(request) : missing();

  const { searchParams } = new URL(request.url);
  const width = readWidth(searchParams.get("w"));
  if (width === null) return text(400, `w is ${OWN_WIDTH}, or one of ${VARIANT_WIDTHS.join(", ")}.`);

  const pictures = picturesFor(context.get(configContext));
  const of: Of = { sessionId: who.sessionId, imageId, versionId: searchParams.get("version") ?? undefined };
  const question = { request, of, pictures };
  try {
    const picture = await pictures.grants.get(of.sessionId, imageId, of.versionId);
    if (!picture) return missing();
    if (searchParams.has("original")) return await serveOriginal(question, picture);
    return await serveVariant(question, picture, { width, wanted: wantedBy(request), still: searchParams.has("still") });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found" || code === "unauthenticated") return missing();
    if (error instanceof Unavailable || error instanceof BusyError)
      return text(503, "The picture cannot be had at the moment.", { "Retry-After": "5" });
    if (error instanceof DrawingError) return text(422, "The picture cannot be drawn.");
    throw error;
  }
}

type Question = { request: Request; of: Of; pictures: Pictures };

/** The smaller format, where the browser says that it takes it. */
function wantedBy(request: Request): Asked["wanted"] {
  return /\bimage\/avif\b(?!\s*;\s*q=0(?:\.0*)?(?:[,\s]|$))/i.test(request.headers.get("Accept") ?? "") ? "avif" : "webp";
}

async function serveVariant({ request, of, pictures }: Question, picture: Granted, asked: Asked): Promise<Response> {
  const headers = new Headers({
    ...PRIVATE,
    ...INERT,
    // Another format for another browser, another answer for another person.
    Vary: "Accept, Cookie",
    ETag: `"${variantKey(picture.checksum.slice(0, 32), asked)}"`,
  });
  if (isKnown(request, headers)) return new Response(null, { status: 304, headers });
  const { type, bytes } = await pictures.variant(of, picture, asked);
  headers.set("Content-Type", type);
  headers.set("Content-Length", String(bytes.length));
  return new Response(request.method === "HEAD" ? null : new Uint8Array(bytes), { headers });
}

async function serveOriginal({ request, of, pictures }: Question, picture: Granted): Promise<Response> {
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
  const stored = await pictures.original(of, range, request.signal);
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

function readWidth(asked: string | null): VariantWidth | typeof OWN_WIDTH | null {
  if (asked === OWN_WIDTH) return asked;
  if (asked === null) return DEFAULT_WIDTH;
  return VARIANT_WIDTHS.find((width) => String(width) === asked) ?? null;
}
