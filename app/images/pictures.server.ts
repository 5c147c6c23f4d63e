import { join } from "node:path";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/accounts/service.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/data/refusals";
import { Unavailable } from "~/http/unavailable.server";
import type { VariantWidth } from "./address";
import { type Cached, type DiskCache, openDiskCache } from "./cache.server";
import { decoding } from "./decoder.server";
import { createGrants, type Granted, type Grants } from "./grants.server";
import { makeVariant, VARIANT_VERSION, type Wanted } from "./variant.server";
import { openWaitingRoom } from "./waiting-room.server";

/** Bytes of variants kept on disk. */
const CACHE_BYTES = 1024 ** 3;
/** How long the deployment may take for an original. */
const FETCH_PATIENCE_MS = 60_000;

export type Pictures = {
  grants: Grants;
  /** Where arriving files lie. */
  newPath: () => string;
  /** The picture for display. Throws `Unavailable`, `BusyError`, and the refusals of `uploads.getFile`. */
  variant(sessionId: string, imageId: string, picture: Granted, width: VariantWidth, wanted: Wanted): Promise<Cached>;
  /** The file as it was uploaded: `fetch`'s own answer, to be passed on. */
  original(sessionId: string, imageId: string, range: string | null, signal: AbortSignal): Promise<Response>;
};

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
  const cache: DiskCache = openDiskCache(join(config.dataDir, "cache", "images"), CACHE_BYTES);
  const getFile = (sessionId: string, imageId: string) => serviceConvex(config).query(api.uploads.getFile, { sessionId, imageId });

  const grants = createGrants(async (sessionId, imageId) => {
    try {
      const { contentType, checksum, name, size, width, height } = await getFile(sessionId, imageId);
      return { contentType, checksum, name, size, width, height };
    } catch (error) {
      const code = refusalOf(error)?.code;
      if (code === "not_found" || code === "unauthenticated") return null;
      throw error;
    }
  });

  async function bytesOf(sessionId: string, imageId: string): Promise<Buffer> {
    const { storageUrl } = await getFile(sessionId, imageId);
    const response = await fromStorage(storageUrl, { signal: AbortSignal.timeout(FETCH_PATIENCE_MS) });
    if (!response.ok) throw new Unavailable(`The storage answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  return {
    grants,
    newPath,
    variant(sessionId, imageId, picture, width, wanted) {
      const { checksum, contentType, width: own, height } = picture;
      // By content: whoever may see a picture may see every copy of it. The original is fetched in the queue, so that no more of them lie in
      // memory than are decoded.
      return cache.get(`${checksum}-${width}-${wanted}-${VARIANT_VERSION}`, () =>
        decoding(async () => makeVariant({ bytes: await bytesOf(sessionId, imageId), contentType, width: own, height }, width, wanted)),
      );
    },
    async original(sessionId, imageId, range, signal) {
      const { storageUrl } = await getFile(sessionId, imageId);
      return fromStorage(storageUrl, { signal, headers: range === null ? {} : { Range: range } });
    },
  };
}

async function fromStorage(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new Unavailable("The storage does not answer", { cause });
  }
}
