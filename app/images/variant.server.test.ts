import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { animatedGif, hostileSvg, pictureBytes, type PictureName, pictures, sidewaysPhotograph } from "../../tests/fixtures/pictures";
import { isWideGamut } from "./colour.server";
import { makeVariant, type Original, type Wanted } from "./variant.server";

async function original(name: PictureName): Promise<Original> {
  const { file, width, height } = pictures[name];
  const types: Record<string, string> = { jpg: "image/jpeg", png: "image/png", webp: "image/webp", avif: "image/avif" };
  return { bytes: await pictureBytes(name), contentType: types[file.split(".").at(-1) ?? ""] ?? "", width, height };
}

/** The mean difference of two pictures' channels, 0 to 255, both brought to the first one's proportions at `width`. */
async function difference(a: Buffer, b: Buffer, width: number): Promise<number> {
  const { autoOrient } = await sharp(a).metadata();
  const height = Math.round((autoOrient.height * width) / autoOrient.width);
  const pixels = (bytes: Buffer) =>
    sharp(bytes).autoOrient().resize(width, height, { fit: "fill" }).toColourspace("srgb").removeAlpha().raw().toBuffer();
  const [left, right] = await Promise.all([pixels(a), pixels(b)]);
  expect(left.length).toBe(right.length);
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += Math.abs((left[at] ?? 0) - (right[at] ?? 0));
  return sum / left.length;
}

describe("photographs", () => {
  it.each<[Wanted, string]>([
    ["avif", "heif"],
    ["webp", "webp"],
  ])("become %s of the asked width that looks the same", async (wanted, format) => {
    const source = await original("fig");
    const { type, bytes } = await makeVariant(source, 640, wanted);
    const { format: written, width, height, exif, icc, xmp } = await sharp(bytes).metadata();
    expect({ type, written, width, height }).toEqual({ type: `image/${wanted}`, written: format, width: 640, height: 433 });
    expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined]);
    expect(await difference(source.bytes, bytes, 320)).toBeLessThan(5);
    expect(bytes.length).toBeLessThan(80_000);
  });

  it("are never enlarged", async () => {
    const { bytes } = await makeVariant(await original("dogs"), 3840, "webp");
    expect((await sharp(bytes).metadata()).width).toBe(1065);
  });

  it("stand upright and tell nothing of where they were taken", async () => {
    const { buffer } = await sidewaysPhotograph();
    expect((await sharp(buffer).metadata()).exif?.includes("Lumen")).toBe(true);
    for (const wanted of ["avif", "webp"] as const) {
      const { bytes } = await makeVariant({ bytes: buffer, contentType: "image/jpeg", width: 400, height: 600 }, 320, wanted);
      const { width, height, orientation, exif } = await sharp(bytes).metadata();
      expect([width, height, orientation ?? 1, exif]).toEqual([320, 480, 1, undefined]);
      expect(bytes.includes("Lumen")).toBe(false);
      expect(await difference(buffer, bytes, 160)).toBeLessThan(4);
    }
  });

  it("keep wide colours in Display P3, and become sRGB otherwise", async () => {
    const red = sharp({
      create: { width: 64, height: 64, channels: 3, background: { r: 255, g: 0, b: 0 }, noise: { type: "gaussian", mean: 128, sigma: 30 } },
    });
    const p3 = await red.clone().withIccProfile("p3").jpeg().toBuffer();
    const { bytes } = await makeVariant({ bytes: p3, contentType: "image/jpeg", width: 64, height: 64 }, 160, "webp");
    expect(isWideGamut((await sharp(bytes).metadata()).icc)).toBe(true);
    expect(await difference(p3, bytes, 64)).toBeLessThan(6);
    const srgb = await red.clone().withIccProfile("srgb").jpeg().toBuffer();
    const plain = await makeVariant({ bytes: srgb, contentType: "image/jpeg", width: 64, height: 64 }, 160, "webp");
    expect((await sharp(plain.bytes).metadata()).icc).toBeUndefined();
  });
});

describe("screens and flat art", () => {
  it.each<PictureName>(["bank", "habits", "bakery", "stripes"])("%s is kept to the pixel at its own size", async (name) => {
    const source = await original(name);
    const { type, bytes } = await makeVariant(source, 1920, "avif");
    expect(type).toBe("image/webp");
    expect(await difference(source.bytes, bytes, source.width)).toBe(0);
  });

  it("are without loss when made smaller, too", async () => {
    const source = await original("bank");
    const { type, bytes } = await makeVariant(source, 640, "avif");
    expect(type).toBe("image/webp");
    expect(await difference(await sharp(source.bytes).resize(640).png().toBuffer(), bytes, 640)).toBe(0);
  });

  it("a PNG that is a photograph is treated as one", async () => {
    const bytes = await sharp(await pictureBytes("path"))
      .resize(700)
      .png()
      .toBuffer();
    expect((await makeVariant({ bytes, contentType: "image/png", width: 700, height: 525 }, 640, "avif")).type).toBe("image/avif");
  });

  it("stay see-through", async () => {
    const bytes = await sharp({ create: { width: 100, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer();
    const variant = await makeVariant({ bytes, contentType: "image/png", width: 100, height: 50 }, 160, "avif");
    const { data } = await sharp(variant.bytes).raw().toBuffer({ resolveWithObject: true });
    expect(data[3]).toBe(0);
  });

  it("a very tall one comes as a format that can be as tall", async () => {
    const bytes = await sharp({ create: { width: 400, height: 20_000, channels: 3, background: "#468" } })
      .png()
      .toBuffer();
    const { type, bytes: tall } = await makeVariant({ bytes, contentType: "image/png", width: 400, height: 20_000 }, 480, "webp");
    expect([type, (await sharp(tall).metadata()).height]).toEqual(["image/png", 20_000]);
  });
});

describe("drawings", () => {
  const { buffer } = hostileSvg();
  const drawing: Original = { bytes: buffer, contentType: "image/svg+xml", width: 600, height: 400 };

  it.each([160, 1920] as const)("are drawn anew, %i pixels wide, and come as pixels only", async (width) => {
    const { type, bytes } = await makeVariant(drawing, width, "avif");
    const meta = await sharp(bytes).metadata();
    expect([type, meta.format, meta.width]).toEqual(["image/webp", "webp", width]);
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number) =>
      [...data.subarray((Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels)].slice(0, 3);
    expect(at(0.5, 0.5)).toEqual([255, 255, 255]);
    expect(at(0.9, 0.9)).toEqual([0, 187, 102]);
  });

  it("read no file beside them", async () => {
    const fixtures = new URL("../../tests/fixtures/photographs/", import.meta.url).pathname;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="#fff"/><image href="file://${fixtures}fig.jpg" width="100" height="100"/><image href="${fixtures}fig.jpg" width="100" height="100"/><image href="fig.jpg" width="100" height="100"/></svg>`;
    const { bytes } = await makeVariant({ bytes: Buffer.from(text), contentType: "image/svg+xml", width: 100, height: 100 }, 160, "webp");
    expect((await sharp(bytes).stats()).channels[0]?.min).toBe(255);
  });

  it("of a thousand times their height stay within what may be decoded", async () => {
    const text = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10000"><rect width="10" height="10000" fill="#456"/></svg>';
    const { bytes } = await makeVariant({ bytes: Buffer.from(text), contentType: "image/svg+xml", width: 10, height: 10_000 }, 160, "webp");
    expect((await sharp(bytes).metadata()).width).toBeGreaterThan(0);
  });
});

it("animations stay animated, in their own time", async () => {
  const { buffer } = await animatedGif();
  const { type, bytes } = await makeVariant({ bytes: buffer, contentType: "image/gif", width: 240, height: 160 }, 160, "avif");
  const { pages, delay, width, pageHeight } = await sharp(bytes, { pages: -1 }).metadata();
  expect({ type, pages, delay, width, pageHeight }).toEqual({
    type: "image/webp",
    pages: 3,
    delay: [100, 100, 100],
    width: 160,
    pageHeight: 107,
  });
});
