import type { RouterContextProvider } from "react-router";
import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { Unavailable } from "~/lib/http/unavailable.server";
import { NOT_FOUND_TEXT } from "~/lib/http/error-texts";
import { OWN_WIDTH, type Rotation, ROTATIONS, VARIANT_WIDTHS, type VariantWidth } from "../display/image-address";
import { DecodeError } from "../codecs/processes/decode-isolated.server";
import { SvgRenderError } from "../codecs/processes/svg-renderer.server";
import { attachment } from "./file-name";
import { GRANT_MS, type AccessibleImage } from "./access-cache.server";
import {
  type ImageReference,
  type ImageService,
  imageServiceFor,
  isRotatedFile,
  ReplacedError,
  rotatedETag,
  sessionOfLink,
  sessionOfToken,
  variantKey,
} from "./image-service.server";
import { BusyError } from "../codecs/work-queue.server";
import type { VariantRequest } from "../codecs/make-variant.server";

const DEFAULT_WIDTH: VariantWidth = 1280;

/** Answers `/images/:id` with `?w=`, `&still=1`, `?original=1`, `?version=` and `?turn=`. Inaccessible pictures get the usual 404. */
export async function serveImage(request: Request, imageId: string, context: Readonly<RouterContextProvider>): Promise<Response> {
  const visitor = await getVisitor(context);
  if (!visitor) return request.headers.get("Sec-Fetch-Dest") === "document" ? redirectToSignIn(request) : missing();
  return serve(request, context, { userId: visitor.userId, sessionId: visitor.sessionId, imageId });
}

type LinkVisitor = { linkId: string; lock: number; downloads: boolean };

export function serveLinkImage(
  request: Request,
  imageId: string,
  context: Readonly<RouterContextProvider>,
  { downloads, ...link }: LinkVisitor,
): Promise<Response> {
  return serve(request, context, { userId: `link ${link.linkId}`, sessionId: sessionOfLink(link), imageId }, { downloads });
}

type TokenImage = { width?: string | undefined; version?: string | undefined };

export function serveTokenImage(
  request: Request,
  imageId: string,
  context: Readonly<RouterContextProvider>,
  tokenHash: string,
  { width, version }: TokenImage,
): Promise<Response> {
  const url = new URL(request.url);
  url.search = width === undefined ? "original=1" : `w=${width}`;
  if (version !== undefined) url.searchParams.set("version", version);
  const { method, headers, signal } = request;
  const session = sessionOfToken(tokenHash);
  return serve(new Request(url, { method, headers, signal }), context, { userId: session, sessionId: session, imageId });
}

async function serve(
  request: Request,
  context: Readonly<RouterContextProvider>,
  { imageId, ...reader }: Omit<ImageReference, "versionId">,
  link?: Pick<LinkVisitor, "downloads">,
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const requestedWidth = readWidth(searchParams.get("w"));
  const width = link && !link.downloads && requestedWidth !== null ? withoutOriginal(requestedWidth) : requestedWidth;
  if (width === null) return text(400, `w must be ${OWN_WIDTH}, or one of ${VARIANT_WIDTHS.join(", ")}.`);
  const turn = readRotation(searchParams.get("turn"));
  if (turn === null) return text(400, `turn must be one of ${ROTATIONS.join(", ")}.`);

  const pictures = imageServiceFor(context.get(configContext));
  const reference: ImageReference = {
    ...reader,
    imageId,
    versionId: searchParams.get("version") ?? undefined,
  };
  const question = { request, of: reference, pictures };
  try {
    const picture = await pictures.accessCache.get(reference.sessionId, imageId, reference.versionId);
    if (!picture) return missing();
    return await serveCurrent(picture, async (current) => {
      const isDownload = searchParams.has("original");
      if (isDownload && link) return serveStripped(question, current, turn ?? current.rotation ?? 0);
      if (isDownload) return serveOriginal(question, current, turn ?? 0);
      const rotation = turn ?? current.rotation ?? 0;
      return serveVariant(question, current, { width, rotation, targetFormat: formatFor(request), still: searchParams.has("still") });
    });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found" || code === "unauthenticated") return missing();
    if (error instanceof Unavailable || error instanceof BusyError)
      return text(503, "The image is not available right now.", { "Retry-After": "5" });
    if (error instanceof SvgRenderError || error instanceof DecodeError) return text(422, "The image cannot be rendered.");
    throw error;
  }
}

async function serveCurrent(picture: AccessibleImage, serve: (picture: AccessibleImage) => Promise<Response>): Promise<Response> {
  try {
    return await serve(picture);
  } catch (error) {
    if (error instanceof ReplacedError) return serveCurrent(error.file, serve);
    throw error;
  }
}

type Question = { request: Request; of: ImageReference; pictures: ImageService };

function formatFor(request: Request): VariantRequest["targetFormat"] {
  return /\bimage\/avif\b(?!\s*;\s*q=0(?:\.0*)?(?:[,\s]|$))/i.test(request.headers.get("Accept") ?? "") ? "avif" : "webp";
}

async function serveVariant({ request, of, pictures }: Question, picture: AccessibleImage, variant: VariantRequest): Promise<Response> {
  const headers = new Headers({
    ...PRIVATE,
    ...INERT,
    Vary: "Accept, Cookie",
    ETag: `"${variantKey({ ...picture, checksum: picture.checksum.slice(0, 32) }, variant)}"`,
  });
  if (isKnown(request, headers)) return new Response(null, { status: 304, headers });
  const { type, bytes } = await pictures.variant(of, picture, variant);
  headers.set("Content-Type", type);
  headers.set("Content-Length", String(bytes.length));
  return new Response(request.method === "HEAD" ? null : new Uint8Array(bytes), { headers });
}

const withoutOriginal = (width: VariantWidth | typeof OWN_WIDTH): VariantWidth =>
  width === OWN_WIDTH || width > LINK_WIDTH_MAX ? LINK_WIDTH_MAX : width;

const LINK_WIDTH_MAX: VariantWidth = 3840;

async function serveStripped(question: Question, picture: AccessibleImage, rotation: Rotation): Promise<Response> {
  await question.pictures.expectDownload(question.of);
  const response = await serveVariant(question, picture, { width: OWN_WIDTH, rotation, targetFormat: "webp" });
  const type = response.headers.get("Content-Type");
  if (type !== null) response.headers.set("Content-Disposition", attachment(picture.name, type));
  return response;
}

async function serveOriginal(question: Question, picture: AccessibleImage, rotation: Rotation): Promise<Response> {
  if (isRotatedFile(picture.contentType, rotation)) return serveRotated(question, picture, rotation);
  return serveStored(question, picture);
}

async function serveRotated({ request, of, pictures }: Question, picture: AccessibleImage, rotation: Rotation): Promise<Response> {
  const headers = new Headers({ ...PRIVATE, ...INERT, Vary: "Cookie", ETag: rotatedETag(picture.checksum, rotation) });
  if (isKnown(request, headers)) return new Response(null, { status: 304, headers });
  if (request.method === "HEAD") {
    // A HEIC may become a JPEG, and the length is known only after encoding.
    if (picture.contentType !== "image/heic") {
      headers.set("Content-Type", picture.contentType);
      headers.set("Content-Disposition", attachment(picture.name, picture.contentType));
    }
    return new Response(null, { headers });
  }
  const file = await pictures.file(of, request.signal, rotation);
  if (!file.ok) {
    await file.body?.cancel();
    throw new Unavailable(`The storage answered ${file.status}`);
  }
  for (const [name, value] of file.headers) headers.set(name, value);
  headers.set("Content-Disposition", attachment(picture.name, file.headers.get("Content-Type") ?? picture.contentType));
  return new Response(file.body, { headers });
}

async function serveStored({ request, of, pictures }: Question, picture: AccessibleImage): Promise<Response> {
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
  const stored = await pictures.original(of, picture.checksum, range, request.signal);
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

/** Allows caching in the browser only, for as long as access is cached. Revalidation usually returns a 304. */
const PRIVATE = { "Cache-Control": `private, max-age=${GRANT_MS / 1000}, must-revalidate` };

/** The content cannot run scripts or load anything, and other sites cannot embed it. */
const INERT = {
  "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const missing = () => text(404, NOT_FOUND_TEXT, { "Cache-Control": "private, no-store" });

function text(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers } });
}

/** Compares ETags weakly (RFC 9110, 13.1.2), because a proxy may have weakened them. */
function isKnown(request: Request, headers: Headers): boolean {
  const condition = request.headers.get("If-None-Match");
  if (condition === null) return false;
  const strip = (tag: string) => tag.trim().replace(/^W\//, "");
  return (
    condition.trim() === "*" ||
    condition
      .split(",")
      .map(strip)
      .includes(headers.get("ETag") ?? "")
  );
}

function readRotation(requested: string | null): Rotation | undefined | null {
  return requested === null ? undefined : (ROTATIONS.find((each) => String(each) === requested) ?? null);
}

function readWidth(requested: string | null): VariantWidth | typeof OWN_WIDTH | null {
  if (requested === OWN_WIDTH) return requested;
  if (requested === null) return DEFAULT_WIDTH;
  return VARIANT_WIDTHS.find((width) => String(width) === requested) ?? null;
}
