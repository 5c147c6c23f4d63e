import { createHash, type Hash } from "node:crypto";
import { open, truncate } from "node:fs/promises";

/** The bytes on disk and the offset that was told disagree, by another tab that was faster, for instance. */
export class OffsetMismatch extends Error {
  override name = "OffsetMismatch";
}

/** More bytes came than were announced; those that were not have been thrown away. */
export class TooLong extends Error {
  override name = "TooLong";
}

/** The bytes of one request are not those whose checksum came with them; none of them was kept. */
export class ChecksumMismatch extends Error {
  override name = "ChecksumMismatch";
}

/** There is no room on the disk. What arrived before it was full has been kept. */
export class DiskFull extends Error {
  override name = "DiskFull";
}

export type Checksum = { algorithm: "sha1" | "sha256"; digest: Buffer };

/**
 * Writes a body behind the bytes that are there, up to `length` of all; answers how many there are. What arrived of a body that breaks off stays, unless
 * it has a checksum. `hash` goes on with each chunk. Throws the errors above, and whatever the body throws.
 */
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
      if (at + chunk.length > length) throw new TooLong(`Only ${length} bytes were announced`);
      ofBody?.update(chunk);
      hash?.update(chunk);
      let written = 0;
      while (written < chunk.length) {
        const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at + written);
        written += bytesWritten;
      }
      at += chunk.length;
    }
    if (checksum && !ofBody?.digest().equals(checksum.digest)) throw new ChecksumMismatch("These are other bytes than were sent");
    return at;
  } catch (error) {
    // With a checksum a body counts as a whole or not at all (tus 1.0, checksum extension).
    if (checksum) await truncate(path, from);
    throw asDiskFull(error);
  } finally {
    await file.close();
  }
}

/** The same chunks, until the signal ends it, though the body itself be silent. */
async function* abortable(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const onAbort = () => reject(new OffsetMismatch("Another request goes on with this upload"));
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
    // Not awaited: the one that waits for a silent line would wait with it.
    void iterator.return?.().catch(() => {});
  }
}

/** The error that says that there is no room, where it is one. */
export function asDiskFull(error: unknown): unknown {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")
    ? new DiskFull("The disk is full", { cause: error })
    : error;
}
