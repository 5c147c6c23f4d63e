import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { fileTypeFromFile } from "file-type";
import type { Metadata } from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { ACCEPTED_NAMES, type AcceptedType, isAcceptedType } from "./accepted";
import { colourSpaceName } from "./colour.server";
import { decoder, decoding, drawer, MAX_ANIMATION_PIXELS, MAX_PIXELS, weighed } from "./decoder.server";
import { VARIANT_WIDTHS } from "./address";
import { DrawingError } from "./drawing.server";
import { drawingDensity, drawnWidth } from "./drawing-size.server";
import { type Exif, readExif } from "./exif";
import { isWholeGif } from "./gif.server";

/** What is known of a picture once it has been looked at: the facts that its row keeps. */
export type PictureFacts = {
  contentType: AcceptedType;
  /** Bytes. */
  size: number;
  /** Pixels as shown, that is with the orientation applied; of a drawing, its own units, rounded. */
  width: number;
  height: number;
  /** SHA-256, hexadecimal. */
  checksum: string;
  /** Thumbhash in base64. */
  placeholder: string | null;
  animated: boolean;
  /** What else the file tells and everyone may know who sees the picture. */
  details?: Omit<Exif, "orientation"> & { colourSpace?: string };
};

export type Inspection = { ok: true; facts: PictureFacts } | { ok: false; problem: string };

/** A drawing is text that is read at once, and none that a person draws comes near. */
const SVG_MAX_BYTES = 10 * 1024 * 1024;

/**
 * Looks at a file that somebody calls a picture. Neither its name nor the type that came with it count. Its dimensions
 * are read and judged before any pixel is decoded; then it is decoded once, whole, so that a file that ends early is
 * found here and not in front of somebody. Answers the facts, or one sentence or two that say what is wrong with it.
 * @param digest its SHA-256 in hexadecimal, where that is known already
 */
export async function inspect(path: string, digest: string | null = null): Promise<Inspection> {
  const { size } = await stat(path);
  if (size === 0) return refuse("The file is empty.");
  const type = await recognise(path);
  if (!isAcceptedType(type)) return refuse(`${described(type)} Choose a ${ACCEPTED_NAMES} file.`);
  if (type === "image/avif" && (await isSequence(path)))
    return refuse("This AVIF is an animation, which cannot be read here. Export it as a WebP or GIF.");
  if (type === "image/svg+xml" && size > SVG_MAX_BYTES)
    return refuse("This SVG is larger than 10 MiB. Simplify the drawing, or export it as a PNG.");

  const file: Arrived = { path, size, checksum: async () => digest ?? (await sha256(path)) };
  return decoding(() => (type === "image/svg+xml" ? inspectDrawing(file) : inspectPixels(file, type)));
}

type Arrived = { path: string; size: number; checksum: () => Promise<string> };

async function inspectPixels({ path, size, checksum }: Arrived, type: AcceptedType): Promise<Inspection> {
  let read: Metadata;
  try {
    read = await decoder(path, { limitInputPixels: false }).metadata();
  } catch {
    return refuse(BROKEN);
  }
  if (mediaType(read) !== type) return refuse(BROKEN);
  const { width, height } = read.autoOrient;
  const frames = read.format === "gif" || read.format === "webp" ? (read.pages ?? 1) : 1;
  const tooLarge = tooManyPixels(width, height, frames);
  if (tooLarge) return refuse(tooLarge);

  try {
    return await weighed(pixelsHeld(read), async () => {
      if (type === "image/gif" && !isWholeGif(await readFile(path))) return refuse(BROKEN);
      // All frames, for nothing but to see that they are there.
      if (frames > 1) await decoder(path, { pages: -1 }).resize({ width: 16 }).raw().toBuffer();
      const placeholder = await thumbhash(path);
      const facts = {
        contentType: type,
        size,
        width,
        height,
        checksum: await checksum(),
        placeholder,
        animated: frames > 1,
        details: detailsOf(read),
      };
      return { ok: true, facts };
    });
  } catch (error) {
    return refuse(error instanceof Error && /timeout/i.test(error.message) ? TOO_SLOW : BROKEN);
  }
}

/**
 * How many pixels are in memory while a picture is made small. A JPEG comes out of its decoder at an eighth of its sides; one that is drawn in
 * several goes (progressive) is held whole, at about half of what the pixels of other formats take.
 */
function pixelsHeld({ format, isProgressive, autoOrient: { width, height } }: Metadata): number {
  if (format !== "jpeg") return width * height;
  return (width * height) / (isProgressive ? 2 : 64);
}

/** Drawn as large as it will ever be shown: what is too much to draw is told now, to who brings it. */
async function inspectDrawing({ path, size, checksum }: Arrived): Promise<Inspection> {
  const svg = await readFile(path);
  try {
    const { width, height } = await drawer.measure(svg);
    const largest = drawnWidth({ width, height }, Math.max(...VARIANT_WIDTHS));
    const placeholder = await thumbhash(await drawer.draw(svg, drawingDensity(width, largest)));
    const facts = { contentType: "image/svg+xml", size, width, height, checksum: await checksum(), placeholder, animated: false } as const;
    return { ok: true, facts };
  } catch (error) {
    return refuse(error instanceof DrawingError ? UNDRAWABLE[error.problem] : BROKEN);
  }
}

const BROKEN = "The file is damaged or cut off: it could not be read to its end. Check that it opens on your machine, then try again.";
const TOO_SLOW = "The picture takes too long to draw. Simplify it, or export it as a PNG.";
const UNDRAWABLE = {
  broken: BROKEN,
  time: TOO_SLOW,
  memory: "The picture takes too much memory to draw. Simplify it, or export it as a PNG.",
};

const refuse = (problem: string): Inspection => ({ ok: false, problem });

/** The media type by the first bytes; "" when nothing is recognised. */
async function recognise(path: string): Promise<string> {
  const found = await fileTypeFromFile(path);
  if (found && found.mime !== "application/xml") return found.mime === "image/apng" ? "image/png" : found.mime;
  return (await looksLikeSvg(path)) ? "image/svg+xml" : (found?.mime ?? "");
}

/** Whether its brand is that of an image sequence (AVIF 1.1, 6.2), of which libheif as it is built into sharp reads not even a first picture. */
const isSequence = async (path: string): Promise<boolean> => (await startOf(path)).toString("latin1", 4, 12) === "ftypavis";

/** Whether the first element is <svg>, after whatever XML allows before it. */
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

/** What a refused file seems to be, said so that its owner knows it again. */
function described(type: string): string {
  const known: Record<string, string> = {
    "image/tiff": "This is a TIFF file.",
    "image/heic": "This is a HEIC photograph.",
    "image/heif": "This is a HEIF photograph.",
    "image/vnd.adobe.photoshop": "This is a Photoshop file.",
    "image/bmp": "This is a BMP file.",
    "image/jxl": "This is a JPEG XL file.",
    "application/pdf": "This is a PDF.",
    "application/zip": "This is a ZIP archive.",
  };
  if (known[type]) return known[type];
  if (type.startsWith("video/")) return "This is a video.";
  return "This is not a picture that can be shown here.";
}

function mediaType({ format, compression }: Metadata): string {
  if (format === "heif") return compression === "av1" ? "image/avif" : "image/heic";
  return `image/${format}`;
}

function tooManyPixels(width: number, height: number, frames: number): string | null {
  const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  const megapixels = (pixels: number) => `${count.format(pixels / 1_000_000)} megapixels`;
  const what = `${count.format(width)} × ${count.format(height)} pixels`;
  if (width * height > MAX_PIXELS) return `The picture has ${what}; it may have ${megapixels(MAX_PIXELS)} at most. Export it smaller.`;
  if (width * height * frames > MAX_ANIMATION_PIXELS)
    return `The animation has ${frames} frames of ${what}; together they may have ${megapixels(MAX_ANIMATION_PIXELS)} at most. Export it smaller or shorter.`;
  return null;
}

/** What a picture's file tells beside its pixels, of one that was looked at before that was kept. Undefined for a drawing, which tells nothing. */
export async function detailsIn(bytes: Buffer, contentType: string): Promise<PictureFacts["details"]> {
  return contentType === "image/svg+xml" ? undefined : detailsOf(await decoder(bytes, { limitInputPixels: false }).metadata());
}

function detailsOf({ exif, icc, space }: Metadata): NonNullable<PictureFacts["details"]> {
  const { orientation: _, ...told } = readExif(exif);
  const colourSpace = colourSpaceName(icc, space);
  return colourSpace === undefined ? told : { ...told, colourSpace };
}

const THUMBHASH_SIDE = 100;

async function thumbhash(input: string | Buffer): Promise<string> {
  const { data, info } = await decoder(input)
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
