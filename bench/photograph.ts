import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { picturePath } from "../tests/fixtures/pictures.ts";

const WIDTH = 4000;
const HEIGHT = 3000;
/** Standard deviation of the grain of a phone's sensor in dim light, in steps of 255. */
const GRAIN = 9;
const TILE = 512;

export async function grainyPhotograph(bytes: number): Promise<Buffer> {
  const raw = { width: WIDTH, height: HEIGHT, channels: 3 } as const;
  const pixels = await sharp(picturePath("dandelions")).resize(WIDTH, HEIGHT).removeAlpha().raw().toBuffer();
  const grain = Float32Array.from({ length: TILE * TILE }, gaussian);
  const start = randomBytes(3).readUIntBE(0, 3);
  for (let at = 0; at < pixels.length; at++) {
    const grainAt = (start + at + Math.floor(at / 7919) * 31) % grain.length;
    pixels[at] = Math.max(0, Math.min(255, (pixels[at] ?? 0) + GRAIN * (grain[grainAt] ?? 0)));
  }
  for (let quality = 85; quality < 100; quality++) {
    const photograph = await sharp(pixels, { raw }).jpeg({ quality }).toBuffer();
    if (photograph.length >= bytes) return photograph;
  }
  throw new Error(`No quality gives ${bytes} bytes.`);
}

const gaussian = (): number => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

export function withComment(photograph: Buffer, text: string): Buffer<ArrayBuffer> {
  const comment = Buffer.from(`picture ${text}`);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, comment.length + 2]);
  return Buffer.concat([head, comment, photograph.subarray(2)]);
}
