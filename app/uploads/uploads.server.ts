import { join } from "node:path";
import type { AppConfig } from "~/config";
import { createPlaces, type Places } from "./places.server";
import { openParts, type Parts } from "./parts.server";

/** All that concerns uploads and outlives a request. */
export type UploadsInProgress = {
  parts: Parts;
  /** Requests that bring bytes, each of which holds a place while it lasts. */
  places: Places;
};

/** Requests of one person that bring bytes at the same time: a browser sends four, and a second one of theirs may do so too. */
const AT_ONCE = 12;

/** Opened when the app starts (which removes what cannot be gone on with, and what has expired), once per config. */
export function uploadsFor(config: AppConfig): UploadsInProgress {
  const known = opened.get(config);
  if (known) return known;
  const uploads = { parts: openParts(join(config.dataDir, "parts")), places: createPlaces(AT_ONCE) };
  opened.set(config, uploads);
  return uploads;
}

const opened = new WeakMap<AppConfig, UploadsInProgress>();
