import type { Sharp } from "sharp";
import { isSideways, nearestWidth, type Rotation, type VariantWidth } from "../display/image-address";
import type { CachedVariant } from "../serve/variant-cache.server";
import { isolatedToPng, isIsolatedType } from "./processes/decode-isolated.server";
import { isWideGamut } from "./metadata/colour-space.server";
import { decoder, svgRenderer, limitLargeDecoding } from "./decoder.server";
import { svgDensity, svgWidth, WEBP_SIDE_MAX } from "./svg-size.server";
import { classifyImage } from "./classify-image.server";
import { isAnimatable, rotateFrames, rotateJpeg } from "./rotate-file.server";
import type { ReducedJpeg } from "./reduced-jpeg.server";
import { stripMetadata } from "./metadata/strip-metadata.server";

export type VariantFormat = "avif" | "webp";

/** Part of the cache key: raise it when the output for a request changes. */
export const VARIANT_VERSION = 3;

/** `width` and `height` are those without `VariantRequest.rotation`. */
export type Original = { bytes: Buffer; contentType: string; width: number; height: number; page?: number | undefined };

/** `rotation` is added to the file's own orientation. `width` is that of the rotated picture. */
export type VariantRequest = { width: VariantWidth | "own"; targetFormat: VariantFormat; still?: boolean; rotation?: Rotation };

/** Creates an upright variant without metadata; enlarges only drawings. Flat art (`classifyImage`) stays lossless, without compression artefacts. */
export async function makeVariant(original: Original, request: VariantRequest, decode: Decode = (job) => job()): Promise<CachedVariant> {
  if (original.contentType === "image/svg+xml") return makeDrawing(original, request, decode);
  return limitLargeDecoding(original.width * original.height * (await framesInMemory(original, request)), async () => {
    const { bytes, contentType, page } = original;
    if (!isIsolatedType(contentType)) return make(original, request);
    return make({ ...original, bytes: await isolatedToPng(bytes, contentType, page) }, request);
  });
}

export function makeFromReduced(
  { data, info, width }: ReducedJpeg & { width: VariantWidth },
  { targetFormat, rotation = 0 }: VariantRequest,
): Promise<CachedVariant> {
  const picture = decoder(data, { raw: info }).rotate(rotation).resize({ width });
  return lossy(picture, targetFormat, outputHeight(rotatedSize(info, rotation), width));
}

async function framesInMemory({ bytes, contentType }: Original, { still = false, rotation = 0 }: VariantRequest): Promise<number> {
  return !still && rotation !== 0 && isAnimatable(contentType) ? ((await decoder(bytes).metadata()).pages ?? 1) : 1;
}

type Decode = <T>(job: () => Promise<T>) => Promise<T>;

async function makeDrawing(
  original: Original,
  { width, targetFormat, rotation = 0 }: VariantRequest,
  decode: Decode,
): Promise<CachedVariant> {
  const shown = rotatedSize(original, rotation);
  const listed = width === "own" ? nearestWidth(shown.width) : width;
  const format = width === "own" ? "webp" : targetFormat;
  const drawn = svgWidth(shown, listed);
  const bytes = await svgRenderer.draw(original.bytes, svgDensity(shown.width, drawn));
  return decode(() => make({ ...original, bytes }, { width: listed, targetFormat: format, rotation }, drawn));
}

function rotatedSize({ width, height }: Pick<Original, "width" | "height">, rotation: Rotation): { width: number; height: number } {
  return isSideways(rotation) ? { width: height, height: width } : { width, height };
}

/** @param drawn the width in pixels of the rotated picture of an SVG, which was drawn to `bytes` */
async function make(
  original: Original,
  { width, targetFormat, still = false, rotation = 0 }: VariantRequest,
  drawn?: number,
): Promise<CachedVariant> {
  const { bytes, contentType } = original;
  if (width === "own") return makeOwn(original, still, rotation);
  const read = await decoder(bytes).metadata();
  const frames = !still && isAnimatable(contentType) ? (read.pages ?? 1) : 1;
  const open = (pages = 1) =>
    decoder(bytes, frames > 1 ? { pages } : {})
      .autoOrient()
      .rotate(rotation)
      .resize({ width: drawn ?? width, withoutEnlargement: drawn === undefined });

  if (frames > 1 && rotation !== 0) return { type: "image/webp", bytes: await rotateFrames(bytes, rotation, "image/webp", width) };
  if (frames > 1) return { type: "image/webp", bytes: await open(-1).webp({ quality: 80, effort: 2, mixed: true }).toBuffer() };

  const wide = isWideGamut(read.icc);
  const finish = (picture: Sharp) => (wide ? asTagged(picture, read.icc) : picture);
  if (contentType !== "image/jpeg") {
    const { data, info } = await open().toColourspace("srgb").raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
    const nature = classifyImage(data, info);
    // Encodes the classified pixels, because decoding a large PNG again doubles the time. With alpha, the pixels would differ.
    const picture = wide || info.channels === 4 ? finish(open()) : decoder(data, { raw: info });
    if (nature === "drawn" || (nature === "mixed" && width > THUMBNAIL_MAX)) return lossless(picture, info.height);
    return lossy(picture, targetFormat, info.height, nature === "mixed" ? CAREFUL : ORDINARY);
  }
  return lossy(finish(open()), targetFormat, outputHeight(rotatedSize(original, rotation), width));
}

/** Keeps or replaces the profile. A conversion would pass through sRGB and lose colours (https://github.com/lovell/sharp/issues/4608). */
function asTagged(picture: Sharp, profile: Buffer | undefined): Sharp {
  return (profile?.length ?? 0) > LARGEST_PROFILE ? picture.withIccProfile("p3") : picture.keepIccProfile();
}

/** In bytes: profiles of cameras and phones have about 500, those of Mac screens 4,000. */
const LARGEST_PROFILE = 16 * 1024;

/** Up to this width, text in a "mixed" picture is illegible, so slight loss reduces the file to a third. */
const THUMBNAIL_MAX = 640;

async function makeOwn(original: Original, still: boolean, rotation: Rotation): Promise<CachedVariant> {
  const { contentType } = original;
  const bytes = (contentType === "image/jpeg" && rotateJpeg(original.bytes, rotation)) || original.bytes;
  const remainingRotation = bytes === original.bytes ? rotation : 0;
  const untouched = still || remainingRotation !== 0 ? null : stripMetadata(bytes, contentType);
  if (untouched) return { type: contentType, bytes: untouched };
  const { icc, autoOrient, pages = 1 } = await decoder(bytes).metadata();
  if (remainingRotation !== 0 && !still && pages > 1)
    return { type: "image/webp", bytes: await rotateFrames(bytes, remainingRotation, "image/webp") };
  const upright = decoder(bytes).autoOrient().rotate(remainingRotation);
  return lossless(isWideGamut(icc) ? asTagged(upright, icc) : upright, Math.max(autoOrient.width, autoOrient.height));
}

async function lossless(picture: Sharp, height: number): Promise<CachedVariant> {
  if (height > WEBP_SIDE_MAX) return { type: "image/png", bytes: await picture.png({ compressionLevel: 6 }).toBuffer() };
  return { type: "image/webp", bytes: await picture.webp({ lossless: true, effort: 2 }).toBuffer() };
}

const ORDINARY = { avif: 60, webp: 82, smartSubsample: false };
const CAREFUL = { avif: 80, webp: 92, smartSubsample: true };

async function lossy(
  picture: Sharp,
  targetFormat: VariantFormat,
  height: number,
  { avif, webp, smartSubsample } = ORDINARY,
): Promise<CachedVariant> {
  // On photographs, effort 0 is within a few percent of 4 in size and 50 times as fast.
  if (targetFormat === "avif") return { type: "image/avif", bytes: await picture.avif({ quality: avif, effort: 0 }).toBuffer() };
  if (height > WEBP_SIDE_MAX) return { type: "image/jpeg", bytes: await picture.jpeg({ quality: webp }).toBuffer() };
  return { type: "image/webp", bytes: await picture.webp({ quality: webp, smartSubsample, effort: 3 }).toBuffer() };
}

function outputHeight({ width: own, height }: { width: number; height: number }, width: number): number {
  return Math.round((height * Math.min(own, width)) / own);
}
