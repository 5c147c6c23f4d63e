import { createHash } from "node:crypto";
import { splitIntoParts } from "./in-parts.ts";
import type { Part, S3Client } from "./s3-client.ts";
import { S3Error } from "./s3-error.ts";

/** Objects above this size are stored in parts. Two parts are in memory. */
export const PART_BYTES = 8 * 1024 * 1024;
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60_000;

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Stores an object, or nothing when it throws. Continues an interrupted upload of the same content. */
export async function putObject(client: S3Client, key: string, content: Content, { partBytes = PART_BYTES } = {}): Promise<void> {
  const parts = splitIntoParts(content, partBytes);
  const first = await parts.next();
  const second = await parts.next();
  const start = first.value ?? Buffer.alloc(0);
  if (second.done) await client.put(key, start);
  else await putInParts(client, key, [start, second.value], parts);
}

/** Aborts incomplete uploads that are older than a week, because services charge for their parts. */
export async function abortAbandoned(client: S3Client, prefix: string): Promise<void> {
  for (const { key, id, initiated } of await client.listUploads(prefix))
    if (Date.now() - initiated.getTime() > ABANDONED_AFTER_MS) await client.abortUpload(key, id);
}

async function putInParts(
  client: S3Client,
  key: string,
  first: Buffer<ArrayBuffer>[],
  rest: AsyncIterable<Buffer<ArrayBuffer>>,
): Promise<void> {
  const earlier = (await client.listUploads(key)).find((upload) => upload.key === key);
  const id = earlier?.id ?? (await client.createUpload(key));
  const stored = new Map(earlier && (await client.listParts(key, id)).map((part) => [part.number, part]));
  const parts: Part[] = [];
  let size = 0;
  try {
    for await (const body of chained(first, rest)) {
      const number = parts.length + 1;
      const known = stored.get(number);
      const isStored = known?.size === body.length && known.etag.replaceAll('"', "") === createHash("md5").update(body).digest("hex");
      parts.push(isStored && known ? known : await client.uploadPart(key, id, number, body));
      size += body.length;
    }
    await client.completeUpload(key, id, parts, size);
  } catch (error) {
    // After a failed request, the next attempt continues. Wrong content must not be continued.
    if (!(error instanceof S3Error)) await client.abortUpload(key, id).catch(() => undefined);
    throw error;
  }
}

async function* chained<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}
