import { bytesText } from "~/lib/ui/bytes-text";
import { createHash } from "node:crypto";
import { createReadStream, openAsBlob } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { fileTypeFromBlob } from "file-type";
import type { Metadata, SharpOptions } from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { type AcceptedType, isAcceptedType } from "../display/accepted-types";
import { refusalOfType } from "../display/refused-types";
import { colourSpaceName } from "./metadata/colour-space.server";
import {
  DecodeError,
  type DecodeProblem,
  decodeIsolated,
  heicProfile,
  PDF_PAGES_MAX,
  pixelsToPng,
} from "./processes/decode-isolated.server";
import { decoder, decodeQueue, svgRenderer, svgQueue, MAX_ANIMATION_PIXELS, MAX_PIXELS, limitLargeDecoding } from "./decoder.server";
import { VARIANT_WIDTHS } from "../display/image-address";
import { SvgRenderError } from "./processes/svg-renderer.server";
import { BusyError } from "./work-queue.server";
import { svgDensity, svgWidth } from "./svg-size.server";
import { type Exif, readExif } from "./metadata/exif";
import { reduceJpeg, cacheReduced } from "./reduced-jpeg.server";
import { isWholeGif } from "./gif.server";

export type PictureProperties = {
  contentType: AcceptedType;
  size: number;
  /** Pixels after orientation; for a drawing, its rounded units. */
  width: number;
  height: number;
  checksum: string;
  placeholder: string | null;
  animated: boolean;
  pages?: Pick<PictureProperties, "width" | "height" | "placeholder">[];
  details?: Omit<Exif, "orientation"> & { colourSpace?: string };
};

export type Inspection = { ok: true; properties: PictureProperties } | { ok: false; problem: string };

const SVG_MAX_BYTES = 10_000_000;

/** Inspects a file by content; checks the dimensions before it decodes all. `digest`: SHA-256 in hexadecimal. Throws `BusyError`. */
export async function inspectImage(path: string, userId: string, digest: string | null = null): Promise<Inspection> {
  const { size } = await stat(path);
  if (size === 0) return refuse("The file is empty.");
  const type = await recognise(path);
  if (!isAcceptedType(type)) return refuse(refusalOfType(type));
  if (type === "image/avif" && (await isSequence(path)))
    return refuse("Animated AVIF files are not supported. Export the animation as WebP or GIF.");
  if (type === "image/svg+xml" && size > SVG_MAX_BYTES)
    return refuse(`This SVG is larger than ${bytesText(SVG_MAX_BYTES)}. Simplify the drawing, or export it as a PNG.`);

  let computed: Promise<string> | undefined;
  const file: Arrived = { path, size, checksum: async () => digest ?? (await (computed ??= sha256(path))) };
  if (type === "application/pdf") return decodeQueue(userId, () => inspectDocument(file));
  if (type === "image/svg+xml") return svgQueue(userId, () => inspectDrawing(file, userId));
  return decodeQueue(userId, () => inspectPixels(file, type));
}

type Arrived = { path: string; size: number; checksum: () => Promise<string> };

async function accept({ size, checksum }: Arrived, picture: Omit<PictureProperties, "size" | "checksum">): Promise<Inspection> {
  return { ok: true, properties: { size, checksum: await checksum(), ...picture } };
}

async function inspectPixels(file: Arrived, type: AcceptedType): Promise<Inspection> {
  const { path } = file;
  let read: Metadata;
  try {
    read = await decoder(path, { limitInputPixels: false }).metadata();
  } catch {
    return refuse(BROKEN);
  }
  if (mediaType(read) !== type) return refuse(BROKEN);
  if (type === "image/heic") return inspectHeic(file, read);
  const { width, height } = read.autoOrient;
  const frames = read.format === "gif" || read.format === "webp" ? (read.pages ?? 1) : 1;
  const tooLarge = tooManyPixels(width, height, frames);
  if (tooLarge) return refuse(tooLarge);

  try {
    return await limitLargeDecoding(decodedPixels(read), async () => {
      if (type === "image/gif" && !isWholeGif(await readFile(path))) return refuse(BROKEN);
      if (frames > 1) await decoder(path, { pages: -1 }).resize({ width: 16 }).raw().toBuffer();
      const reduced = await reduceJpeg(path, read);
      const placeholder = await (reduced ? thumbhash(reduced.data, { raw: reduced.info }) : thumbhash(path));
      if (reduced) cacheReduced(await file.checksum(), reduced);
      return accept(file, { contentType: type, width, height, placeholder, animated: frames > 1, details: detailsOf(read) });
    });
  } catch (error) {
    return refuse(error instanceof Error && /timeout/i.test(error.message) ? TOO_SLOW : BROKEN);
  }
}

/** Inspects a HEIC. Returns the decoded picture's dimensions, because the container's orientation applies, not that of EXIF. */
async function inspectHeic(file: Arrived, read: Metadata): Promise<Inspection> {
  const tooLarge = tooManyPixels(read.width, read.height, 1);
  if (tooLarge) return refuse(tooLarge);
  try {
    return await limitLargeDecoding(read.width * read.height, async () => {
      const bytes = await readFile(file.path);
      const [picture] = await decodeIsolated(bytes, "image/heic");
      if (!picture) return refuse(BROKEN);
      const { width, height } = picture;
      const placeholder = await thumbhash(await pixelsToPng(picture, await heicProfile(bytes)));
      return accept(file, { contentType: "image/heic", width, height, placeholder, animated: false, details: detailsOf(read) });
    });
  } catch (error) {
    return refuse(error instanceof DecodeError ? UNDECODABLE[error.problem] : BROKEN);
  }
}

async function inspectDocument(file: Arrived): Promise<Inspection> {
  try {
    const rendered = await decodeIsolated(await readFile(file.path), "application/pdf", { side: THUMBHASH_SIDE });
    const pages: NonNullable<PictureProperties["pages"]> = [];
    for (const page of rendered) pages.push({ ...page.own, placeholder: await thumbhash(await pixelsToPng(page)) });
    const [first] = pages;
    if (!first) return refuse(BROKEN);
    return await accept(file, { contentType: "application/pdf", ...first, animated: false, pages });
  } catch (error) {
    return refuse(error instanceof DecodeError ? UNDECODABLE[error.problem] : BROKEN);
  }
}

/** Returns the pixels that are in memory at once. A JPEG is reduced to an eighth of its sides; a progressive one needs half of all pixels. */
function decodedPixels({ format, isProgressive, autoOrient: { width, height } }: Metadata): number {
  if (format !== "jpeg") return width * height;
  return (width * height) / (isProgressive ? 2 : 64);
}

/** Draws at the largest size ever shown, so that too costly drawings are rejected at upload. */
async function inspectDrawing(file: Arrived, userId: string): Promise<Inspection> {
  const svg = await readFile(file.path);
  try {
    const { width, height, spent } = await svgRenderer.measure(svg);
    const largest = svgWidth({ width, height }, Math.max(...VARIANT_WIDTHS));
    const rendered = await svgRenderer.draw(svg, svgDensity(width, largest), spent);
    const placeholder = await decodeQueue(userId, () => thumbhash(rendered));
    return await accept(file, { contentType: "image/svg+xml", width, height, placeholder, animated: false });
  } catch (error) {
    if (error instanceof BusyError) throw error;
    return refuse(error instanceof SvgRenderError ? UNDRAWABLE[error.problem] : BROKEN);
  }
}

const BROKEN = "The file is damaged or incomplete. Check that it opens on your device, then try again.";
const TOO_SLOW = "The image takes too long to render. Simplify it, or export it as a PNG.";
const UNDRAWABLE = {
  broken: BROKEN,
  time: TOO_SLOW,
  memory: "The image takes too much memory to render. Simplify it, or export it as a PNG.",
};

const UNDECODABLE: Record<DecodeProblem, string> = {
  ...UNDRAWABLE,
  encrypted: "This PDF is encrypted. Save a copy without a password, then upload the copy.",
  pages: `This PDF has more than ${PDF_PAGES_MAX} pages. Split it into smaller files.`,
  large: "The image has too many pixels. Reduce its size.",
};

const refuse = (problem: string): Inspection => ({ ok: false, problem });

async function recognise(path: string): Promise<string> {
  const found = await fileTypeFromBlob(await openAsBlob(path));
  if (found?.mime === "image/heif") return (await isAv1(path)) ? "image/avif" : "image/heic";
  if (found && found.mime !== "application/xml") return found.mime === "image/apng" ? "image/png" : found.mime;
  return (await looksLikeSvg(path)) ? "image/svg+xml" : (found?.mime ?? "");
}

const isAv1 = async (path: string): Promise<boolean> => (await startOf(path)).includes("av1C", 0, "latin1");

/** Returns whether a file is an image sequence (AVIF 1.1, 6.2), of which sharp's libheif cannot read even the first picture. */
const isSequence = async (path: string): Promise<boolean> => (await startOf(path)).toString("latin1", 4, 12) === "ftypavis";

async function looksLikeSvg(path: string): Promise<boolean> {
  const start = decodeText(await startOf(path));
  return /^\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE\s+svg[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*<(?:[a-z]+:)?svg[\s>/]/is.test(start);
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function decodeText(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function mediaType({ format, compression }: Metadata): string {
  if (format === "heif") return compression === "av1" ? "image/avif" : "image/heic";
  return `image/${format}`;
}

function tooManyPixels(width: number, height: number, frames: number): string | null {
  const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  const megapixels = (pixels: number) => `${count.format(pixels / 1_000_000)} megapixels`;
  const dimensions = `${count.format(width)} × ${count.format(height)} pixels`;
  if (width * height > MAX_PIXELS) return `Too large: ${dimensions} (maximum ${megapixels(MAX_PIXELS)}). Reduce its size.`;
  if (width * height * frames > MAX_ANIMATION_PIXELS)
    return `Too large: ${frames} frames of ${dimensions} (maximum ${megapixels(MAX_ANIMATION_PIXELS)} in all frames). Make the animation smaller or shorter.`;
  return null;
}

export async function readDetails(bytes: Buffer, contentType: string): Promise<PictureProperties["details"]> {
  return contentType === "image/svg+xml" ? undefined : detailsOf(await decoder(bytes, { limitInputPixels: false }).metadata());
}

function detailsOf({ exif, icc, space }: Metadata): NonNullable<PictureProperties["details"]> {
  const { orientation: _, ...details } = readExif(exif);
  const colourSpace = colourSpaceName(icc, space);
  return colourSpace === undefined ? details : { ...details, colourSpace };
}

const THUMBHASH_SIDE = 100;

async function thumbhash(input: string | Buffer, options: SharpOptions = {}): Promise<string> {
  const { data, info } = await decoder(input, options)
    .autoOrient()
    .resize({ width: THUMBHASH_SIDE, height: THUMBHASH_SIDE, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString("base64");
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest("hex");
}
