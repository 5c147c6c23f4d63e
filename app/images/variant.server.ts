import type { Sharp } from "sharp";
import type { VariantWidth } from "./address";
import type { Cached } from "./cache.server";
import { isWideGamut } from "./colour.server";
import { decoder, drawingDensity, MAX_PIXELS } from "./decoder.server";

/** What the browser takes beside WebP, which all take. */
export type Wanted = "avif" | "webp";

/** Part of every cached variant's name: raise it when the same question gets another answer. */
export const VARIANT_VERSION = 1;

export type Original = { bytes: Buffer; contentType: string; width: number; height: number };

/**
 * Makes a picture ready for display: at most `width` pixels wide, upright, its colours in sRGB or Display P3, and nothing of its metadata
 * (place, camera, author) in it. Never larger than it is, except for drawings, which have no size of their own.
 *
 * Photographs become AVIF or WebP. Screens and flat art are kept without loss, since in them every smear around a letter is seen; they are
 * known by their runs of equal pixels. Animations stay animated.
 */
export async function makeVariant(original: Original, width: VariantWidth, wanted: Wanted): Promise<Cached> {
  const { bytes, contentType } = original;
  const drawn = contentType === "image/svg+xml" ? drawnWidth(original, width) : undefined;
  const density = drawn && drawingDensity(original.width, drawn);
  const read = await decoder(bytes, density === undefined ? {} : { density }).metadata();
  const frames = contentType === "image/gif" || contentType === "image/webp" ? (read.pages ?? 1) : 1;
  const open = (pages = 1) =>
    decoder(bytes, { ...(density !== undefined && { density }), ...(frames > 1 && { pages }) })
      .autoOrient()
      .resize({ width: drawn ?? width, withoutEnlargement: drawn === undefined });

  if (frames > 1) return { type: "image/webp", bytes: await open(-1).webp({ quality: 80, effort: 2, mixed: true }).toBuffer() };

  const wide = isWideGamut(read.icc);
  const finish = (picture: Sharp) => (wide ? picture.withIccProfile("p3") : picture);
  // A JPEG's own noise leaves no two pixels alike, so there is no need to look.
  if (contentType !== "image/jpeg") {
    const { data, info } = await open().toColourspace("srgb").raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
    if (isFlat(data, info)) return lossless(finish(open()), info.height);
  }
  return lossy(finish(open()), wanted, outputHeight(original, width));
}

/** WebP knows no side longer than this. */
const WEBP_SIDE_MAX = 16_383;

async function lossless(picture: Sharp, height: number): Promise<Cached> {
  if (height > WEBP_SIDE_MAX) return { type: "image/png", bytes: await picture.png({ compressionLevel: 6 }).toBuffer() };
  return { type: "image/webp", bytes: await picture.webp({ lossless: true, effort: 2 }).toBuffer() };
}

async function lossy(picture: Sharp, wanted: Wanted, height: number): Promise<Cached> {
  // Effort 0 is as small as 4 within a few percent on photographs, and 50 times as fast.
  if (wanted === "avif") return { type: "image/avif", bytes: await picture.avif({ quality: 60, effort: 0 }).toBuffer() };
  if (height > WEBP_SIDE_MAX) return { type: "image/jpeg", bytes: await picture.jpeg({ quality: 82 }).toBuffer() };
  return { type: "image/webp", bytes: await picture.webp({ quality: 82, effort: 3 }).toBuffer() };
}

/** From here on a picture counts as flat: screens have 0.85 and more, photographs 0.05 to 0.35. */
const FLAT_SHARE = 0.55;

/** Whether most pixels are exactly like their neighbour on the left. */
function isFlat(pixels: Buffer, { width, height, channels }: { width: number; height: number; channels: number }): boolean {
  let alike = 0;
  for (let y = 0; y < height; y++) {
    const row = y * width * channels;
    for (let at = row + channels; at < row + width * channels; at += channels) {
      let channel = 0;
      while (channel < channels && pixels[at + channel] === pixels[at + channel - channels]) channel++;
      if (channel === channels) alike++;
    }
  }
  return alike >= FLAT_SHARE * height * Math.max(1, width - 1);
}

function outputHeight({ width: own, height }: Original, width: number): number {
  return Math.round((height * Math.min(own, width)) / own);
}

/** How wide a drawing is drawn: as wide as is asked for, as long as its height stays within what a WebP and a decoder take. */
function drawnWidth({ width: own, height }: Original, width: number): number {
  const tallest = Math.min(WEBP_SIDE_MAX, MAX_PIXELS / width);
  return Math.max(1, Math.round(Math.min(width, (tallest * own) / height)));
}
