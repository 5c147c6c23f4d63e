import { isSideways, type Rotation } from "./image-address";

/** Renders a thumbhash (at most 7 × 7 waves) in 500 characters, not 5 KB; null if transparent. Deterministic, as hydration requires. */
export function placeholderUrl(thumbhash: string | null, rotation: Rotation = 0): string | null {
  if (thumbhash === null) return null;
  const key = rotation === 0 ? thumbhash : `${thumbhash} ${rotation}`;
  const cached = drawnPlaceholders.get(key);
  if (cached !== undefined) return cached;
  const hash = decodeBase64(thumbhash);
  const url = hash === null ? null : draw(hash, rotation);
  if (drawnPlaceholders.size >= MAX_ENTRIES) drawnPlaceholders.clear();
  drawnPlaceholders.set(key, url);
  return url;
}

const MAX_ENTRIES = 2_000;
export const drawnPlaceholders = new Map<string, string | null>();

const SIDE = 12;
const MAX_WAVES = 7;

function draw(hash: Uint8Array, rotation: Rotation): string | null {
  const at = (index: number) => hash[index] ?? 0;
  const header24 = at(0) | (at(1) << 8) | (at(2) << 16);
  const header16 = at(3) | (at(4) << 8);
  const seeThrough = header24 >> 23 === 1;
  if (hash.length < 5 || seeThrough) return null;

  const isLandscape = header16 >> 15 === 1;
  const shorter = header16 & 7;
  const [columns, rows] = isLandscape ? [7, shorter] : [shorter, 7];
  const width = Math.max(1, Math.round(isLandscape ? SIDE : (SIDE * columns) / rows));
  const height = Math.max(1, Math.round(isLandscape ? (SIDE * rows) / columns : SIDE));

  let read = 0;
  const nibble = () => (at(5 + (read >> 1)) >> ((read++ & 1) << 2)) & 15;
  const channel = (base: number, scale: number, nx: number, ny: number) => {
    const waves: { x: number; y: number; amount: number }[] = [];
    for (let y = 0; y < ny; y++)
      for (let x = y > 0 ? 0 : 1; x * ny < nx * (ny - y); x++) waves.push({ x, y, amount: (nibble() / 7.5 - 1) * scale * 2 });
    return (px: number, py: number) => {
      let sum = base;
      for (const { amount, x, y } of waves) sum += amount * cosine(width, px, x) * cosine(height, py, y);
      return sum;
    };
  };
  // Channels: lightness, yellow-blue and red-green; 1.25 compensates for coarse quantisation.
  const lightness = channel((header24 & 63) / 63, ((header24 >> 18) & 31) / 31, Math.max(3, columns), Math.max(3, rows));
  const yellowBlue = channel(((header24 >> 6) & 63) / 31.5 - 1, (((header16 >> 3) & 63) / 63) * 1.25, 3, 3);
  const redGreen = channel(((header24 >> 12) & 63) / 31.5 - 1, (((header16 >> 9) & 63) / 63) * 1.25, 3, 3);

  const [columnsDrawn, rowsDrawn] = isSideways(rotation) ? [height, width] : [width, height];
  const pixels: number[] = [];
  for (let row = 0; row < rowsDrawn; row++) {
    pixels.push(0); // PNG filter type: none
    for (let column = 0; column < columnsDrawn; column++) {
      const x = rotation === 90 ? row : rotation === 180 ? width - 1 - column : rotation === 270 ? width - 1 - row : column;
      const y = rotation === 90 ? height - 1 - column : rotation === 180 ? height - 1 - row : rotation === 270 ? column : row;
      const l = lightness(x, y);
      const p = yellowBlue(x, y);
      const q = redGreen(x, y);
      const blue = l - (2 / 3) * p;
      const red = (3 * l - blue + q) / 2;
      for (const part of [red, red - q, blue]) pixels.push(Math.round(255 * Math.min(1, Math.max(0, part))));
    }
  }
  return pngUrl(columnsDrawn, rowsDrawn, pixels);
}

/** Returns the cosine at pixel `at` of a row of `pixels`. Uses a table, because a gallery draws a hundred pictures at a time. */
const cosine = (pixels: number, at: number, wave: number) => COSINES[(pixels * SIDE + at) * MAX_WAVES + wave] ?? 0;

const COSINES = Float64Array.from({ length: (SIDE + 1) * SIDE * MAX_WAVES }, (_, index) => {
  const wave = index % MAX_WAVES;
  const cell = Math.floor(index / MAX_WAVES);
  return Math.cos((Math.PI / Math.floor(cell / SIDE)) * ((cell % SIDE) + 0.5) * wave);
});

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Encodes RGB as an uncompressed PNG; a deflater would cost more than it saves. */
function pngUrl(width: number, height: number, rows: number[]): string {
  const size = rows.length;
  const zlib = [0x78, 0x01, 0x01, size & 255, size >> 8, ~size & 255, (~size >> 8) & 255, ...rows, ...uint32(adler32(rows))];
  const bytes = [
    ...SIGNATURE,
    ...chunk("IHDR", [...uint32(width), ...uint32(height), 8, 2, 0, 0, 0]),
    ...chunk("IDAT", zlib),
    ...chunk("IEND", []),
  ];
  return `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`;
}

function chunk(name: string, data: number[]): number[] {
  const body = [...Array.from(name, (letter) => letter.charCodeAt(0)), ...data];
  return [...uint32(data.length), ...body, ...uint32(crc32(body))];
}

const uint32 = (value: number) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

function adler32(bytes: number[]): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

function crc32(bytes: number[]): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_OF_BYTE[(crc ^ byte) & 255] ?? 0);
  return ~crc >>> 0;
}

const CRC_OF_BYTE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
