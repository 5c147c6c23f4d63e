import { LRUCache } from "lru-cache";
import type { Metadata, OutputInfo } from "sharp";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { isSideways, type VariantWidth } from "../display/image-address";
import { isWideGamut } from "./metadata/colour-space.server";
import { decoder } from "./decoder.server";
import type { VariantRequest } from "./make-variant.server";

/** Upright sRGB pixels of a JPEG, with sides of 1/2 to 1/8. The full decode also returns them, at no extra cost. */
export type ReducedJpeg = { data: Buffer; info: OutputInfo };

const SHRINKS = [8, 4, 2];
const SHORT_SIDE_MIN = 300;
const PIXELS_MAX = 2_000_000;
const CACHE_BYTES = 32 * 2 ** 20;
const CACHE_MS = 60_000;

/** The uploader's page requests thumbnails right after the upload. They then need neither the file nor a second decode. */
const recent = new LRUCache<string, ReducedJpeg>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ data }) => data.length,
  ttl: CACHE_MS,
  ttlAutopurge: true,
});
showSize("reduced_jpegs", () => recent.size);

/** Decodes the whole JPEG. Returns null if a reduction would be too small or too large, or lose colours of a wide gamut. */
export async function reduceJpeg(path: string, { format, icc, autoOrient: { width, height } }: Metadata): Promise<ReducedJpeg | null> {
  if (format !== "jpeg" || isWideGamut(icc)) return null;
  const shrink = SHRINKS.find((each) => Math.min(width, height) / each >= SHORT_SIDE_MIN);
  if (shrink === undefined) return null;
  const side = (length: number) => Math.floor(length / shrink);
  if (side(width) * side(height) > PIXELS_MAX) return null;
  return decoder(path)
    .autoOrient()
    .resize({ width: side(width), height: side(height), fit: "fill" })
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
}

export const cacheReduced = (checksum: string, reduced: ReducedJpeg): void => void recent.set(checksum, reduced);

export function reducedFor(checksum: string, { width, rotation = 0 }: VariantRequest): (ReducedJpeg & { width: VariantWidth }) | null {
  const reduced = recent.get(checksum);
  if (!reduced || width === "own") return null;
  return width <= (isSideways(rotation) ? reduced.info.height : reduced.info.width) ? { ...reduced, width } : null;
}
