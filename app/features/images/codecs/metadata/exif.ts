import { cutText } from "#convex/model/cutText";

/** Camera data that may be shown. The location is private: only its presence is returned. */
export type Exif = {
  orientation: number;
  camera?: string;
  lens?: string;
  /** In seconds. `focalLength` is in mm, not converted to 35 mm equivalent. */
  exposureTime?: number;
  aperture?: number;
  iso?: number;
  focalLength?: number;
  hasPlace: boolean;
};

/** Tags of EXIF 3.0, tables 4 to 9. */
const TAG = {
  make: 0x010f,
  model: 0x0110,
  orientation: 0x0112,
  exposureTime: 0x829a,
  aperture: 0x829d,
  exifFolder: 0x8769,
  placeFolder: 0x8825,
  iso: 0x8827,
  focalLength: 0x920a,
  lens: 0xa434,
} as const;

const BYTES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1 };

const MOST_ENTRIES = 512;
const LONGEST_TEXT = 100;

/** Reads EXIF, a TIFF with or without "Exif\0\0" before it. Omits invalid values; other data reads as empty. */
export function readExif(bytes: Buffer | undefined): Exif {
  const NO_METADATA: Exif = { orientation: 1, hasPlace: false };
  if (!bytes) return NO_METADATA;
  const tiff = bytes.toString("latin1", 0, 6) === "Exif\0\0" ? bytes.subarray(6) : bytes;
  const order = tiff.toString("latin1", 0, 2);
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return NO_METADATA;
  const read = reader(tiff, order === "II");
  const main = folder(tiff, read, read.u32(4));
  const shot = folder(tiff, read, main.number(TAG.exifFolder));
  const orientation = main.number(TAG.orientation) ?? 1;
  const exif: Exif = {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    hasPlace: folder(tiff, read, main.number(TAG.placeFolder)).size > 0,
  };
  const camera = cameraOf(main.text(TAG.make), main.text(TAG.model));
  const lens = shot.text(TAG.lens);
  if (camera) exif.camera = camera;
  if (lens) exif.lens = lens;
  for (const name of ["exposureTime", "aperture", "iso", "focalLength"] as const) {
    const value = shot.number(TAG[name]);
    if (value !== undefined && value > 0 && value < 1e7) exif[name] = value;
  }
  return exif;
}

/** Returns a copy of the EXIF with another orientation, whose entry is added if it is missing. Null for other data. */
export function withOrientation(exif: Buffer, orientation: number): Buffer | null {
  const start = exif.toString("latin1", 0, 6) === "Exif\0\0" ? 6 : 0;
  const copy = Buffer.from(exif);
  const tiff = copy.subarray(start);
  const order = tiff.toString("latin1", 0, 2);
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return null;
  const isLittle = order === "II";
  const read = reader(tiff, isLittle);
  const main = read.u32(4) ?? 0;
  const count = read.u16(main) ?? 0;
  const end = main + 2 + 12 * count;
  if (main < 8 || count === 0 || end + 4 > tiff.length) return null;
  const entries = Array.from({ length: count }, (_, each) => tiff.subarray(main + 2 + 12 * each, main + 14 + 12 * each));
  const entry = Buffer.alloc(12);
  const write = (value: number, bytes: 2 | 4, target: Buffer, at: number) =>
    isLittle ? target.writeUIntLE(value, at, bytes) : target.writeUIntBE(value, at, bytes);
  write(TAG.orientation, 2, entry, 0);
  write(3, 2, entry, 2);
  write(1, 4, entry, 4);
  write(orientation, 2, entry, 8);
  const tagAt = (each: Buffer) => (isLittle ? each.readUInt16LE(0) : each.readUInt16BE(0));
  const existing = entries.find((each) => tagAt(each) === TAG.orientation);
  if (existing) {
    entry.copy(existing);
    return copy;
  }
  // The directory moves to the end, as its entries must be in order and adjacent (TIFF 6.0, section 2).
  const padding = Buffer.alloc(tiff.length % 2);
  const head = Buffer.alloc(2);
  write(count + 1, 2, head, 0);
  write(tiff.length + padding.length, 4, tiff, 4);
  const later = entries.findIndex((each) => tagAt(each) > TAG.orientation);
  const ordered = later === -1 ? [...entries, entry] : entries.toSpliced(later, 0, entry);
  return Buffer.concat([copy, padding, head, ...ordered, tiff.subarray(end, end + 4)]);
}

type Reader = ReturnType<typeof reader>;

function reader(tiff: Buffer, little: boolean) {
  const inside = (at: number, length: number) => at >= 0 && at + length <= tiff.length;
  return {
    u16: (at: number) => (inside(at, 2) ? (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)) : undefined),
    u32: (at: number) => (inside(at, 4) ? (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)) : undefined),
  };
}

/** Reads an image file directory (TIFF 6.0, section 2) with its first values. */
function folder(tiff: Buffer, { u16, u32 }: Reader, start: number | undefined) {
  const entries = new Map<number, { type: number; count: number; at: number }>();
  const count = start === undefined ? 0 : Math.min(u16(start) ?? 0, MOST_ENTRIES);
  for (let each = 0; each < count; each++) {
    const entry = (start ?? 0) + 2 + 12 * each;
    const [tag, type, values] = [u16(entry), u16(entry + 2), u32(entry + 4)];
    if (tag === undefined || type === undefined || values === undefined) break;
    const length = (BYTES[type] ?? 0) * values;
    // Values of up to four bytes are stored in the entry itself.
    const at = length <= 4 ? entry + 8 : u32(entry + 8);
    if (length > 0 && at !== undefined && at + length <= tiff.length) entries.set(tag, { type, count: values, at });
  }
  return {
    size: entries.size,
    number(tag: number): number | undefined {
      const entry = entries.get(tag);
      if (entry?.type === 3) return u16(entry.at);
      if (entry?.type === 4) return u32(entry.at);
      if (entry?.type !== 5) return undefined;
      const [above, below] = [u32(entry.at), u32(entry.at + 4)];
      return above === undefined || !below ? undefined : above / below;
    },
    text(tag: number): string | undefined {
      const entry = entries.get(tag);
      if (entry?.type !== 2) return undefined;
      const raw = tiff.toString("utf8", entry.at, entry.at + Math.min(entry.count, 4 * LONGEST_TEXT));
      return plainText(raw.split("\0", 1)[0] ?? "");
    },
  };
}

function plainText(text: string): string | undefined {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\uFFFD\u2028\u2029]+/gu, " ")
    .trim();
  return line === "" ? undefined : cutText(line, LONGEST_TEXT).trimEnd();
}

function cameraOf(make: string | undefined, model: string | undefined): string | undefined {
  if (!make || !model) return model ?? make;
  const first = make.split(" ", 1)[0] ?? make;
  return model.toLowerCase().startsWith(first.toLowerCase()) ? model : cutText(`${make} ${model}`, LONGEST_TEXT).trimEnd();
}
