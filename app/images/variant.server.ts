import type { Sharp } from "sharp";
import { nearestWidth, type VariantWidth } from "./address";
import type { Cached } from "./cache.server";
import { isWideGamut } from "./colour.server";
import { decoder, drawer, weighed } from "./decoder.server";
import { drawingDensity, drawnWidth, WEBP_SIDE_MAX } from "./drawing-size.server";
import { natureOf } from "./flatness.server";
import { pristine } from "./pristine.server";

/** What the browser takes beside WebP, which all take. */
export type Wanted = "avif" | "webp";

/** Part of every cached variant's name: raise it when the same question gets another answer. */
export const VARIANT_VERSION = 3;

export type Original = { bytes: Buffer; contentType: string; width: number; height: number };

/** What is asked for: so many pixels wide, or with its own pixels; moving pictures as such, or `still`, by their first. */
export type Asked = { width: VariantWidth | "own"; wanted: Wanted; still?: boolean };

/**
 * Makes a picture ready for display: at most `width` pixels wide, upright, its colours in sRGB, or as they are where sRGB has not all of them, and
 * nothing of its metadata (place, camera, author) in it. Never larger than it is, except for drawings, which have no size of their own.
 *
 * Photographs become AVIF or WebP. Screens and flat art are kept without loss, since in them every smear around a letter is seen; they are
 * known by what they look like (`natureOf`). Animations stay animated. `own` gives every pixel as it was uploaded.
 */
export async function makeVariant(original: Original, asked: Asked): Promise<Cached> {
  if (original.contentType === "image/svg+xml") return make(original, asked);
  return weighed(original.width * original.height, () => make(original, asked));
}

async function make(original: Original, { width, wanted, still = false }: Asked): Promise<Cached> {
  const { contentType } = original;
  if (width === "own") return makeOwn(original, still);
  const drawn = contentType === "image/svg+xml" ? drawnWidth(original, width) : undefined;
  const bytes = drawn === undefined ? original.bytes : await drawer.draw(original.bytes, drawingDensity(original.width, drawn));
  const read = await decoder(bytes).metadata();
  const frames = !still && (contentType === "image/gif" || contentType === "image/webp") ? (read.pages ?? 1) : 1;
  const open = (pages = 1) =>
    decoder(bytes, frames > 1 ? { pages } : {})
      .autoOrient()
      .resize({ width: drawn ?? width, withoutEnlargement: drawn === undefined });

  if (frames > 1) return { type: "image/webp", bytes: await open(-1).webp({ quality: 80, effort: 2, mixed: true }).toBuffer() };

  const wide = isWideGamut(read.icc);
  const finish = (picture: Sharp) => (wide ? asTagged(picture, read.icc) : picture);
  // A JPEG's own noise leaves no two pixels alike, so there is no need to look.
  if (contentType !== "image/jpeg") {
    const { data, info } = await open().toColourspace("srgb").raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
    const nature = natureOf(data, info);
    if (nature === "drawn" || (nature === "mixed" && width > THUMBNAIL_MAX)) return lossless(finish(open()), info.height);
    if (nature === "mixed") return lossy(finish(open()), wanted, info.height, CAREFUL);
  }
  return lossy(finish(open()), wanted, outputHeight(original, width));
}

/**
 * Keeps a picture's colours under its own profile. Any other, also a wide one, would be reached by way of sRGB, in which its brightest colours are lost
 * (https://github.com/lovell/sharp/issues/4608): only what would weigh more than a thumbnail goes that way.
 */
function asTagged(picture: Sharp, profile: Buffer | undefined): Sharp {
  return (profile?.length ?? 0) > LARGEST_PROFILE ? picture.withIccProfile("p3") : picture.keepIccProfile();
}

/** Bytes: those of cameras and phones have about 500, those of Macs' screens 4,000. */
const LARGEST_PROFILE = 16 * 1024;

/** Up to here a page with pictures on it is a thumbnail, whose text nobody reads: it may lose a little, and is a third as large. */
const THUMBNAIL_MAX = 640;

/** Every pixel as it was uploaded: the file's own, where it can be had without decoding it; else decoded, and kept without loss. */
async function makeOwn(original: Original, still: boolean): Promise<Cached> {
  const { bytes, contentType, width } = original;
  // A drawing's own units are no pixels: the next listed width will do.
  if (contentType === "image/svg+xml") return make(original, { width: nearestWidth(width), wanted: "webp" });
  const untouched = still ? null : pristine(bytes, contentType);
  if (untouched) return { type: contentType, bytes: untouched };
  const { icc, autoOrient } = await decoder(bytes).metadata();
  const upright = decoder(bytes).autoOrient();
  return lossless(isWideGamut(icc) ? asTagged(upright, icc) : upright, Math.max(autoOrient.width, autoOrient.height));
}

async function lossless(picture: Sharp, height: number): Promise<Cached> {
  if (height > WEBP_SIDE_MAX) return { type: "image/png", bytes: await picture.png({ compressionLevel: 6 }).toBuffer() };
  return { type: "image/webp", bytes: await picture.webp({ lossless: true, effort: 2 }).toBuffer() };
}

/** For photographs, and for what has letters in it as well: WebP halves the resolution of colours, which these must not suffer from. */
const ORDINARY = { avif: 60, webp: 82, smartSubsample: false };
const CAREFUL = { avif: 80, webp: 92, smartSubsample: true };

async function lossy(picture: Sharp, wanted: Wanted, height: number, { avif, webp, smartSubsample } = ORDINARY): Promise<Cached> {
  // Effort 0 is as small as 4 within a few percent on photographs, and 50 times as fast.
  if (wanted === "avif") return { type: "image/avif", bytes: await picture.avif({ quality: avif, effort: 0 }).toBuffer() };
  if (height > WEBP_SIDE_MAX) return { type: "image/jpeg", bytes: await picture.jpeg({ quality: webp }).toBuffer() };
  return { type: "image/webp", bytes: await picture.webp({ quality: webp, smartSubsample, effort: 3 }).toBuffer() };
}

function outputHeight({ width: own, height }: Original, width: number): number {
  return Math.round((height * Math.min(own, width)) / own);
}
