import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../memory/collect-garbage.ts";
import { MAX_MESSAGE_BYTES } from "../memory/budget.ts";
import { parseJson, JsonLimitError } from "../values/parse-json.ts";
import type { Json } from "../values/types.ts";
import { badRequest, RequestError } from "./errors.ts";
import { keepForRequest } from "./request-memory.ts";

const MEBIBYTE = 1024 * 1024;

const CALL_BODY = { maxBytes: MAX_MESSAGE_BYTES, timeoutMs: 30_000 };
export const PUSH_BODY = { maxBytes: 256 * MEBIBYTE, timeoutMs: 120_000 };
export const ACTION_BODY = { maxBytes: 20 * MEBIBYTE, timeoutMs: 60_000, raw: true };

const collectGarbage = garbageCollector();

type Bounds = { maxBytes: number; timeoutMs: number; raw?: boolean };

/** @throws {RequestError} 413 too large, 503 out of budget, 408 timeout, 400 aborted or not decompressible */
export function readBody(request: IncomingMessage, bounds: Bounds): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > bounds.maxBytes) return Promise.reject(tooLarge(bounds));
  const decoder = bounds.raw ? null : decompressor(request);
  return new Promise((resolve, reject) => {
    const source = decoder ?? request;
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown) => {
      chunks.length = 0;
      clearTimeout(timer);
      source.removeAllListeners("data");
      decoder?.destroy();
      request.unpipe();
      // Discarded chunks live briefly, so collecting every 32 MB suffices: without it 222 MB accumulate.
      request.on("data", ({ length }: Buffer) => collectGarbage(length / 4)).resume();
      reject(error);
    };
    const timer = setTimeout(() => fail(new RequestError(408, "RequestTimeout", "The request's body took too long.")), bounds.timeoutMs);
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > bounds.maxBytes) return fail(tooLarge(bounds));
      chunks.push(chunk);
      if (size >= LARGE_MESSAGE_BYTES) collectGarbage(chunk.length);
      try {
        keepForRequest(request, size);
      } catch (error) {
        fail(error);
      }
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

async function readJson(request: IncomingMessage, bounds: Bounds = CALL_BODY): Promise<Json> {
  const body = await readBody(request, bounds);
  try {
    return parseJson(body.toString("utf8"));
  } catch (error) {
    if (error instanceof JsonLimitError) throw badRequest(error.message, "BadJsonBody");
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
