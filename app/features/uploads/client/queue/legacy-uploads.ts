import { randomId } from "~/lib/random-id";
import type { QueuedUpload } from "./queued-upload";
import { legacyKey } from "./upload-database";

export function takeLegacyUploads(userId: string): QueuedUpload[] {
  try {
    /* oxlint-disable no-restricted-globals -- errors are caught */
    const read: unknown = JSON.parse(localStorage.getItem(legacyKey(userId)) ?? "[]");
    localStorage.removeItem(legacyKey(userId));
    /* oxlint-enable no-restricted-globals */
    if (!Array.isArray(read)) return [];
    const blank = { userId, tab: "", type: "", batch: null, paused: false, isStored: false, handle: null };
    return read.filter(isLegacy).map((legacy, index) => ({ ...blank, ...legacy, id: randomId(), index }));
  } catch {
    return [];
  }
}

type Legacy = Pick<QueuedUpload, "designId" | "designName" | "name" | "size" | "modified" | "at"> & { url: string };

function isLegacy(value: unknown): value is Legacy {
  if (typeof value !== "object" || value === null) return false;
  const { url, designId, designName, name, size, modified, at } = value as Record<keyof Legacy, unknown>;
  const texts = [url, designId, designName, name].every((each) => typeof each === "string");
  return texts && [size, modified, at].every((each) => typeof each === "number") && /^\/uploads\/[\w-]+$/.test(String(url));
}
