import { createHash, type Hash } from "node:crypto";
import { open, truncate } from "node:fs/promises";
import { asDiskFull } from "~/lib/http/disk-full.server";

export class OffsetMismatch extends Error {
  override name = "OffsetMismatch";
}

export class TooLong extends Error {
  override name = "TooLong";
}

export class ChecksumMismatch extends Error {
  override name = "ChecksumMismatch";
}

export type Checksum = { algorithm: "sha1" | "sha256"; digest: Buffer };

/** Returns the new length. Without checksum, keeps part of an aborted body. Throws this file's errors, `DiskFull` and the body's errors. */
export async function appendBody(
  path: string,
  from: number,
  length: number,
  body: AsyncIterable<Uint8Array>,
  { signal, checksum, hash }: { signal: AbortSignal; checksum?: Checksum | undefined; hash: Hash | null },
): Promise<number> {
  const file = await open(path, "r+");
  const ofBody = checksum && createHash(checksum.algorithm);
  let at = from;
  try {
    for await (const chunk of abortable(body, signal)) {
      if (at + chunk.length > length) throw new TooLong(`The upload has only ${length} bytes`);
      ofBody?.update(chunk);
      hash?.update(chunk);
      let written = 0;
      while (written < chunk.length) {
        const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at + written);
        written += bytesWritten;
      }
      at += chunk.length;
    }
    if (checksum && !ofBody?.digest().equals(checksum.digest)) throw new ChecksumMismatch("The bytes do not match the checksum");
    return at;
  } catch (error) {
    // With a checksum, a body is stored completely or not at all (tus 1.0, checksum extension).
    if (checksum) await truncate(path, from);
    throw asDiskFull(error);
  } finally {
    await file.close();
  }
}

async function* abortable(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const onAbort = () => reject(new OffsetMismatch("Another request is writing to this upload"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not awaited: with a silent connection, the returned promise would stay pending.
    void iterator.return?.().catch(() => {});
  }
}
