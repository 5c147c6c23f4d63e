import { join } from "node:path";
import { api } from "#convex/_generated/api";
import { RELEASED_TOLD_FOR } from "#convex/rules";
import { serviceConvex } from "~/accounts/service.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/data/refusals";
import { Unavailable } from "~/http/unavailable.server";
import { type Cached, type DiskCache, openDiskCache } from "./cache.server";
import { decoding } from "./decoder.server";
import { createGrants, type Granted, type Grants } from "./grants.server";
import { type Asked, makeVariant, VARIANT_VERSION } from "./variant.server";
import { openWaitingRoom } from "./waiting-room.server";

/** Bytes of variants kept on disk. */
const CACHE_BYTES = 1024 ** 3;
/** How long the deployment may take for an original. */
const FETCH_PATIENCE_MS = 60_000;

export type Pictures = {
  grants: Grants;
  /** Removes the copies for display of a file that is no more, by its checksum. */
  forget(checksum: string): Promise<void>;
  /** Where arriving files lie. */
  newPath: () => string;
  /** The picture for display. Throws `Unavailable`, `BusyError`, and the refusals of `uploads.getFile`. */
  variant(of: Of, picture: Granted, asked: Asked): Promise<Cached>;
  /** The file as it was uploaded: `fetch`'s own answer, to be passed on. */
  original(of: Of, range: string | null, signal: AbortSignal): Promise<Response>;
};

/** Who asks, and for which picture: an image's current one, or one of its versions. */
export type Of = { sessionId: string; imageId: string; versionId?: string | undefined };

/** All that concerns pictures and outlives a request; made when the app starts (which clears what a killed one left), once per config. */
export function picturesFor(config: AppConfig): Pictures {
  const known = opened.get(config);
  if (known) return known;
  const pictures = open(config);
  opened.set(config, pictures);
  return pictures;
}

const opened = new WeakMap<AppConfig, Pictures>();

function open(config: AppConfig): Pictures {
  const { newPath } = openWaitingRoom(join(config.dataDir, "uploads"));
  const cache: DiskCache = openDiskCache(join(config.dataDir, "cache", "images"), CACHE_BYTES, RELEASED_TOLD_FOR);
  const getFile = ({ sessionId, imageId, versionId }: Of) =>
    serviceConvex(config).query(api.uploads.getFile, { sessionId, imageId, ...(versionId !== undefined && { versionId }) });

  const grants = createGrants(async (sessionId, imageId, versionId) => {
    try {
      const { contentType, checksum, name, size, width, height } = await getFile({ sessionId, imageId, versionId });
      return { contentType, checksum, name, size, width, height };
    } catch (error) {
      const code = refusalOf(error)?.code;
      if (code === "not_found" || code === "unauthenticated") return null;
      throw error;
    }
  });

  async function bytesOf(of: Of): Promise<Buffer> {
    const { storageUrl } = await getFile(of);
    const response = await fromStorage(storageUrl, { signal: AbortSignal.timeout(FETCH_PATIENCE_MS) });
    if (!response.ok) throw new Unavailable(`The storage answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  return {
    grants,
    newPath,
    forget: (checksum) => cache.forget(`${checksum}-`),
    variant(of, picture, asked) {
      const { checksum, contentType, width, height } = picture;
      // By content: whoever may see a picture may see every copy of it. The original is fetched in the queue, so that no more of them lie in
      // memory than are decoded.
      return cache.get(variantKey(checksum, asked), () =>
        decoding(async () => makeVariant({ bytes: await bytesOf(of), contentType, width, height }, asked)),
      );
    },
    async original(of, range, signal) {
      const { storageUrl } = await getFile(of);
      return fromStorage(storageUrl, { signal, headers: range === null ? {} : { Range: range } });
    },
  };
}

/** Names what is answered: by content, so that it is also the variant's ETag. */
export function variantKey(checksum: string, { width, wanted, still = false }: Asked): string {
  return `${checksum}-${width}${still ? "-still" : ""}-${wanted}-${VARIANT_VERSION}`;
}

/** Reads a stored file. Throws `Unavailable`. */
export async function fromStorage(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new Unavailable("The storage does not answer", { cause });
  }
}
