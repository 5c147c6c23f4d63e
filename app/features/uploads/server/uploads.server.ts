import { join } from "node:path";
import { LRUCache } from "lru-cache";
import type { AppConfig } from "~/config";
import { backgroundWork } from "~/lib/http/background-work.server";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { createConcurrencyLimit, type ConcurrencyLimit } from "~/lib/http/concurrency-limit.server";
import { openPartialUploads, type PartialUploads } from "./partial-uploads/partial-uploads.server";

export type UploadsInProgress = {
  partialUploads: PartialUploads;
  concurrencyLimit: ConcurrencyLimit;
  storageUrls: LRUCache<string, string>;
};

/** Simultaneous upload requests per user: enough for three browsers, which send four each. */
const AT_ONCE = 12;
/** The deployment accepts an address for an hour. */
const STORAGE_URL_MS = 50 * 60_000;
const STORAGE_URLS_MAX = 10_000;

export function uploadsFor(config: AppConfig): UploadsInProgress {
  const existing = opened.get(config);
  if (existing) return existing;
  const uploads = {
    partialUploads: openPartialUploads(join(config.dataDir, "parts"), { begin: backgroundWork(config) }),
    concurrencyLimit: createConcurrencyLimit(AT_ONCE),
    storageUrls: new LRUCache<string, string>({ max: STORAGE_URLS_MAX, ttl: STORAGE_URL_MS }),
  };
  opened.set(config, uploads);
  showSize("partial_uploads", () => uploads.partialUploads.counts().uploads);
  showSize("storage_addresses", () => uploads.storageUrls.size);
  showSize("uploading_users", () => uploads.concurrencyLimit.users());
  showSize("upload_outcomes", () => uploads.partialUploads.counts().outcomes);
  return uploads;
}

const opened = new WeakMap<AppConfig, UploadsInProgress>();
