/** The size of upload requests. Shrinks when a proxy rejects large ones (nginx: over 1 MiB by default), grows while they are fast. */
export type ChunkSize = {
  bytes(): number;
  /** Bytes of the smallest chunk that a proxy rejected as too large; null when none was. */
  rejected(): number | null;
  limitTo(bytes: number | null): void;
  accepted(bytes: number, ms: number): void;
  /** Handles a 408 or 413 from a proxy; returns whether a smaller chunk can be tried. */
  shrink(status: number, bytes: number): boolean;
};

const KIB = 1024;
export const LARGEST_CHUNK = 8 * 1024 * KIB;
export const SMALLEST_CHUNK = 512 * KIB;
/** Chunks grow while each takes less time than this (ms). Proxies time out much later (nginx: 60 s). */
const FAST_MS = 10_000;

export function createChunkSize(): ChunkSize {
  let size = LARGEST_CHUNK;
  let rejected: number | null = null;
  let knownLimit: number | null = null;
  const largestAllowed = () => {
    const limit = Math.min(LARGEST_CHUNK, knownLimit ?? LARGEST_CHUNK, rejected === null ? LARGEST_CHUNK : rejected - 1);
    return Math.max(SMALLEST_CHUNK, stepWithin(limit));
  };
  return {
    bytes: () => size,
    rejected: () => rejected,
    limitTo(bytes) {
      knownLimit = bytes;
      size = Math.min(size, largestAllowed());
    },
    accepted(bytes, ms) {
      if (bytes >= size && ms < FAST_MS) size = Math.min(largestAllowed(), 2 * size);
    },
    shrink(status, bytes) {
      if (status === 413) rejected = Math.min(rejected ?? Infinity, bytes);
      if (bytes <= SMALLEST_CHUNK) return false;
      size = Math.min(size, Math.max(SMALLEST_CHUNK, stepWithin(bytes - 1)));
      return true;
    },
  };
}

const stepWithin = (bytes: number) => 2 ** Math.floor(Math.log2(bytes));
