/**
 * Reading request bodies: always bounded in size and in time, whether compressed or not.
 */
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import type { Json } from "../values/types.ts";
import { badRequest, RequestError } from "./errors.ts";

const MEBIBYTE = 1024 * 1024;

/** Arguments may be 16 MiB as values (`facts/engine.md`, limits); their JSON, with escapes and base64, is somewhat more. */
const CALL_BODY = { maxBytes: 24 * MEBIBYTE, timeoutMs: 30_000 };
/** All modules of a push with their source maps. */
export const PUSH_BODY = { maxBytes: 256 * MEBIBYTE, timeoutMs: 120_000 };
/** An HTTP action's request, as Convex documents it: 20 MiB. */
export const ACTION_BODY = { maxBytes: 20 * MEBIBYTE, timeoutMs: 60_000, raw: true };

/** `raw` leaves the body as it was sent, compressed or not. */
type Bounds = { maxBytes: number; timeoutMs: number; raw?: boolean };

/**
 * The whole body, decompressed where `Content-Encoding` says br or gzip.
 * @throws {RequestError} 413 when it is too large, 408 when it takes too long, 400 when it breaks off or does not decompress
 */
export function readBody(request: IncomingMessage, bounds: Bounds): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > bounds.maxBytes) return Promise.reject(tooLarge(bounds));
  const decoder = bounds.raw ? null : decompressor(request);
  return new Promise((resolve, reject) => {
    const source = decoder ?? request;
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: Error) => {
      clearTimeout(timer);
      source.removeAllListeners("data");
      decoder?.destroy();
      request.unpipe();
      request.resume();
      reject(error);
    };
    const timer = setTimeout(() => fail(new RequestError(408, "RequestTimeout", "The request's body took too long.")), bounds.timeoutMs);
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > bounds.maxBytes) fail(tooLarge(bounds));
      else chunks.push(chunk);
    });
    source.on("end", () => {
      clearTimeout(timer);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    });
    const broken = () => fail(badRequest("The request's body could not be read."));
    request.on("aborted", broken).on("error", broken);
    if (decoder) request.pipe(decoder.on("error", broken));
  });
}

/** @throws {RequestError} 400 when the body is not JSON, and as `readBody` */
async function readJson(request: IncomingMessage, bounds: Bounds = CALL_BODY): Promise<Json> {
  const body = await readBody(request, bounds);
  try {
    const parsed: Json = JSON.parse(body.toString("utf8"));
    return parsed;
  } catch {
    throw badRequest("The request's body is not valid JSON.", "BadJsonBody");
  }
}

/** @throws {RequestError} 400 when the body is not a JSON object, and as `readBody` */
export async function readJsonObject(request: IncomingMessage, bounds: Bounds = CALL_BODY): Promise<{ [key: string]: Json }> {
  const value = await readJson(request, bounds);
  if (!isObject(value)) throw badRequest("The request's body must be a JSON object.", "BadJsonBody");
  return value;
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decompressor(request: IncomingMessage): Transform | null {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return null;
  if (encoding === "br") return createBrotliDecompress();
  if (encoding === "gzip") return createGunzip();
  throw new RequestError(415, "UnsupportedEncoding", `Content-Encoding ${encoding} is not supported: use br, gzip or none.`);
}

const tooLarge = ({ maxBytes }: Bounds) =>
  new RequestError(413, "PayloadTooLarge", `The request's body is larger than ${Math.floor(maxBytes / MEBIBYTE)} MiB.`);
