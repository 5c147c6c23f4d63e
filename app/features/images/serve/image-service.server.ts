import { join } from "node:path";
import type { FunctionReturnType } from "convex/server";
import { api } from "#convex/_generated/api";
import { RELEASED_RETENTION_MS } from "#convex/model/rules";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { AppConfig } from "~/config";
import { backgroundWork } from "~/lib/http/background-work.server";
import { refusalOf } from "~/lib/data/error-responses";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { fromStorage } from "~/lib/http/files/from-storage.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { type CachedVariant, type VariantCache, openVariantCache } from "./variant-cache.server";
import { decodeQueue, svgQueue } from "../codecs/decoder.server";
import { createAccessCache, type AccessibleImage, type AccessCache, type ShownImage } from "./access-cache.server";
import { type VariantRequest, makeFromReduced, makeVariant, VARIANT_VERSION } from "../codecs/make-variant.server";
import { reducedFor } from "../codecs/reduced-jpeg.server";
import { canRotateFile, rotateFile } from "../codecs/rotate-file.server";
import { isSideways, type Rotation, ROTATIONS } from "../display/image-address";
import { createRecentOriginals } from "./recent-originals.server";
import { loadTogether } from "./load-together";
import { followRevocations, type Revocations } from "./revocations.server";
import { openTempFiles } from "../codecs/temp-files.server";

const CACHE_BYTES = 1024 ** 3;
const FETCH_TIMEOUT_MS = 60_000;

export type ImageService = {
  accessCache: AccessCache;
  copies: Pick<VariantCache, "evict" | "groups">;
  followRevocations(): { close(): Promise<void> };
  newPath: () => string;
  /** Throws `Unavailable`, `BusyError`, errors of `uploads.getFile`, and `ReplacedError` if the image's file is not that of `picture`. */
  variant(of: ImageReference, picture: AccessibleImage, request: VariantRequest): Promise<CachedVariant>;
  /** Returns the current file with type and ETag. Rotates `isRotatedFile` types by `turn` (default: the image's). Throws like `variant`. */
  file(of: ImageReference, signal: AbortSignal, turn?: Rotation): Promise<Response>;
  /** Throws "not_found" without the right to download. */
  expectDownload(of: ImageReference): Promise<void>;
  /** Returns the storage's response for the file with this checksum. Throws like `variant`. */
  original(of: Omit<ImageReference, "userId">, checksum: string, range: string | null, signal: AbortSignal): Promise<Response>;
};

export type ImageReference = { userId: string; sessionId: string; imageId: string; versionId?: string | undefined };

export const sessionOfLink = ({ linkId, lock }: LinkReference): string => `${LINK_SESSION}${lock} ${linkId}`;

type LinkReference = { linkId: string; lock: number };

/** Prefixes with a space, which no session id contains, so the keys cannot collide. */
const LINK_SESSION = "link ";
const TOKEN_SESSION = "token ";

export const sessionOfToken = (tokenHash: string): string => TOKEN_SESSION + tokenHash;

const isLinkOrToken = (sessionId: string): boolean => sessionId.startsWith(LINK_SESSION) || sessionId.startsWith(TOKEN_SESSION);

function linkIn(sessionId: string): LinkReference | null {
  if (!sessionId.startsWith(LINK_SESSION)) return null;
  const [lock, linkId = ""] = sessionId.slice(LINK_SESSION.length).split(" ");
  return { linkId, lock: Number(lock) };
}

export function imageServiceFor(config: AppConfig): ImageService {
  const existing = opened.get(config);
  if (existing) return existing;
  const pictures = open(config);
  opened.set(config, pictures);
  return pictures;
}

const opened = new WeakMap<AppConfig, ImageService>();

function open(config: AppConfig): ImageService {
  const { newPath } = openTempFiles(join(config.dataDir, "uploads"));
  const cache: VariantCache = openVariantCache(
    join(config.dataDir, "cache", "images"),
    CACHE_BYTES,
    RELEASED_RETENTION_MS,
    backgroundWork(config),
  );
  function getFile({ sessionId, imageId, versionId }: Omit<ImageReference, "userId">, original = false) {
    const file = { imageId, ...(versionId !== undefined && { versionId }), ...(original && { original }) };
    const link = linkIn(sessionId);
    if (link) return serviceConvex(config).query(api.links.getFile, { ...link, ...file });
    if (sessionId.startsWith(TOKEN_SESSION))
      return serviceConvex(config).query(api.httpApi.getFile, { tokenHash: sessionId.slice(TOKEN_SESSION.length), ...file });
    return serviceConvex(config).query(api.uploads.getFile, { sessionId, ...file });
  }

  let revocations: Revocations | null = null;
  const loadFile = (sessionId: string, imageId: string, versionId?: string) =>
    getFile({ sessionId, imageId, versionId }).catch(withoutAccess(null));
  const accessCache = createAccessCache(
    loadFile,
    () => Date.now(),
    async (sessionId, images) => {
      if (isLinkOrToken(sessionId)) return Promise.all(images.map((each) => loadFile(sessionId, each.imageId, each.versionId)));
      const shown = images.map(({ imageId, versionId }) => ({ imageId, versionId }));
      return serviceConvex(config).query(api.uploads.getFiles, { sessionId, images: shown }).catch(withoutAccess([]));
    },
    {
      position: () => revocations?.position() ?? 0,
      stateOf: (rows, position) => revocations?.stateOf(rows, position) ?? "unknown",
    },
  );

  /** Archives open several files at once. Null for a file without the right to download. */
  const loadOriginal = loadTogether(async (sessionId, images: readonly ShownImage[]) => {
    const [only] = images;
    if (only && (images.length === 1 || isLinkOrToken(sessionId)))
      return Promise.all(images.map((image) => getFile({ sessionId, ...image }, true).catch(withoutAccess(null))));
    const shown = images.map(({ imageId, versionId }) => ({ imageId, ...(versionId !== undefined && { versionId }) }));
    return serviceConvex(config).query(api.uploads.getFiles, { sessionId, images: shown, original: true });
  });

  showSize("cached_pictures", () => cache.count());
  const originals = createRecentOriginals();
  showSize("recent_originals", () => originals.size());
  showSize("picture_grants", () => accessCache.size());

  async function download(storageUrl: string, ...signals: AbortSignal[]): Promise<Buffer> {
    const signal = AbortSignal.any([...signals, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    const response = await fromStorage(config, storageUrl, { signal });
    if (!response.ok) throw new Unavailable(`The storage answered ${response.status}`);
    try {
      return Buffer.from(await response.arrayBuffer());
    } catch (cause) {
      throw new Unavailable("The storage closed the connection", { cause });
    }
  }

  /** Returns the file with this checksum, because the file in the access cache can be outdated. Throws `ReplacedError`. */
  async function grantedFile(of: Omit<ImageReference, "userId">, checksum: string, original = false): Promise<StoredFile> {
    const granted = original ? undefined : await accessCache.getStored(of.sessionId, of.imageId, of.versionId);
    if (granted?.storageUrl !== undefined && granted.checksum === checksum) return { ...granted, storageUrl: granted.storageUrl };
    const file = await getFile(of, original);
    if (file.checksum === checksum) return file;
    accessCache.store(of.sessionId, [{ ...file, _id: of.imageId, versionId: of.versionId }]);
    throw new ReplacedError(file);
  }

  async function variant(of: ImageReference, picture: AccessibleImage, request: VariantRequest): Promise<CachedVariant> {
    const { userId } = of;
    const { checksum, contentType, page } = picture;
    const { width, height } = uprightSize(picture);
    let isOwn = false;
    const make = async () => {
      isOwn = true;
      const { storageUrl } = await grantedFile(of, checksum);
      const reduced = reducedFor(checksum, request);
      if (reduced) return makeFromReduced(reduced, request);
      const bytes = await originals.get(checksum, () => download(storageUrl));
      return makeVariant({ bytes, contentType, width, height, page }, request, (job) => decodeQueue(userId, job));
    };
    const queue = contentType === "image/svg+xml" ? svgQueue : decodeQueue;
    try {
      return await cache.get(variantKey(picture, request), () => queue(userId, make));
    } catch (error) {
      // Images with the same content share variants: an error of another image's request need not apply to this one.
      if (isOwn || !(error instanceof ReplacedError || refusalOf(error))) throw error;
      return variant(of, picture, request);
    }
  }

  function rotated(userId: string, file: StoredFile, rotation: Rotation, signal: AbortSignal): Promise<CachedVariant> {
    const { checksum, contentType, storageUrl } = file;
    const make = (...signals: AbortSignal[]) =>
      decodeQueue(userId, async () => rotateFile(await download(storageUrl, ...signals), contentType, rotation));
    // A JPEG is rotated without encoding. Other results are cached for all requests, so creating one ignores this request's signal.
    if (contentType === "image/jpeg") return make(signal);
    return cache.get(`${checksum}-file-turn${rotation}-${VARIANT_VERSION}`, () => make());
  }

  return {
    accessCache,
    newPath,
    copies: cache,
    followRevocations() {
      revocations = followRevocations(config);
      return revocations;
    },
    variant,
    async expectDownload(of) {
      await getFile(of, true);
    },
    async file(of, signal, turn) {
      // Loads type, rotation and content of one file, because `of` may be outdated. `getFile` reports why there is no file.
      const file = (await loadOriginal(of.sessionId, { imageId: of.imageId, versionId: of.versionId })) ?? (await getFile(of, true));
      const rotation = turn ?? file.rotation;
      if (!isRotatedFile(file.contentType, rotation)) {
        const stored = await fromStorage(config, file.storageUrl, { signal });
        return new Response(stored.body, {
          status: stored.status,
          headers: { "Content-Type": file.contentType, ETag: `"${file.checksum}"` },
        });
      }
      const { type, bytes } = await rotated(of.userId, file, rotation, signal);
      return new Response(streamOf(bytes), {
        headers: { "Content-Type": type, "Content-Length": String(bytes.length), ETag: rotatedETag(file.checksum, rotation) },
      });
    },
    async original(of, checksum, range, signal) {
      const { storageUrl } = await grantedFile(of, checksum, true);
      return fromStorage(config, storageUrl, { signal, headers: range === null ? {} : { Range: range } });
    },
  };
}

const withoutAccess =
  <Result>(result: Result) =>
  (error: unknown): Result => {
    const code = refusalOf(error)?.code;
    if (code === "not_found" || code === "unauthenticated") return result;
    throw error;
  };

export class ReplacedError extends Error {
  override name = "ReplacedError";
  readonly file: AccessibleImage;

  constructor(file: AccessibleImage) {
    super("The image's file was replaced.");
    this.file = file;
  }
}

type StoredFile = Pick<FunctionReturnType<typeof api.uploads.getFile>, "checksum" | "contentType" | "storageUrl">;

export const isRotatedFile = (contentType: string, rotation: unknown): rotation is Rotation =>
  canRotateFile(contentType) && ROTATIONS.some((each) => each !== 0 && each === rotation);

export const rotatedETag = (checksum: string, rotation: Rotation): string => `"${checksum}-turn${rotation}"`;

const streamOf = (bytes: Buffer): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

function uprightSize({ width, height, rotation = 0 }: AccessibleImage): { width: number; height: number } {
  return isSideways(rotation) ? { width: height, height: width } : { width, height };
}

export function variantKey(
  { checksum, page }: Pick<AccessibleImage, "checksum" | "page">,
  { width, targetFormat, still = false, rotation = 0 }: VariantRequest,
): string {
  const turn = rotation === 0 ? "" : `turn${rotation}-`;
  return `${checksum}-${page === undefined ? "" : `page${page}-`}${turn}${width}${still ? "-still" : ""}-${targetFormat}-${VARIANT_VERSION}`;
}
