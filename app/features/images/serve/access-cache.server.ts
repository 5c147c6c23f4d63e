import { setTimeout as sleep } from "node:timers/promises";
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
  storageUrl?: string | undefined;
};

export type ShownImage = { imageId: string; versionId?: string | undefined };

export type AccessCache = {
  /** Returns an image, loaded at most once per `GRANT_MS`, also for simultaneous calls. The default version is the current one. */
  get(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null>;
  /** Returns an image with a storage address that is at most `STORED_MS` old, since a new version can replace the file. */
  getStored(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null | undefined>;
  /** Groups a page's images, so that the first request loads the files of all of them. Grants no access. */
  expect(sessionId: string, images: readonly ShownImage[]): void;
  size(): number;
  /** Stores pictures that a loader received for this session, so that a page's pictures need no further query. */
  store(sessionId: string, images: readonly LoadedImage[]): void;
  storePage(sessionId: string, images: readonly LoadedImage[]): void;
};

type LoadedImage = AccessibleImage & { _id: string; versionId?: string | undefined };

/** How long a picture stays visible after its session or access ends: the documented exception to immediate revocation. */
export const GRANT_MS = 10_000;

const MAX_ENTRIES = 20_000;

export const STORED_MS = 2_000;

const GROUP = 50;

const COLLECT_MS = 4;

type Grant = { picture: Promise<AccessibleImage | null>; until: number };
type Batch = { images: ShownImage[]; files: Promise<(AccessibleImage | null)[]> };
type Load = (sessionId: string, imageId: string, versionId?: string) => Promise<AccessibleImage | null>;
type LoadMany = (sessionId: string, images: readonly ShownImage[]) => Promise<(AccessibleImage | null)[]>;

export function createAccessCache(
  loadImage: Load,
  now: () => number = Date.now,
  loadImages: LoadMany = (sessionId, images) => Promise.all(images.map((each) => loadImage(sessionId, each.imageId, each.versionId))),
): AccessCache {
  const cache = new LRUCache<string, Grant>({ max: MAX_ENTRIES });
  const groups = new LRUCache<string, readonly ShownImage[]>({ max: MAX_ENTRIES });
  const batches = new Map<string, Batch>();
  const keyOf = (sessionId: string, imageId: string, versionId = "") => `${sessionId} ${imageId} ${versionId}`;

  function set(key: string, picture: Promise<AccessibleImage | null>): Grant {
    const grant = { picture, until: now() + GRANT_MS };
    cache.set(key, grant);
    return grant;
  }

  function granted(key: string): Grant | undefined {
    const grant = cache.get(key);
    return grant && grant.until > now() ? grant : undefined;
  }

  /** Another server may have rendered the page, so its images are unknown here. Requests that arrive together share one call. */
  async function loadTogether(sessionId: string, image: ShownImage): Promise<AccessibleImage | null> {
    const batch = batches.get(sessionId) ?? startBatch(sessionId);
    const index = batch.images.push(image) - 1;
    if (batch.images.length === GROUP) batches.delete(sessionId);
    return (await batch.files)[index] ?? null;
  }

  function startBatch(sessionId: string): Batch {
    const images: ShownImage[] = [];
    const files = sleep(COLLECT_MS).then(() => {
      if (batches.get(sessionId) === batch) batches.delete(sessionId);
      const [only] = images;
      if (images.length > 1 || !only) return loadImages(sessionId, images);
      return loadImage(sessionId, only.imageId, only.versionId).then((file) => [file]);
    });
    const batch: Batch = { images, files };
    batches.set(sessionId, batch);
    return batch;
  }

  function request(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null> {
    const key = keyOf(sessionId, imageId, versionId);
    const group = groups.get(key);
    if (!group) return cacheGrant(key, loadTogether(sessionId, { imageId, versionId }));
    const loaded = loadImages(sessionId, group);
    const answers = group.map((each, index) => {
      const answer = loaded.then((files) => files[index] ?? null);
      return [keyOf(sessionId, each.imageId, each.versionId), cacheGrant(keyOf(sessionId, each.imageId, each.versionId), answer)] as const;
    });
    for (const [, answer] of answers) answer.catch(() => {});
    return answers.find(([each]) => each === key)?.[1] ?? Promise.resolve(null);
  }

  async function cacheGrant(key: string, loading: Promise<AccessibleImage | null>): Promise<AccessibleImage | null> {
    const grant = set(key, loading);
    const evict = () => {
      if (cache.peek(key) === grant) cache.delete(key);
    };
    try {
      const picture = await loading;
      // A missing picture may appear soon and must then be visible.
      if (picture === null) evict();
      return picture;
    } catch (error) {
      evict();
      throw error;
    }
  }

  function expect(sessionId: string, images: readonly ShownImage[]): void {
    for (let start = 0; start < images.length; start += GROUP) {
      const group = images.slice(start, start + GROUP).map(({ imageId, versionId }) => ({ imageId, versionId }));
      for (const { imageId, versionId } of group) groups.set(keyOf(sessionId, imageId, versionId), group);
    }
  }

  function store(sessionId: string, images: readonly LoadedImage[]): void {
    for (const { _id, versionId, contentType, checksum, name, size, width, height, page, rotation } of images)
      set(keyOf(sessionId, _id, versionId), Promise.resolve({ contentType, checksum, name, size, width, height, page, rotation }));
  }

  return {
    get: async (sessionId, imageId, versionId) =>
      granted(keyOf(sessionId, imageId, versionId))?.picture ?? request(sessionId, imageId, versionId),
    async getStored(sessionId, imageId, versionId) {
      const key = keyOf(sessionId, imageId, versionId);
      const grant = granted(key);
      if (grant && grant.until - GRANT_MS > now() - STORED_MS) {
        const picture = await grant.picture;
        if (picture?.storageUrl !== undefined) return picture;
      }
      if (!groups.has(key)) return undefined;
      const later = granted(key);
      return later && later !== grant ? later.picture : request(sessionId, imageId, versionId);
    },
    expect,
    size: () => cache.size,
    store,
    storePage(sessionId, images) {
      store(sessionId, images);
      expect(
        sessionId,
        images.map(({ _id: imageId, versionId }) => ({ imageId, versionId })),
      );
    },
  };
}
