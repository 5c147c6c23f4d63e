import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { animatedGif, phonePhotograph, pictureBytes, sidewaysPhotograph } from "../../../../tests/fixtures/pictures";
import { ROTATIONS } from "../display/image-address";
import { readExif } from "./metadata/exif";
import { decodeIsolated } from "./processes/decode-isolated.server";
import { makeVariant } from "./make-variant.server";
import { rotateFile } from "./rotate-file.server";

const TURNS = ROTATIONS.filter((rotation) => rotation !== 0);

const small = () =>
  sharp(Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 0, 255]), {
    raw: { width: 3, height: 2, channels: 3 },
  });

async function pixelsOf(bytes: Buffer, rotation = 0) {
  const upright = await sharp(bytes).autoOrient().toColourspace("srgb").removeAlpha().png().toBuffer();
  const { data, info } = await sharp(upright).rotate(rotation).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: data.toString("hex") };
}

describe("JPEG", () => {
  it.each(TURNS)("rotates by %i° with the same coded pixels and the same camera", async (rotation) => {
    const { buffer } = await sidewaysPhotograph();
    const { type, bytes } = await rotateFile(buffer, "image/jpeg", rotation);
    expect(type).toBe("image/jpeg");
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(buffer, rotation));
    expect(bytes.length).toBe(buffer.length);
    const { exif } = await sharp(bytes).metadata();
    expect(readExif(exif)).toMatchObject({ camera: "Lumen Pocket 3", hasPlace: true });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("rotates a picture with the orientation %i", async (orientation) => {
    const source = await small().withMetadata({ orientation }).jpeg().toBuffer();
    for (const rotation of TURNS) {
      const { bytes } = await rotateFile(source, "image/jpeg", rotation);
      expect(await pixelsOf(bytes)).toEqual(await pixelsOf(source, rotation));
    }
  });

  it("adds the orientation to a file without EXIF, and to EXIF without it", async () => {
    const plain = await small().jpeg().toBuffer();
    const named = await small()
      .withExif({ IFD0: { Make: "Lumen", Software: "Test" } })
      .jpeg()
      .toBuffer();
    expect((await sharp(plain).metadata()).exif).toBeUndefined();
    for (const source of [plain, named]) {
      const { bytes } = await rotateFile(source, "image/jpeg", 90);
      expect(await pixelsOf(bytes)).toEqual(await pixelsOf(source, 90));
    }
    expect(readExif((await sharp((await rotateFile(named, "image/jpeg", 90)).bytes).metadata()).exif).camera).toBe("Lumen");
  });
});

it.each(["png", "webp", "gif"] as const)("rotates a %s without loss", async (format) => {
  const source = await small()
    .toFormat(format, format === "webp" ? { lossless: true } : {})
    .toBuffer();
  for (const rotation of TURNS) {
    const { type, bytes } = await rotateFile(source, `image/${format}`, rotation);
    expect([type, (await sharp(bytes).metadata()).format]).toEqual([`image/${format}`, format]);
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(source, rotation));
  }
});

it("keeps the depth of a PNG with 16 bits", async () => {
  const source = await small().toColourspace("rgb16").png().toBuffer();
  const { bytes } = await rotateFile(source, "image/png", 90);
  expect(await sharp(bytes).metadata()).toMatchObject({ depth: "ushort", width: 2, height: 3 });
});

it("rotates an AVIF", async () => {
  const source = await sharp(await pictureBytes("fig"))
    .resize(60, 40)
    .avif()
    .toBuffer();
  const { type, bytes } = await rotateFile(source, "image/avif", 90);
  expect([type, (await sharp(bytes).metadata()).width]).toEqual(["image/avif", 40]);
});

it("rotates a HEIC by its container, with the same coded pixels", async () => {
  const { buffer } = await phonePhotograph();
  const { type, bytes } = await rotateFile(buffer, "image/heic", 90);
  expect([type, bytes.length]).toEqual(["image/heic", buffer.length]);
  const [before] = await decodeIsolated(buffer, "image/heic");
  const [after] = await decodeIsolated(bytes, "image/heic");
  expect([before?.width, before?.height, after?.width, after?.height]).toEqual([64, 96, 96, 64]);
  expect(after?.pixels.readUInt8((32 * 96 + 90) * 4)).toBeGreaterThan(200);
  expect(after?.pixels.readUInt8((32 * 96 + 5) * 4)).toBeLessThan(50);
});

it.each(["image/gif", "image/webp"])("rotates every frame of an animated %s and keeps its timing", async (contentType) => {
  const { buffer } = await animatedGif();
  const source = contentType === "image/gif" ? buffer : await sharp(buffer, { pages: -1 }).webp({ lossless: true }).toBuffer();
  for (const rotation of TURNS) {
    const { type, bytes } = await rotateFile(source, contentType, rotation);
    const { pages, delay, width, pageHeight } = await sharp(bytes, { pages: -1 }).metadata();
    expect({ type, pages, delay, width, pageHeight }).toEqual({
      type: contentType,
      pages: 3,
      delay: [100, 100, 100],
      ...(rotation === 180 ? { width: 240, pageHeight: 160 } : { width: 160, pageHeight: 240 }),
    });
  }
});

describe("variants", () => {
  it.each(TURNS)("show a picture rotated by %i°, at a given width and at its own", async (rotation) => {
    const bytes = await sharp(await pictureBytes("fig"))
      .resize(60, 40)
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer();
    const original = { bytes, contentType: "image/png", width: 40, height: 60 };
    for (const width of [160, "own"] as const) {
      const variant = await makeVariant(original, { width, targetFormat: "webp", rotation });
      const turned = await sharp(variant.bytes).metadata();
      expect([turned.width, turned.height]).toEqual(rotation === 180 ? [40, 60] : [60, 40]);
    }
    const { bytes: own } = await makeVariant(original, { width: "own", targetFormat: "webp", rotation });
    expect(await pixelsOf(own)).toEqual(await pixelsOf(bytes, rotation));
  });

  it("show the pixels of a rotated JPEG at its own size", async () => {
    const { buffer } = await sidewaysPhotograph();
    const original = { bytes: buffer, contentType: "image/jpeg", width: 400, height: 600 };
    const { type, bytes } = await makeVariant(original, { width: "own", targetFormat: "webp", rotation: 90 });
    expect([type, bytes.includes("Lumen")]).toEqual(["image/jpeg", false]);
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(buffer, 90));
  });

  it("draw a rotated drawing at the requested width", async () => {
    const bytes = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400"/><rect width="600" height="100" fill="#f00"/></svg>',
    );
    const drawing = { bytes, contentType: "image/svg+xml", width: 600, height: 400 };
    const variant = await makeVariant(drawing, { width: 320, targetFormat: "webp", rotation: 90 });
    const { data, info } = await sharp(variant.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([320, 480]);
    const right = (240 * 320 + 310) * 3;
    expect([...data.subarray(right, right + 3)]).toEqual([255, 0, 0]);
  });

  it("keep an animation animated", async () => {
    const { buffer } = await animatedGif();
    const gif = { bytes: buffer, contentType: "image/gif", width: 240, height: 160 };
    for (const [width, wide] of [
      [160, 160],
      [480, 160],
      ["own", 160],
    ] as const) {
      const { type, bytes } = await makeVariant(gif, { width, targetFormat: "avif", rotation: 270 });
      const { pages, width: shown, pageHeight } = await sharp(bytes, { pages: -1 }).metadata();
      expect({ type, pages, shown, pageHeight }).toEqual({ type: "image/webp", pages: 3, shown: wide, pageHeight: 240 });
    }
  });

  it.each(TURNS)("keep the order of frames of an animation rotated by %i°", async (rotation) => {
    const colours = ["#f00", "#0f0", "#00f"];
    const frames = colours.map((background) =>
      sharp({ create: { width: 60, height: 40, channels: 3, background } })
        .png()
        .toBuffer(),
    );
    const bytes = await sharp(await Promise.all(frames), { join: { animated: true } })
      .gif({ delay: [100, 200, 300] })
      .toBuffer();
    const gif = { bytes, contentType: "image/gif", width: 60, height: 40 };
    for (const width of [160, "own"] as const) {
      const variant = await makeVariant(gif, { width, targetFormat: "webp", rotation });
      const { delay } = await sharp(variant.bytes, { pages: -1 }).metadata();
      const brightest = await Promise.all(
        colours.map(async (_, page) => {
          const means = (await sharp(variant.bytes, { page }).removeAlpha().stats()).channels.map(({ mean }) => mean);
          return means.indexOf(Math.max(...means));
        }),
      );
      expect({ delay, brightest }).toEqual({ delay: [100, 200, 300], brightest: [0, 1, 2] });
    }
  });
});
