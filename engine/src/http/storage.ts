import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { ChecksumError } from "../functions/files/files.ts";
import { FileUnavailableError } from "../functions/files/local-copy.ts";
import type { FileStore } from "../functions/types.ts";
import { isDiskFull } from "../storage/disk-full.ts";
import { badRequest, notFound, RequestError } from "./errors.ts";
import { empty, json, type Reply } from "./reply.ts";
import type { Routes } from "./router.ts";

/** Files are immutable. Private, because the URL alone grants access. */
const CACHE_CONTROL = "private, max-age=2592000";
const UPLOAD_IDLE_MS = 30_000;
const UPLOAD_MAX_BYTES = 4 * 1024 ** 3;

export function storageRoutes(files: FileStore): Routes {
  return {
    "POST /api/storage/upload": async ({ request, query }) => {
      const component = checkToken(files, query.get("token"));
      return json({ storageId: await upload(files, request, component) });
    },
    "GET /api/storage/*": async ({ request, rest }) => download(files, request, rest),
  };
}

function checkToken(files: FileStore, token: string | null): string {
  try {
    return files.checkUploadToken(token ?? "");
  } catch (error) {
    throw new RequestError(401, "StorageTokenInvalid", error instanceof Error ? error.message : "The upload token is not valid.");
  }
}

async function upload(files: FileStore, request: IncomingMessage, component: string): Promise<string> {
  const contentType = request.headers["content-type"] ?? null;
  const sha256 = digestOf(request.headers.digest);
  try {
    return await files.store(timedBody(request, UPLOAD_MAX_BYTES), { contentType, sha256, component });
  } catch (error) {
    if (error instanceof ChecksumError) throw badRequest(error.message, "ChecksumMismatch");
    if (isDiskFull(error)) throw new RequestError(507, "InsufficientStorage", "The disk is too full for the file.");
    if (request.destroyed && !request.complete) throw badRequest("The upload was interrupted.", "UploadAborted");
    throw error;
  }
}

/** `Digest: sha-256=<base64>` (RFC 3230). */
function digestOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /(?:^|,)\s*sha-256=([A-Za-z0-9+/]{43}=)/i.exec(String(header));
  if (!match?.[1]) throw badRequest("The Digest header must be sha-256=<base64>.");
  return match[1];
}

/** @throws {RequestError} 408 when no data arrives, 413 for too much */
export async function* timedBody(request: IncomingMessage, maxBytes: number): AsyncIterable<Uint8Array> {
  request.setTimeout(UPLOAD_IDLE_MS, () =>
    request.destroy(new RequestError(408, "RequestTimeout", "The upload sent no data for too long.")),
  );
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > maxBytes) throw new RequestError(413, "PayloadTooLarge", `A file can have at most ${maxBytes} bytes.`);
      yield chunk;
    }
  } finally {
    request.setTimeout(0);
  }
}

async function download(files: FileStore, request: IncomingMessage, uuid: string): Promise<Reply> {
  const file = await files.open(uuid);
  if (!file) throw notFound("There is no such file.");
  const headers: OutgoingHttpHeaders = {
    "Content-Type": file.contentType ?? "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": CACHE_CONTROL,
    "Accept-Ranges": "bytes",
    Digest: `sha-256=${file.sha256}`,
    ETag: `"${file.sha256}"`,
  };
  if (request.headers["if-none-match"] === headers.ETag) return empty(304, headers);
  const range = parseRange(request.headers.range, file.size);
  if (range === "unsatisfiable") return empty(416, { "Content-Range": `bytes */${file.size}` });
  headers["Content-Length"] = range ? range.end - range.start + 1 : file.size;
  if (range) headers["Content-Range"] = `bytes ${range.start}-${range.end}/${file.size}`;
  const chunks = files.read(file, range);
  // Small files and ranges are verified before the head is sent; damage after that aborts the response.
  const first = await chunks.next().catch((error: unknown) => {
    if (error instanceof FileUnavailableError) throw new RequestError(503, "StoredFileUnavailable", error.message);
    if (isDiskFull(error)) throw new RequestError(507, "InsufficientStorage", "The disk is too full for a copy of the file.");
    throw error;
  });
  return { status: range ? 206 : 200, headers, body: first.done ? null : Readable.from(resumed(first.value, chunks)) };
}

async function* resumed(first: Uint8Array, rest: AsyncGenerator<Uint8Array, void, undefined>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** Parses one byte range (RFC 9110, section 14.2). Returns null for none, and for ranges to ignore: other units, several ranges. */
export function parseRange(header: string | undefined, size: number): { start: number; end: number } | "unsatisfiable" | null {
  // An empty file has no range; Convex returns the whole file.
  if (size === 0) return null;
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return null;
  const first = match[1] === "" ? null : Number(match[1]);
  const last = match[2] === "" ? null : Number(match[2]);
  if (first === null) {
    if (last === 0) return "unsatisfiable";
    return { start: Math.max(0, size - (last ?? 0)), end: size - 1 };
  }
  if (first >= size) return "unsatisfiable";
  if (last !== null && last < first) return null;
  return { start: first, end: Math.min(last ?? size - 1, size - 1) };
}
