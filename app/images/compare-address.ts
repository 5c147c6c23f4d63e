import { href } from "react-router";

/** An image, in its current version or another one. */
export type Compared = { imageId: string; versionId?: string | undefined };

export const COMPARE_MODES = ["side", "swipe", "overlay", "difference"] as const;
export type CompareMode = (typeof COMPARE_MODES)[number];

/** Ids are letters and digits, so this stands between two of them without doubt. */
const BETWEEN = "~";

/** The address at which two pictures stand side by side, or whichever way. */
export function compareAddress(a: Compared, b: Compared | null, mode: CompareMode = "side"): string {
  const search = new URLSearchParams({ a: written(a) });
  if (b) search.set("b", written(b));
  if (mode !== "side") search.set("mode", mode);
  return `${href("/compare")}?${search}`;
}

/** As it stands in an address, and as the value of a choice. */
export function written({ imageId, versionId }: Compared): string {
  return versionId === undefined ? imageId : imageId + BETWEEN + versionId;
}

/** What `written` has written; null for nothing. */
export function read(text: string | null): Compared | null {
  const [imageId = "", versionId] = (text ?? "").split(BETWEEN);
  if (imageId === "") return null;
  return versionId === undefined ? { imageId } : { imageId, versionId };
}
