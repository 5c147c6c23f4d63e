import type { CachedVariant } from "../serve/variant-cache.server";
import type { Rotation } from "../display/image-address";
import { isolatedToPng } from "./processes/decode-isolated.server";
import { decoder, limitLargeDecoding } from "./decoder.server";
import { readExif, withOrientation } from "./metadata/exif";
import { orientationSegment } from "./metadata/strip-metadata.server";

export const canRotateFile = (contentType: string): boolean => contentType !== "image/svg+xml" && contentType !== "application/pdf";

/** Returns a file with its picture turned: by its orientation where the format has one, otherwise by its pixels. */
export async function rotateFile(bytes: Buffer, contentType: string, rotation: Rotation): Promise<CachedVariant> {
  const marked = contentType === "image/jpeg" ? rotateJpeg(bytes, rotation) : isHeif(contentType) ? rotateHeif(bytes, rotation) : null;
  if (marked) return { type: contentType, bytes: marked };
  const { width, height, depth, isPalette, ...read } = await decoder(bytes, { limitInputPixels: false }).metadata();
  const frames = isAnimatable(contentType) ? (read.pages ?? 1) : 1;
  return limitLargeDecoding(width * height * frames, async () => {
    if (frames > 1) return { type: contentType, bytes: await rotateFrames(bytes, rotation, contentType) };
    const source = contentType === "image/heic" ? await isolatedToPng(bytes, contentType) : bytes;
    const turned = decoder(source).autoOrient().rotate(rotation).keepMetadata();
    switch (contentType) {
      case "image/png":
        if (depth === "ushort") turned.toColourspace("rgb16");
        return { type: contentType, bytes: await turned.png({ palette: isPalette }).toBuffer() };
      case "image/webp":
        return { type: contentType, bytes: await turned.webp({ lossless: true, effort: 2 }).toBuffer() };
      case "image/gif":
        return { type: contentType, bytes: await turned.gif({ effort: 1 }).toBuffer() };
      case "image/avif":
        return { type: contentType, bytes: await turned.avif({ quality: 90, effort: 1, chromaSubsampling: "4:4:4" }).toBuffer() };
      default:
        return { type: "image/jpeg", bytes: await turned.jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer() };
    }
  });
}

export const isAnimatable = (contentType: string): boolean => contentType === "image/gif" || contentType === "image/webp";

const isHeif = (contentType: string) => contentType === "image/heic" || contentType === "image/avif";

/** EXIF orientations, each a quarter clockwise from the one before; the second row is mirrored. */
const QUARTERS = [
  [1, 6, 3, 8],
  [2, 7, 4, 5],
];

function turnedOrientation(orientation: number, rotation: Rotation): number {
  const row = QUARTERS.find((each) => each.includes(orientation)) ?? [];
  return row[(row.indexOf(orientation) + rotation / 90) % 4] ?? 1;
}

const SEGMENT_MAX = 65_533;

/** Returns a JPEG with another orientation and the same pixels. Null if its EXIF is too short for the tag, or damaged. */
export function rotateJpeg(bytes: Buffer, rotation: Rotation): Buffer | null {
  if (rotation === 0) return bytes;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xda || marker === 0xd9) break;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return null;
    if (marker === 0xe1 && bytes.toString("latin1", at + 4, at + 10) === "Exif\0\0") {
      const exif = bytes.subarray(at + 4, end);
      const turned = withOrientation(exif, turnedOrientation(readExif(exif).orientation, rotation));
      if (!turned || turned.length > SEGMENT_MAX) return null;
      const head = Buffer.from([0xff, 0xe1, 0, 0]);
      head.writeUInt16BE(turned.length + 2, 2);
      return Buffer.concat([bytes.subarray(0, at), head, turned, bytes.subarray(end)]);
    }
    at = end;
  }
  return Buffer.concat([bytes.subarray(0, 2), orientationSegment(turnedOrientation(1, rotation)), bytes.subarray(2)]);
}

const HEADER = 64 * 1024;

/** Changes the `irot` boxes (ISO/IEC 23008-12, 6.5.10). Returns null without an `irot` box, or if `imir` also mirrors the picture. */
function rotateHeif(bytes: Buffer, rotation: Rotation): Buffer | null {
  const copy = Buffer.from(bytes);
  const header = copy.subarray(0, HEADER);
  if (header.includes("imir", 0, "latin1")) return null;
  let hasRotation = false;
  for (let at = header.indexOf("irot", 4, "latin1"); at !== -1; at = header.indexOf("irot", at + 4, "latin1")) {
    if (header.readUInt32BE(at - 4) !== 9 || at + 5 > header.length) continue;
    header[at + 4] = ((header[at + 4] ?? 0) + 4 - rotation / 90) & 3;
    hasRotation = true;
  }
  return hasRotation ? copy : null;
}

/** Rotates an animation frame by frame; call it in `limitLargeDecoding` for all pixels. `width` is the result's, never enlarged. */
export async function rotateFrames(bytes: Buffer, rotation: Rotation, contentType: string, width?: number): Promise<Buffer> {
  const sideways = width === undefined ? {} : rotation % 180 === 0 ? { width } : { height: width };
  const { data, info } = await decoder(bytes, { pages: -1 })
    .resize({ ...sideways, withoutEnlargement: true })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { pages = 1, delay, loop } = await decoder(bytes, { pages: -1 }).metadata();
  const shape = { width: info.width, height: info.height / pages, channels: 4 } as const;
  for (let frame = 0; frame < pages; frame++) {
    const length = shape.width * shape.height * shape.channels;
    const pixels = data.subarray(frame * length, (frame + 1) * length);
    // In place, since all frames of a large animation take 400 MB.
    pixels.set(await decoder(pixels, { raw: shape }).rotate(rotation).raw().toBuffer());
  }
  const [turnedWidth, turnedHeight] = rotation % 180 === 0 ? [shape.width, shape.height] : [shape.height, shape.width];
  const joined = decoder(data, {
    raw: { width: turnedWidth, height: turnedHeight * pages, channels: 4, pageHeight: turnedHeight },
  });
  const timing = { ...(delay && { delay }), ...(loop !== undefined && { loop }) };
  if (contentType === "image/gif") return joined.gif({ ...timing, effort: 1 }).toBuffer();
  return joined.webp({ ...timing, effort: 2, ...(width === undefined ? { lossless: true } : { quality: 80, mixed: true }) }).toBuffer();
}
