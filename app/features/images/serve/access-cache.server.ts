import { LRUCache } from "lru-cache";
import type { Rotation } from "../display/image-address";

export type AccessibleImage = {
  contentType: string;
  checksum: string;
  name: string;
  size: number;
  width: number;
  height: number;
  page?: number | undefined;
  rotation?: Rotation | undefined;
};

export type AccessCache = {
  /** Asks at most once per `GRANT_MS`, also for simultaneous calls. Without `versionId`, uses the current version. */
  get(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null>;
  size(): number;
  /** Stores pictures that a loader received for this session, so that a page's pictures need no further request. */
  note(sessionId: string, images: readonly (AccessibleImage & { _id: string; versionId?: string | undefined })[]): void;
};

/** How long a picture stays visible after its session or access ends: the documented exception to immediate revocation. */
export const GRANT_MS = 10_000;

const REMEMBERED = 20_000;

type Grant = { picture: Promise<AccessibleImage | null>; until: number };

export function createAccessCache(
  loadImage: (sessionId: string, imageId: string, versionId?: string) => Promise<AccessibleImage | null>,
  now: () => number = Date.now,
): AccessCache {
  const cache = new LRUCache<string, Grant>({ max: REMEMBERED });
  const keyOf = (sessionId: string, imageId: string, versionId = "") => `${sessionId} ${imageId} ${versionId}`;

  function set(key: string, picture: Promise<AccessibleImage | null>): Grant {
    const grant = { picture, until: now() + GRANT_MS };
    cache.set(key, grant);
    return grant;
  }

  return {
    async get(sessionId, imageId, versionId) {
      const key = keyOf(sessionId, imageId, versionId);
      const cached = cache.get(key);
      if (cached && cached.until > now()) return cached.picture;
      const grant = set(key, loadImage(sessionId, imageId, versionId));
      const forget = () => {
        if (cache.peek(key) === grant) cache.delete(key);
      };
      try {
        const picture = await grant.picture;
        // A missing picture may exist a moment later and must then be visible.
        if (picture === null) forget();
        return picture;
      } catch (error) {
        forget();
        throw error;
      }
    },
    size: () => cache.size,
    note(sessionId, images) {
      for (const { _id, versionId, contentType, checksum, name, size, width, height, page, rotation } of images)
        set(keyOf(sessionId, _id, versionId), Promise.resolve({ contentType, checksum, name, size, width, height, page, rotation }));
    },
  };
}
