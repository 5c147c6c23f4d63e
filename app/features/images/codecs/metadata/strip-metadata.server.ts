import { readExif } from "./exif";
import { isWholeGif } from "../gif.server";

/** Returns the original pixels without private metadata; null if that needs decoding (AVIF, CMYK, rotated PNG and WebP, malformed). */
export function stripMetadata(bytes: Buffer, contentType: string): Buffer | null {
  switch (contentType) {
    case "image/jpeg":
      return jpeg(bytes);
    case "image/png":
      return png(bytes);
    case "image/webp":
      return webp(bytes);
    case "image/gif":
      return gif(bytes);
    default:
      return null;
  }
}

function jpeg(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [bytes.subarray(0, 2)];
  let orientation = 1;
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) break;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return null;
    const segment = bytes.subarray(at, end);
    const isNamed = (name: string) => segment.toString("latin1", 4, 4 + name.length) === name;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    // Browsers render CMYK inconsistently.
    if (isFrame && segment[9] === 4) return null;
    if (marker === 0xe1 && isNamed("Exif\0\0")) orientation = readExif(segment.subarray(4)).orientation;
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    const isNeeded =
      (marker === 0xe0 && isNamed("JFIF\0") && segment.length === 18) ||
      (marker === 0xe2 && isNamed("ICC_PROFILE\0")) ||
      (marker === 0xee && isNamed("Adobe"));
    if (marker !== 0xfe && (!isApplication || isNeeded)) chunks.push(segment);
    at = end;
    if (marker === 0xda) {
      const scan = at;
      while (at + 1 < bytes.length && !(bytes[at] === 0xff && bytes[at + 1] !== 0 && !isRestart(bytes[at + 1] ?? 0))) at++;
      chunks.push(bytes.subarray(scan, at));
    }
  }
  if (bytes[at] !== 0xff || bytes[at + 1] !== 0xd9) return null;
  chunks.push(bytes.subarray(at, at + 2));
  if (orientation > 1) chunks.splice(1, 0, orientationSegment(orientation));
  return Buffer.concat(chunks);
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

export function orientationSegment(orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a00000008000101120003000000010000000000000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
  return Buffer.concat([head, body]);
}

/** The chunks that rendering a PNG needs (third edition, section 11). Without animation chunks, APNG shows its first frame. */
const PNG_NEEDS = new Set("IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs".split(" "));

function png(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (end > bytes.length) return null;
    if (type === "eXIf" && readExif(bytes.subarray(at + 8, end - 4)).orientation > 1) return null;
    if (PNG_NEEDS.has(type)) chunks.push(bytes.subarray(at, end));
    if (type === "IEND") return Buffer.concat(chunks);
    at = end;
  }
  return null;
}

const WEBP_NEEDS = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ICCP", "ANIM", "ANMF"]);

function webp(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  const fileLength = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  for (let at = 12; at + 8 <= fileLength;) {
    const type = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (at + 8 + size > fileLength) return null;
    if (type === "EXIF" && readExif(bytes.subarray(at + 8, at + 8 + size)).orientation > 1) return null;
    if (WEBP_NEEDS.has(type)) {
      const chunk = Buffer.from(bytes.subarray(at, Math.min(end, fileLength)));
      if (type === "VP8X") chunk[8] = (chunk[8] ?? 0) & ~0x0c;
      chunks.push(chunk);
    }
    at = end;
  }
  if (chunks.length === 0) return null;
  const body = Buffer.concat(chunks);
  const head = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  head.writeUInt32LE(4 + body.length, 4);
  return Buffer.concat([head, body]);
}

function gif(bytes: Buffer): Buffer | null {
  if (!isWholeGif(bytes)) return null;
  const table = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + table(bytes[10] ?? 0);
  const chunks = [bytes.subarray(0, at)];
  while (bytes[at] !== 0x3b) {
    const start = at;
    const isExtension = bytes[at] === 0x21;
    const label = bytes[at + 1];
    const application = bytes.toString("latin1", at + 3, at + 14);
    at += isExtension ? 2 : 10 + table(bytes[at + 9] ?? 0) + 1;
    for (let length = bytes[at++]; length; length = bytes[at++]) at += length;
    const isNeeded = !isExtension || label === 0xf9 || (label === 0xff && /^(NETSCAPE2\.0|ANIMEXTS1\.0)$/.test(application));
    if (isNeeded) chunks.push(bytes.subarray(start, at));
  }
  chunks.push(Buffer.from([0x3b]));
  return Buffer.concat(chunks);
}
