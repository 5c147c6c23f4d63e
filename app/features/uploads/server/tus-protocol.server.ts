import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { COMMENT_IMAGES_MAX } from "#convex/model/comments/imagesMax";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { expectRecentSession, expectSession, recordSessionCheck } from "~/features/accounts/session/session-check.server";
import { type Visitor, getVisitor } from "~/features/accounts/session/session.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { reportProblem } from "~/lib/http/telemetry/seen-problems.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { duplicateText, storageFullText, PICTURE_MAX_BYTES, tooLargeText } from "~/features/uploads/upload-result";
import type { Checksum } from "./partial-uploads/append.server";
import { createBufferingWatch } from "./buffering-proxy.server";
import { finishUpload } from "./finish-upload.server";
import { formatMetadata, parseMetadata } from "./tus-metadata.server";
import type { FinishedUpload } from "./partial-uploads/upload-outcomes.server";
import type { PartialUpload, PartialUploads, PresentUploads } from "./partial-uploads/partial-uploads.server";
import { PROBLEM_TEXTS } from "../upload-problem";
import { answer, answerFor, COMMON_HEADERS, notAllowed, Refused, refuse, TUS_VERSION } from "./upload-answers.server";
import { requestLimitOf } from "./request-limit.server";
import { uploadsFor } from "./uploads.server";

/** tus 1.0 (https://tus.io/protocols/resumable-upload). `POST /uploads/:id/finish` is our own, idempotent, and creates the image. */
const EXTENSIONS = "creation,creation-with-upload,checksum,expiration,termination";
const BYTES_TYPE = "application/offset+octet-stream";

const recordChunk = createBufferingWatch(() =>
  reportProblem(
    "a proxy buffers uploads, so the shown progress is wrong and the proxy's disk fills. Turn off request buffering (in nginx: proxy_request_buffering off; docs/proxies.md)",
  ),
);

const MAX_UNFINISHED = 100;
/** Uploads without a design count towards no quota. */
const MAX_WITHOUT_DESIGN = { picture: 5, comment: COMMENT_IMAGES_MAX };
const MAX_NAME = 1000;

type TusRequest = { request: Request; config: AppConfig; visitor: Visitor; startedAt: number };

export async function answerUpload(
  request: Request,
  context: Readonly<RouterContextProvider>,
  target: { id?: string; finish?: boolean } = {},
): Promise<Response> {
  const startedAt = performance.now();
  const config = context.get(configContext);
  const method = methodOf(request);
  if (method === "OPTIONS") return capabilities(config);
  const version = request.headers.get("Tus-Resumable");
  // `finish` is not part of tus, so it needs no version header.
  if (!target.finish && version !== TUS_VERSION)
    return refuse(412, { problem: `Tus-Resumable must be ${TUS_VERSION}.` }, { "Tus-Version": TUS_VERSION });
  const visitor = await getVisitor(context);
  if (!visitor) return refuse(401, { problem: PROBLEM_TEXTS.signedOut });
  const requested: TusRequest = { request, config, visitor, startedAt };
  try {
    if (target.id === undefined) return method === "POST" ? await create(requested) : notAllowed("POST, OPTIONS");
    const { partialUploads } = uploadsFor(config);
    const finished = await partialUploads.findFinished(target.id, visitor.userId);
    const part = finished ? null : await partialUploads.find(target.id, visitor.userId);
    if (!part || !target.finish || method !== "POST")
      await ignoreUnreachable((method === "PATCH" ? expectRecentSession : expectSession)(config, visitor.sessionId));
    if (finished) return await answerFinished(requested, finished, target.finish === true);
    if (!part) return refuse(404, { problem: PROBLEM_TEXTS.unknown });
    if (target.finish) return method === "POST" ? await finish(requested, part) : notAllowed("POST");
    if (method === "HEAD") return await describePart(requested, part);
    if (method === "PATCH") return await proceed(requested, part);
    if (method === "DELETE") return await remove(requested, part);
    return notAllowed("HEAD, PATCH, DELETE, OPTIONS");
  } catch (error) {
    return answerFor(error);
  }
}

/** Ignores an unreachable deployment, because finishing checks the session again. */
async function ignoreUnreachable(checking: Promise<void>): Promise<void> {
  await checking.catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error;
  });
}

/** Returns the method. POST can replace a method that a proxy does not support (tus 1.0, X-HTTP-Method-Override). */
function methodOf(request: Request): string {
  return request.method === "POST" ? (request.headers.get("X-HTTP-Method-Override")?.toUpperCase() ?? "POST") : request.method;
}

function capabilities(config: AppConfig): Response {
  return answer(204, {
    "Tus-Version": TUS_VERSION,
    "Tus-Extension": EXTENSIONS,
    "Tus-Max-Size": String(config.uploadMaxBytes),
    "Tus-Checksum-Algorithm": "sha1,sha256",
  });
}

async function create({ request, config, visitor }: TusRequest): Promise<Response> {
  const length = wholeNumber(request.headers.get("Upload-Length"));
  const metadata = parseMetadata(request.headers.get("Upload-Metadata"));
  if (length === null) return refuse(400, { problem: "Upload-Length is missing or not a whole number." });
  const upload = metadata && readMetadata(metadata);
  if (!upload) return refuse(400, { problem: "Upload-Metadata must name the design and the file." });
  if (length > config.uploadMaxBytes) return refuse(413, { problem: tooLargeText(length, config.uploadMaxBytes) });

  const { partialUploads, concurrencyLimit, storageUrls } = uploadsFor(config);
  const { designId, name, checksum, anyway, chosenAs, isVersion, purpose } = upload;
  if (purpose === "picture" && length > PICTURE_MAX_BYTES) return refuse(413, { problem: tooLargeText(length, PICTURE_MAX_BYTES) });
  const admitted: { storageUrl?: string } = {};
  const createFor = (storageOwnerId: string | undefined) => {
    const admit = async ({ unfinished: all, reserving }: PresentUploads) => {
      const isOfDesign = ({ isShared = false }: PartialUpload) => !isShared;
      const unfinished = all.filter(isOfDesign);
      const sameUse = unfinished.filter((part) => part.designId === null && (part.purpose ?? purpose) === purpose);
      if (unfinished.length >= MAX_UNFINISHED || (purpose !== null && sameUse.length >= MAX_WITHOUT_DESIGN[purpose]))
        throw new Refused(429, { problem: PROBLEM_TEXTS.tooMany, again: true }, { "Retry-After": "5" });
      if (designId === null || storageOwnerId === undefined) return ignoreUnreachable(expectSession(config, visitor.sessionId));
      const reserved = reserving.reduce((sum, part) => sum + part.length, 0);
      const images = isVersion ? 0 : reserving.filter(isOfDesign).length + 1;
      const announcedFile = { designId, storageOwnerId, length, reserved, images, unlessThere: anyway ? null : checksum };
      admitted.storageUrl = await requestRoom({ config, visitor }, announcedFile);
    };
    return partialUploads.create(
      { ownerId: visitor.userId, storageOwnerId, designId, name, length, checksum, chosenAs, ...(purpose && { purpose }) },
      admit,
    );
  };
  const part = await createFor(designId === null ? undefined : await likelyStorageOwner(partialUploads, visitor.userId, designId)).catch(
    (error: unknown) => {
      if (error instanceof OtherStorageOwner) return createFor(error.storageOwnerId);
      throw error;
    },
  );
  if (admitted.storageUrl !== undefined) storageUrls.set(part.id, admitted.storageUrl);
  const created = { Location: `/uploads/${part.id}`, "Upload-Expires": expires(part), ...limitHeader(config) };
  if (!isBytes(request) || !request.body) return answer(201, created);
  const offset = await concurrencyLimit.hold(visitor.userId, () => partialUploads.append(part, 0, bodyOf(request), checksumOf(request)));
  return answer(201, { ...created, "Upload-Offset": String(offset) });
}

class OtherStorageOwner extends Error {
  readonly storageOwnerId: string;

  constructor(storageOwnerId: string) {
    super("The design's project has another owner");
    this.storageOwnerId = storageOwnerId;
  }
}

/** Returns a guess without a call. If the guess is wrong, `requestRoom` returns the actual owner. */
async function likelyStorageOwner(partialUploads: PartialUploads, userId: string, designId: string): Promise<string> {
  const earlier = (await partialUploads.unfinished(userId)).find((part) => part.designId === designId);
  return earlier?.storageOwnerId ?? userId;
}

type Announced = {
  designId: string;
  storageOwnerId: string;
  length: number;
  reserved: number;
  images: number;
  unlessThere: string | null;
};

/** Checks access, duplicates and space (with reservations for other files) before a byte is accepted. Returns where to store the file. */
async function requestRoom(
  { config, visitor: { sessionId } }: Pick<TusRequest, "config" | "visitor">,
  { designId, storageOwnerId, length, reserved, images, unlessThere }: Announced,
): Promise<string> {
  const quota = config.storageQuotaBytes;
  const room = { bytes: length + reserved, images, quota, ...(unlessThere !== null && { unlessThere }) };
  const admitted = await serviceConvex(config)
    .mutation(api.uploads.admit, { sessionId, designId, storageOwnerId, ...room }, { skipQueue: true })
    .catch((error: unknown) => {
      const refusal = refusalOf(error);
      if (refusal?.left !== undefined)
        throw new Refused(413, {
          problem: storageFullText(length, Math.max(0, refusal.left - reserved), refusal.quota ?? config.storageQuotaBytes),
          again: true,
        });
      if (refusal?.isReadOnly) throw error;
      if (refusal?.code === "limit" && refusal.message !== undefined) throw new Refused(413, { problem: refusal.message, again: true });
      if (refusal?.duplicateOf)
        throw new Refused(409, { problem: duplicateText(refusal.duplicateOf.name), duplicateOf: refusal.duplicateOf });
      throw error;
    });
  recordSessionCheck(sessionId);
  if (admitted.uploadUrl === undefined) throw new OtherStorageOwner(admitted.storageOwnerId);
  return admitted.uploadUrl;
}

function readMetadata(metadata: Map<string, string>) {
  // Uploads of forms (`withUploaded`): a picture of an account or a comment belongs to no design, and a new version adds no image.
  const use = metadata.get("for");
  const purpose = use === "picture" || use === "comment" ? use : null;
  const designId = purpose === null ? metadata.get("design") : null;
  const name = metadata.get("filename");
  const checksum = metadata.get("checksum") ?? null;
  if (designId === undefined || designId === "" || (designId !== null && designId.length > 100) || name === undefined) return null;
  if (checksum !== null && !/^[0-9a-f]{64}$/.test(checksum)) return null;
  const batch = metadata.get("batch");
  const index = wholeNumber(metadata.get("index") ?? null);
  const chosenAs = batch !== undefined && batch.length <= 40 && index !== null ? { batch, index } : undefined;
  const isVersion = use === "version";
  return { designId, purpose, name: name.slice(0, MAX_NAME), checksum, anyway: metadata.has("anyway"), chosenAs, isVersion } as const;
}

async function describePart({ config }: TusRequest, part: PartialUpload): Promise<Response> {
  return answer(200, {
    "Upload-Offset": String(await uploadsFor(config).partialUploads.offset(part)),
    "Upload-Length": String(part.length),
    "Upload-Metadata": formatMetadata({
      ...(part.designId === null ? part.purpose && { for: part.purpose } : { design: part.designId }),
      filename: part.name,
    }),
    "Upload-Expires": expires(part),
    ...limitHeader(config),
  });
}

/** Returns `Upload-Limit` (draft-ietf-httpbis-resumable-upload): the accepted chunk size, if the proxy rejected a larger one. */
function limitHeader(config: AppConfig): Record<string, string> {
  const bytes = requestLimitOf(config).known();
  return bytes === null ? {} : { "Upload-Limit": `max-append-size=${bytes}` };
}

async function answerFinished({ request, config }: TusRequest, finished: FinishedUpload, finish: boolean): Promise<Response> {
  const method = methodOf(request);
  if (finish) return method === "POST" ? Response.json(finished.outcome, { headers: COMMON_HEADERS }) : notAllowed("POST");
  const length = String(finished.length);
  if (method === "HEAD") return answer(200, { "Upload-Offset": length, "Upload-Length": length, "Upload-Expires": expires(finished) });
  if (method === "PATCH") return refuse(409, { problem: PROBLEM_TEXTS.incomplete, again: true });
  if (method !== "DELETE") return notAllowed("HEAD, PATCH, DELETE, OPTIONS");
  await uploadsFor(config).partialUploads.removeFinished(finished.id);
  return answer(204);
}

async function proceed({ request, config, visitor, startedAt }: TusRequest, part: PartialUpload): Promise<Response> {
  if (!isBytes(request)) return refuse(415, { problem: `The Content-Type must be ${BYTES_TYPE}.` });
  const from = wholeNumber(request.headers.get("Upload-Offset"));
  if (from === null) return refuse(400, { problem: "Upload-Offset is missing or not a whole number." });
  const { partialUploads, concurrencyLimit } = uploadsFor(config);
  const offset = await concurrencyLimit.hold(visitor.userId, () => partialUploads.append(part, from, bodyOf(request), checksumOf(request)));
  await requestLimitOf(config).arrived(offset - from, wholeNumber(request.headers.get("Upload-Rejected-Size")));
  recordChunk(part.id, { bytes: offset - from, startedAt, endedAt: performance.now() });
  const expiry = expires((await partialUploads.find(part.id, visitor.userId)) ?? part);
  return answer(204, { "Upload-Offset": String(offset), "Upload-Expires": expiry, ...limitHeader(config) });
}

async function remove({ config }: TusRequest, part: PartialUpload): Promise<Response> {
  await uploadsFor(config).partialUploads.remove(part);
  return answer(204);
}

async function finish({ request, config, visitor }: TusRequest, part: PartialUpload): Promise<Response> {
  const anyway = new URL(request.url).searchParams.has("anyway");
  const { partialUploads } = uploadsFor(config);
  const { designId } = part;
  const isIncomplete = (await partialUploads.offset(part)) < part.length;
  // The mutations that create the image check the session of a complete upload.
  if (designId === null || isIncomplete) await ignoreUnreachable(expectSession(config, visitor.sessionId));
  if (designId === null) return refuse(404, { problem: PROBLEM_TEXTS.unknown });
  if (isIncomplete) return refuse(409, { problem: PROBLEM_TEXTS.incomplete, again: true });
  const outcome = await finishUpload({ ...part, designId }, { config, sessionId: visitor.sessionId, onlyNew: !anyway });
  return Response.json(outcome, { headers: COMMON_HEADERS });
}

const expires = ({ expiresAt }: { expiresAt: number }) => new Date(expiresAt).toUTCString();

const isBytes = (request: Request) => request.headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase() === BYTES_TYPE;

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}

function checksumOf(request: Request): Checksum | undefined {
  const header = request.headers.get("Upload-Checksum");
  if (header === null) return undefined;
  const [algorithm, digest = ""] = header.split(" ", 2);
  if (algorithm !== "sha1" && algorithm !== "sha256") throw new Refused(400, { problem: "Upload-Checksum supports sha1 and sha256." });
  return { algorithm, digest: Buffer.from(digest, "base64") };
}
