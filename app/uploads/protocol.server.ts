import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/accounts/service.server";
import { type Visitor, visitor } from "~/accounts/session.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/data/refusals";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { log } from "~/http/log.server";
import { duplicateText, noRoomText, tooLargeText } from "~/images/upload";
import { type Checksum, ChecksumMismatch, DiskFull, OffsetMismatch, TooLong } from "./append.server";
import { finishUpload } from "./finish.server";
import { formatMetadata, parseMetadata } from "./metadata.server";
import type { Part } from "./parts.server";
import { TooMany } from "./places.server";
import { TEXTS, type UploadProblem } from "./problem";
import { uploadsFor } from "./uploads.server";

/**
 * Resumable uploads: tus 1.0 (https://tus.io/protocols/resumable-upload) with creation, creation-with-upload, checksum, expiration and
 * termination, for signed-in people alone and for each only their own. A file that has come whole is made an image by a step of its own,
 * `POST /uploads/:id/finish`, which can be repeated until its answer has arrived.
 */
const VERSION = "1.0.0";
const EXTENSIONS = "creation,creation-with-upload,checksum,expiration,termination";
const BYTES_TYPE = "application/offset+octet-stream";

/** Parts that one person may leave unfinished. */
const MAX_UNFINISHED = 100;
/** Longest name of a file that is kept; a longer one is cut when it becomes an image. */
const MAX_NAME = 1000;

type Asked = { request: Request; config: AppConfig; who: Visitor };

/** Answers `/uploads` (without an id), `/uploads/:id` and `/uploads/:id/finish`. Throws nothing but the 503 of a session that cannot be looked up. */
export async function answerUpload(
  request: Request,
  context: Readonly<RouterContextProvider>,
  target: { id?: string; finish?: boolean } = {},
): Promise<Response> {
  const config = context.get(configContext);
  const method = methodOf(request);
  if (method === "OPTIONS") return capabilities(config);
  const version = request.headers.get("Tus-Resumable");
  // Whatever calls without it is no client of this protocol; only the step that is our own does not belong to it.
  if (!target.finish && version !== VERSION)
    return refuse(412, { problem: `Tus-Resumable must be ${VERSION}.` }, { "Tus-Version": VERSION });
  const who = await visitor(context);
  if (!who) return refuse(401, { problem: TEXTS.signedOut });
  const asked: Asked = { request, config, who };
  try {
    if (target.id === undefined) return method === "POST" ? await create(asked) : notAllowed("POST, OPTIONS");
    const part = uploadsFor(config).parts.find(target.id, who.userId);
    if (!part) return refuse(404, { problem: TEXTS.unknown });
    if (target.finish) return method === "POST" ? await finish(asked, part) : notAllowed("POST");
    if (method === "HEAD") return await tell(asked, part);
    if (method === "PATCH") return await proceed(asked, part);
    if (method === "DELETE") return await remove(asked, part);
    return notAllowed("HEAD, PATCH, DELETE, OPTIONS");
  } catch (error) {
    return answerFor(error);
  }
}

/** POST may stand for another method where something in between knows no others (tus 1.0, X-HTTP-Method-Override). */
function methodOf(request: Request): string {
  return request.method === "POST" ? (request.headers.get("X-HTTP-Method-Override")?.toUpperCase() ?? "POST") : request.method;
}

function capabilities(config: AppConfig): Response {
  return answer(204, {
    "Tus-Version": VERSION,
    "Tus-Extension": EXTENSIONS,
    "Tus-Max-Size": String(config.uploadMaxBytes),
    "Tus-Checksum-Algorithm": "sha1,sha256",
  });
}

async function create({ request, config, who }: Asked): Promise<Response> {
  const length = wholeNumber(request.headers.get("Upload-Length"));
  const metadata = parseMetadata(request.headers.get("Upload-Metadata"));
  if (length === null) return refuse(400, { problem: "Upload-Length is missing, or no whole number." });
  const told = metadata && readMetadata(metadata);
  if (!told) return refuse(400, { problem: "Upload-Metadata must name the design and the file." });
  if (length > config.uploadMaxBytes) return refuse(413, { problem: tooLargeText(length, config.uploadMaxBytes) });

  const { parts, places } = uploadsFor(config);
  const unfinished = parts.unfinished(who.userId);
  if (unfinished.length >= MAX_UNFINISHED) return refuse(429, { problem: TEXTS.tooMany, again: true }, { "Retry-After": "5" });
  const { designId, name, checksum, anyway } = told;
  // Before a byte is taken: whether the design is theirs, has it already, and whether there is room, with all that is promised to other files.
  const reserved = parts.reserved(who.userId);
  await serviceConvex(config)
    .query(api.uploads.expectRoom, {
      sessionId: who.sessionId,
      designId,
      bytes: length + reserved,
      images: unfinished.length + 1,
      quota: config.storageQuotaBytes,
      ...(checksum && !anyway && { unlessThere: checksum }),
    })
    .catch((error: unknown) => {
      const refusal = refusalOf(error);
      if (refusal?.left !== undefined)
        throw new Refused(413, {
          problem: noRoomText(length, Math.max(0, refusal.left - reserved), config.storageQuotaBytes),
          again: true,
        });
      if (refusal?.code === "limit" && refusal.message !== undefined) throw new Refused(413, { problem: refusal.message, again: true });
      if (refusal?.duplicateOf)
        throw new Refused(409, { problem: duplicateText(refusal.duplicateOf.name), duplicateOf: refusal.duplicateOf });
      throw error;
    });

  const part = await parts.create({ ownerId: who.userId, designId, name, length, checksum });
  const created = { Location: `/uploads/${part.id}`, "Upload-Expires": expires(part) };
  if (!isBytes(request) || !request.body) return answer(201, created);
  const offset = await places.hold(who.userId, () => parts.append(part, 0, bodyOf(request), checksumOf(request)));
  return answer(201, { ...created, "Upload-Offset": String(offset) });
}

function readMetadata(metadata: Map<string, string>) {
  const designId = metadata.get("design");
  const name = metadata.get("filename");
  const checksum = metadata.get("checksum") ?? null;
  if (!designId || designId.length > 100 || name === undefined || (checksum !== null && !/^[0-9a-f]{64}$/.test(checksum))) return null;
  return { designId, name: name.slice(0, MAX_NAME), checksum, anyway: metadata.has("anyway") };
}

async function tell({ config }: Asked, part: Part): Promise<Response> {
  return answer(200, {
    "Upload-Offset": String(await uploadsFor(config).parts.offset(part)),
    "Upload-Length": String(part.length),
    "Upload-Metadata": formatMetadata({ design: part.designId, filename: part.name }),
    "Upload-Expires": expires(part),
  });
}

async function proceed({ request, config, who }: Asked, part: Part): Promise<Response> {
  if (!isBytes(request)) return refuse(415, { problem: `The Content-Type must be ${BYTES_TYPE}.` });
  const from = wholeNumber(request.headers.get("Upload-Offset"));
  if (from === null) return refuse(400, { problem: "Upload-Offset is missing, or no whole number." });
  const { parts, places } = uploadsFor(config);
  const offset = await places.hold(who.userId, () => parts.append(part, from, bodyOf(request), checksumOf(request)));
  return answer(204, { "Upload-Offset": String(offset), "Upload-Expires": expires(parts.find(part.id, who.userId) ?? part) });
}

async function remove({ config }: Asked, part: Part): Promise<Response> {
  await uploadsFor(config).parts.remove(part);
  return answer(204);
}

async function finish({ request, config, who }: Asked, part: Part): Promise<Response> {
  const anyway = new URL(request.url).searchParams.has("anyway");
  const { parts } = uploadsFor(config);
  const offset = await parts.offset(part);
  if (offset < part.length) return refuse(409, { problem: TEXTS.incomplete, again: true });
  const result = await finishUpload(part, { config, sessionId: who.sessionId, onlyNew: !anyway });
  return Response.json(result, { headers: COMMON });
}

/** What is wrong, with the status that tells a client of the protocol what to do about it. */
class Refused extends Error {
  override name = "Refused";
  readonly status: number;
  readonly told: UploadProblem;

  constructor(status: number, told: UploadProblem) {
    super(told.problem);
    this.status = status;
    this.told = told;
  }
}

function answerFor(error: unknown): Response {
  if (error instanceof Refused) return refuse(error.status, error.told);
  if (error instanceof OffsetMismatch) return refuse(409, { problem: TEXTS.incomplete, again: true });
  if (error instanceof TooLong) return refuse(413, { problem: error.message });
  if (error instanceof ChecksumMismatch) return refuse(460, { problem: TEXTS.damaged, again: true });
  if (error instanceof DiskFull) return refuse(507, { problem: TEXTS.diskFull, again: true });
  if (error instanceof TooMany) return refuse(429, { problem: TEXTS.busy, again: true }, { "Retry-After": "1" });
  if (error instanceof Unavailable) return refuse(503, { problem: TEXTS.busy, again: true }, { "Retry-After": "5" });
  const code = refusalOf(error)?.code;
  if (code === "not_found") return refuse(404, { problem: TEXTS.gone });
  if (code === "unauthenticated") return refuse(401, { problem: TEXTS.signedOut });
  // A line that was cut: nobody hears the answer.
  if (isAbort(error)) return refuse(400, { problem: TEXTS.incomplete, again: true });
  log.error({ error }, "an upload failed");
  return refuse(500, { problem: TEXTS.failed, again: true });
}

const isAbort = (error: unknown) =>
  error instanceof Error &&
  (error.name === "AbortError" || ("code" in error && (error.code === "ECONNRESET" || error.code === "ABORT_ERR")));

/** On every answer (tus 1.0, Tus-Resumable). Nothing here is for other origins, so nothing is said of them (CORS). */
const COMMON = { "Tus-Resumable": VERSION, "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff" };

function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...COMMON, ...headers } });
}

function refuse(status: number, told: UploadProblem, headers: Record<string, string> = {}): Response {
  return Response.json(told, { status, headers: { ...COMMON, ...headers } });
}

const notAllowed = (allow: string) => refuse(405, { problem: "There is no such method here." }, { Allow: allow });

const expires = (part: Part) => new Date(part.expiresAt).toUTCString();

const isBytes = (request: Request) => request.headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase() === BYTES_TYPE;

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}

/** `Upload-Checksum: sha256 <base64>`. Throws what answers 400 for one that is not understood (tus 1.0, checksum). */
function checksumOf(request: Request): Checksum | undefined {
  const header = request.headers.get("Upload-Checksum");
  if (header === null) return undefined;
  const [algorithm, digest = ""] = header.split(" ", 2);
  if (algorithm !== "sha1" && algorithm !== "sha256") throw new Refused(400, { problem: "Upload-Checksum knows sha1 and sha256." });
  return { algorithm, digest: Buffer.from(digest, "base64") };
}
