import { LRUCache } from "lru-cache";

export type ReceivedChunk = { bytes: number; startedAt: number; endedAt: number };

const UPLOADS = 1000;
const CHUNK_BYTES = 256 * 1024;
const GAPS = 2;
const GAP_MS = 1000;
/** Without a buffering proxy, receiving a chunk takes most of the time since the previous one. */
const RATIO = 10;

/** Calls `onFound` once if chunks arrive in bursts after pauses, as from a proxy that buffers requests. Times in ms. */
export function createBufferingWatch(onFound: () => void): (uploadId: string, chunk: ReceivedChunk) => void {
  const uploads = new LRUCache<string, { endedAt: number; gaps: number }>({ max: UPLOADS });
  let isFound = false;
  return (uploadId, { bytes, startedAt, endedAt }) => {
    if (isFound || bytes < CHUNK_BYTES) return;
    const last = uploads.get(uploadId);
    const gap = last ? startedAt - last.endedAt : 0;
    const gaps = last && gap >= GAP_MS && (endedAt - startedAt) * RATIO < gap ? last.gaps + 1 : 0;
    uploads.set(uploadId, { endedAt, gaps });
    if (gaps < GAPS) return;
    isFound = true;
    onFound();
  };
}
