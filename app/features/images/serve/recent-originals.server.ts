import { LRUCache } from "lru-cache";

const CACHE_BYTES = 32 * 2 ** 20;
const CACHE_MS = 60_000;

export type RecentOriginals = {
  /** Returns the file with this checksum. Variants made at the same time, or within a minute, share one download. */
  get(checksum: string, download: () => Promise<Buffer>): Promise<Buffer>;
  size(): number;
};

export function createRecentOriginals(): RecentOriginals {
  const recent = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
    ttl: CACHE_MS,
    ttlAutopurge: true,
  });
  const downloads = new Map<string, Promise<Buffer>>();

  async function load(checksum: string, download: () => Promise<Buffer>): Promise<Buffer> {
    try {
      const file = await download();
      recent.set(checksum, file);
      return file;
    } finally {
      downloads.delete(checksum);
    }
  }

  return {
    async get(checksum, download) {
      const file = recent.get(checksum) ?? downloads.get(checksum);
      if (file) return file;
      const loading = load(checksum, download);
      downloads.set(checksum, loading);
      return loading;
    },
    size: () => recent.size,
  };
}
