import { href } from "react-router";

export type ComparedImage = { imageId: string; versionId?: string | undefined };

export const COMPARE_MODES = ["side", "swipe", "overlay", "difference"] as const;
export type CompareMode = (typeof COMPARE_MODES)[number];

const BETWEEN = "~";

export function compareAddress(
  a: ComparedImage,
  b: ComparedImage | null,
  mode: CompareMode = "side",
  page: string = href("/compare"),
): string {
  const search = new URLSearchParams({ a: formatCompared(a) });
  if (b) search.set("b", formatCompared(b));
  if (mode !== "side") search.set("mode", mode);
  return `${page}?${search}`;
}

export function formatCompared({ imageId, versionId }: ComparedImage): string {
  return versionId === undefined ? imageId : imageId + BETWEEN + versionId;
}

export function parseCompared(text: string | null): ComparedImage | null {
  const [imageId = "", versionId] = (text ?? "").split(BETWEEN);
  if (imageId === "") return null;
  return versionId === undefined ? { imageId } : { imageId, versionId };
}
