import sharp from "sharp";
import { rgbaToThumbHash, thumbHashToRGBA } from "thumbhash";
import { describe, expect, it, vi } from "vitest";
import { drawnPlaceholders, placeholderUrl } from "./placeholder";

function hashOf(width: number, height: number, alpha = 255): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = Math.max(0, 1 - Math.hypot(x / width, y / height));
      rgba.set([40 + 210 * light, 60 + 90 * light, 120 - 60 * light, alpha], (y * width + x) * 4);
    }
  return rgbaToThumbHash(width, height, rgba);
}

const base64 = (hash: Uint8Array) => Buffer.from(hash).toString("base64");

describe("placeholderUrl", () => {
  it.each([90, 180, 270] as const)("rotates the placeholder by %i°", async (rotation) => {
    const hash = base64(hashOf(90, 60));
    const drawn = (turn: 0 | typeof rotation) => sharp(Buffer.from(placeholderUrl(hash, turn)?.split(",")[1] ?? "", "base64"));
    const expected = await drawn(0).rotate(rotation).raw().toBuffer({ resolveWithObject: true });
    const { data, info } = await drawn(rotation).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([expected.info.width, expected.info.height]);
    expect(data.equals(expected.data)).toBe(true);
  });

  it.each([
    [90, 60],
    [60, 90],
    [80, 80],
    [100, 20],
  ])("draws %i × %i as the thumbhash package does, in a tenth of its bytes", async (width, height) => {
    const hash = hashOf(width, height);
    const url = placeholderUrl(base64(hash));
    expect(url?.length).toBeLessThan(720);
    const small = sharp(Buffer.from(url?.split(",")[1] ?? "", "base64"));
    const { width: w, height: h } = await small.metadata();
    const reference = thumbHashToRGBA(hash);
    const expected = await sharp(Buffer.from(reference.rgba), {
      raw: { width: reference.w, height: reference.h, channels: 4 },
    })
      .removeAlpha()
      .resize(w, h, { kernel: "linear" })
      .raw()
      .toBuffer();
    const pixels = await small.raw().toBuffer();
    expect(pixels.length).toBe(expected.length);
    const furthest = Math.max(...pixels.map((value, index) => Math.abs(value - (expected[index] ?? 0))));
    expect(furthest).toBeLessThan(24);
  });

  it("computes no cosine per picture", () => {
    const hash = base64(hashOf(70, 50));
    drawnPlaceholders.clear();
    const cos = vi.spyOn(Math, "cos");
    expect(placeholderUrl(hash)).not.toBeNull();
    expect(cos).not.toHaveBeenCalled();
    cos.mockRestore();
  });

  it("returns null for transparent, missing and broken hashes", () => {
    expect(placeholderUrl(base64(hashOf(60, 60, 120)))).toBeNull();
    expect(placeholderUrl(null)).toBeNull();
    expect(placeholderUrl("%%%")).toBeNull();
    expect(placeholderUrl("AA==")).toBeNull();
  });
});
