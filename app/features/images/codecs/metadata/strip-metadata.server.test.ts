import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { animatedGif, pictureBytes, type PictureName, sidewaysPhotograph } from "../../../../../tests/fixtures/pictures";
import { stripMetadata } from "./strip-metadata.server";

const pixels = async (bytes: Buffer, pages = 1) => {
  const { data, info } = await sharp(bytes, { pages }).autoOrient().raw().toBuffer({ resolveWithObject: true });
  return { data: data.toString("base64"), width: info.width, height: info.height };
};

const PRIVATE = {
  IFD0: { Make: "Lumen", Copyright: "Not for everybody" },
  IFD3: { GPSLatitudeRef: "N", GPSLatitude: "42/1 51/1 1234/100" },
};

describe("stripMetadata", () => {
  it.each<[PictureName, string]>([
    ["fig", "image/jpeg"],
    ["dogs", "image/jpeg"],
    ["bank", "image/png"],
    ["stripes", "image/png"],
    ["clock", "image/webp"],
  ])("of %s stay as they are, bit for bit", async (name, contentType) => {
    const bytes = await pictureBytes(name);
    const own = stripMetadata(bytes, contentType);
    expect(own).not.toBeNull();
    expect(await pixels(own ?? bytes)).toEqual(await pixels(bytes));
    expect(own?.length).toBeLessThanOrEqual(bytes.length);
  });

  it.each(["jpeg", "png", "webp"] as const)("removes other metadata of a %s and keeps its colours", async (format) => {
    const bytes = await sharp(await pictureBytes("dogs"))
      .resize(300)
      .withIccProfile("p3")
      .withExifMerge(PRIVATE)
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><who>Ada</who></x:xmpmeta>')
      .toFormat(format)
      .toBuffer();
    expect(bytes.includes("Lumen")).toBe(true);
    const own = stripMetadata(Buffer.concat([bytes, Buffer.from("hidden behind the end")]), `image/${format}`);
    if (!own) throw new Error("It could not be had.");
    expect(await pixels(own)).toEqual(await pixels(bytes));
    const { exif, xmp, icc } = await sharp(own).metadata();
    expect([exif, xmp]).toEqual([undefined, undefined]);
    expect(icc).toEqual((await sharp(bytes).metadata()).icc);
    for (const secret of ["Lumen", "Not for everybody", "Ada", "hidden"]) expect(own.includes(secret), secret).toBe(false);
  });

  it("keeps a rotated photograph upright and removes its location", async () => {
    const { buffer } = await sidewaysPhotograph();
    const own = stripMetadata(buffer, "image/jpeg");
    if (!own) throw new Error("It could not be had.");
    expect((await sharp(own).metadata()).orientation).toBe(6);
    expect(await pixels(own)).toEqual(await pixels(buffer));
    expect(own.includes("Lumen")).toBe(false);
  });

  it("reads all scans of a progressive JPEG", async () => {
    const bytes = await sharp(await pictureBytes("fig"))
      .resize(400)
      .withExifMerge(PRIVATE)
      .jpeg({ progressive: true })
      .toBuffer();
    const own = stripMetadata(bytes, "image/jpeg");
    expect(own && (await pixels(own))).toEqual(await pixels(bytes));
  });

  it("keeps an animation and its timing", async () => {
    const { buffer } = await animatedGif();
    const comment = Buffer.from("21fe054c756d656e00", "hex");
    const withComment = Buffer.concat([buffer.subarray(0, -1), comment, buffer.subarray(-1)]);
    const own = stripMetadata(withComment, "image/gif");
    if (!own) throw new Error("It could not be had.");
    expect(own.includes("Lumen")).toBe(false);
    const { pages, delay, loop } = await sharp(own, { pages: -1 }).metadata();
    expect({ pages, delay, loop }).toEqual({ pages: 3, delay: [100, 100, 100], loop: 0 });
    expect(await pixels(own, -1)).toEqual(await pixels(buffer, -1));
  });

  it("returns null for CMYK, AVIF and truncated files", async () => {
    const inks = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#a33" } })
      .toColourspace("cmyk")
      .jpeg()
      .toBuffer();
    expect(stripMetadata(inks, "image/jpeg")).toBeNull();
    expect(stripMetadata(await pictureBytes("sunset"), "image/avif")).toBeNull();
    const turned = await sharp(await pictureBytes("dogs"))
      .resize(40)
      .withMetadata({ orientation: 6 })
      .webp()
      .toBuffer();
    expect(stripMetadata(turned, "image/webp")).toBeNull();
    for (const [name, type] of [
      ["fig", "image/jpeg"],
      ["bank", "image/png"],
    ] as const) {
      const bytes = await pictureBytes(name);
      expect(stripMetadata(bytes.subarray(0, bytes.length / 2), type)).toBeNull();
    }
  });
});
