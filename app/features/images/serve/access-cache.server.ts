import { LRUCache } from "lru-cache";
import { IMAGE_GRANT_MAX_MS } from "#convex/model/rules";
import type { Rotation } from "../display/image-address";
import { LOADED_TOGETHER_MAX, loadTogether } from "./load-together";
import type { Revocations } from "./revocations.server";

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
  /** Ids of the rows that gave access. Without them, the image is loaded again after `GRANT_MS`. */
  rows?: readonly string[] | undefined;
  accessEndsAt?: number | undefined;
};

export type ShownImage = { imageId: string; versionId?: string | undefined };

export type AccessCache = {
  /** Loads an image at most once per `GRANT_MS`, or `IMAGE_GRANT_MAX_MS` while revocations are followed. Default: the current version. */
  get(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null>;
  /** Returns an image with its storage address, at most `STORED_MS` old unless revocations are followed: a new version replaces the file. */
  getStored(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null | undefined>;
  /** Groups a page's images, so that the first request loads the files of all of them. Grants no access. */
  expect(sessionId: string, images: readonly ShownImage[]): void;
  size(): number;
  /** Stores pictures that a loader received for this session, so that a page's pictures need no further query. */
  store(sessionId: string, images: readonly LoadedImage[]): void;
  storePage(sessionId: string, images: readonly LoadedImage[]): void;
};

type LoadedImage = AccessibleImage & { _id: string; versionId?: string | undefined };

/** How long a picture stays visible after its session or access ends, if revocations are not followed (docs/access.md). */
export const GRANT_MS = 10_000;

const MAX_ENTRIES = 20_000;

export const STORED_MS = 2_000;

/** Images are loaded again every `GRANT_MS` in this time before their session or link ends, because clocks differ. */
const EXPIRY_MARGIN_MS = 60_000;

/** `position`: that of the revocations before the image was loaded. */
type Grant = { picture: Promise<AccessibleImage | null>; loaded?: AccessibleImage; from: number; position: number };
type Load = (sessionId: string, imageId: string, versionId?: string) => Promise<AccessibleImage | null>;
type LoadMany = (sessionId: string, images: readonly ShownImage[]) => Promise<(AccessibleImage | null)[]>;

export function createAccessCache(
  loadImage: Load,
  now: () => number = Date.now,
  loadImages: LoadMany = (sessionId, images) => Promise.all(images.map((each) => loadImage(sessionId, each.imageId, each.versionId))),
  revocations: Pick<Revocations, "position" | "stateOf"> = { position: () => 0, stateOf: () => "unknown" },
): AccessCache {
  const cache = new LRUCache<string, Grant>({ max: MAX_ENTRIES });
  const groups = new LRUCache<string, readonly ShownImage[]>({ max: MAX_ENTRIES });
  const keyOf = (sessionId: string, imageId: string, versionId = "") => `${sessionId} ${imageId} ${versionId}`;

  function set(key: string, picture: Promise<AccessibleImage | null>): Grant {
    const grant = { picture, from: now(), position: revocations.position() };
    cache.set(key, grant);
    return grant;
  }

  function granted(key: string): Grant | undefined {
    const grant = cache.get(key);
    const state = grant && stateOf(grant);
    return state === "unchanged" || (state === "unknown" && isYounger(grant, GRANT_MS)) ? grant : undefined;
  }

  const isYounger = (grant: Grant | undefined, ms: number): boolean => grant !== undefined && now() - grant.from < ms;

  function stateOf(grant: Grant): ReturnType<Revocations["stateOf"]> {
    const { rows, accessEndsAt = Infinity } = grant.loaded ?? {};
    if (!rows) return "unknown";
    const isLasting = isYounger(grant, IMAGE_GRANT_MAX_MS) && now() < accessEndsAt - EXPIRY_MARGIN_MS;
    const state = revocations.stateOf(rows, grant.position);
    return state === "unchanged" && !isLasting ? "unknown" : state;
  }

  /** Another server may have rendered the page, so its images are unknown here. */
  const loadUnknown = loadTogether<ShownImage, AccessibleImage>(async (sessionId, images) => {
    const [only] = images;
    if (images.length > 1 || !only) return loadImages(sessionId, images);
    return [await loadImage(sessionId, only.imageId, only.versionId)];
  });

  function request(sessionId: string, imageId: string, versionId?: string): Promise<AccessibleImage | null> {
    const key = keyOf(sessionId, imageId, versionId);
    const group = groups.get(key);
    if (!group) return cacheGrant(key, loadUnknown(sessionId, { imageId, versionId }));
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
      else grant.loaded = picture;
      return picture;
    } catch (error) {
      evict();
      throw error;
    }
  }

  function expect(sessionId: string, images: readonly ShownImage[]): void {
    for (let start = 0; start < images.length; start += LOADED_TOGETHER_MAX) {
      const group = images.slice(start, start + LOADED_TOGETHER_MAX).map(({ imageId, versionId }) => ({ imageId, versionId }));
      for (const { imageId, versionId } of group) groups.set(keyOf(sessionId, imageId, versionId), group);
    }
  }

  function store(sessionId: string, images: readonly LoadedImage[]): void {
    for (const { _id, versionId, contentType, checksum, name, size, width, height, page, rotation } of images) {
      const key = keyOf(sessionId, _id, versionId);
      const image = { contentType, checksum, name, size, width, height, page, rotation };
      const earlier = cache.peek(key);
      // A grant with rows lasts longer than this one.
      const isGranted = earlier?.loaded !== undefined && stateOf(earlier) === "unchanged" && isSameImage(earlier.loaded, image);
      if (!isGranted) set(key, Promise.resolve(image));
    }
  }

  return {
    get: async (sessionId, imageId, versionId) =>
      granted(keyOf(sessionId, imageId, versionId))?.picture ?? request(sessionId, imageId, versionId),
    async getStored(sessionId, imageId, versionId) {
      const key = keyOf(sessionId, imageId, versionId);
      const grant = granted(key);
      if (grant && (isYounger(grant, STORED_MS) || stateOf(grant) === "unchanged")) {
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

const FIELDS = ["contentType", "checksum", "name", "size", "width", "height", "page", "rotation"] as const;

const isSameImage = (one: AccessibleImage, other: AccessibleImage): boolean => FIELDS.every((field) => one[field] === other[field]);
