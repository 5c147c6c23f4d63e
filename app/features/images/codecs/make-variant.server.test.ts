import { once } from "node:events";
import { createServer } from "node:http";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { animatedGif, hostileSvg, pictureBytes, type PictureName, pictures, sidewaysPhotograph } from "../../../../tests/fixtures/pictures";
import { isWideGamut } from "./metadata/colour-space.server";
import { makeVariant, type Original, type VariantFormat } from "./make-variant.server";

async function original(name: PictureName): Promise<Original> {
  const { file, width, height } = pictures[name];
  const types: Record<string, string> = { jpg: "image/jpeg", png: "image/png", webp: "image/webp", avif: "image/avif" };
  return { bytes: await pictureBytes(name), contentType: types[file.split(".").at(-1) ?? ""] ?? "", width, height };
}

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

async function widePhotograph() {
  const plain = { width: 64, height: 64, channels: 3, background: "#f00" } as const;
  const { icc = Buffer.alloc(0) } = await sharp(await sharp({ create: plain }).withIccProfile("p3").jpeg().toBuffer()).metadata();
  const untagged = await sharp({ create: plain }).jpeg({ quality: 100, chromaSubsampling: "4:4:4" }).toBuffer();
  const profile = Buffer.concat([Buffer.from("ICC_PROFILE\0\x01\x01", "latin1"), icc]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(profile.length + 2);
  const p3 = Buffer.concat([untagged.subarray(0, 2), Buffer.from([0xff, 0xe2]), length, profile, untagged.subarray(2)]);
  const numbers = async (bytes: Buffer) => (await sharp(bytes, { ignoreIcc: true }).stats()).channels.map(({ mean }) => mean);
  return { p3, numbers };
}

describe("photographs", () => {
  it.each<[VariantFormat, string]>([
    ["avif", "heif"],
    ["webp", "webp"],
  ])("become %s of the asked width that looks the same", async (targetFormat, format) => {
    const source = await original("fig");
    const { type, bytes } = await makeVariant(source, { width: 640, targetFormat });
    const { format: written, width, height, exif, icc, xmp } = await sharp(bytes).metadata();
    expect({ type, written, width, height }).toEqual({ type: `image/${targetFormat}`, written: format, width: 640, height: 433 });
    expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined]);
    expect(await difference(source.bytes, bytes, 320)).toBeLessThan(5);
    expect(bytes.length).toBeLessThan(80_000);
  });

  it("are never enlarged", async () => {
    const { bytes } = await makeVariant(await original("dogs"), { width: 3840, targetFormat: "webp" });
    expect((await sharp(bytes).metadata()).width).toBe(1065);
  });

  it("are upright and contain no location", async () => {
    const { buffer } = await sidewaysPhotograph();
    expect((await sharp(buffer).metadata()).exif?.includes("Lumen")).toBe(true);
    for (const targetFormat of ["avif", "webp"] as const) {
      const { bytes } = await makeVariant(
        { bytes: buffer, contentType: "image/jpeg", width: 400, height: 600 },
        { width: 320, targetFormat },
      );
      const { width, height, orientation, exif } = await sharp(bytes).metadata();
      expect([width, height, orientation ?? 1, exif]).toEqual([320, 480, 1, undefined]);
      expect(bytes.includes("Lumen")).toBe(false);
      expect(await difference(buffer, bytes, 160)).toBeLessThan(4);
    }
  });

  it("keep wide-gamut colours at every size and otherwise become sRGB", async () => {
    const { p3, numbers } = await widePhotograph();
    for (const requested of [
      { width: 160, targetFormat: "webp" },
      { width: 160, targetFormat: "avif" },
      { width: "own", targetFormat: "webp" },
    ] as const) {
      const { bytes } = await makeVariant({ bytes: p3, contentType: "image/jpeg", width: 64, height: 64 }, requested);
      expect(isWideGamut((await sharp(bytes).metadata()).icc)).toBe(true);
      const [red = 0, green = 255, blue = 255] = await numbers(bytes);
      expect(red).toBeGreaterThan(245);
      expect(Math.max(green, blue)).toBeLessThan(12);
    }
  });

  it("keep their original colours", async () => {
    const red = sharp({
      create: { width: 64, height: 64, channels: 3, background: { r: 255, g: 0, b: 0 }, noise: { type: "gaussian", mean: 128, sigma: 30 } },
    });
    const p3 = await red.clone().withIccProfile("p3").jpeg().toBuffer();
    const { bytes } = await makeVariant(
      { bytes: p3, contentType: "image/jpeg", width: 64, height: 64 },
      { width: 160, targetFormat: "webp" },
    );
    expect(isWideGamut((await sharp(bytes).metadata()).icc)).toBe(true);
    expect(await difference(p3, bytes, 64)).toBeLessThan(6);
    const srgb = await red.clone().withIccProfile("srgb").jpeg().toBuffer();
    const plain = await makeVariant(
      { bytes: srgb, contentType: "image/jpeg", width: 64, height: 64 },
      { width: 160, targetFormat: "webp" },
    );
    expect((await sharp(plain.bytes).metadata()).icc).toBeUndefined();
  });
});

describe("other colour spaces", () => {
  it.each(["cmyk", "rgb16", "b-w"] as const)("keeps the appearance of %s, also at its own size", async (space) => {
    const base = sharp(await pictureBytes("fig")).resize(300);
    const [bytes, contentType] =
      space === "cmyk"
        ? [await base.clone().toColourspace("cmyk").withIccProfile("cmyk").jpeg({ quality: 95 }).toBuffer(), "image/jpeg"]
        : [await base.clone().toColourspace(space).png().toBuffer(), "image/png"];
    const meant = await (space === "b-w" ? base.clone().greyscale() : base.clone()).png().toBuffer();
    const { width, height } = await sharp(bytes).metadata();
    for (const requested of [160, "own"] as const) {
      const variant = await makeVariant({ bytes, contentType, width, height }, { width: requested, targetFormat: "webp" });
      const meta = await sharp(variant.bytes).metadata();
      expect(["srgb", "b-w", "rgb16"]).toContain(meta.space);
      expect(await difference(meant, variant.bytes, 160)).toBeLessThan(space === "cmyk" ? 25 : 5);
    }
  });
});

describe("screenshots and flat art", () => {
  it.each<PictureName>(["bank", "habits", "bakery", "stripes"])("%s is lossless at its own size", async (name) => {
    const source = await original(name);
    const { type, bytes } = await makeVariant(source, { width: 1920, targetFormat: "avif" });
    expect(type).toBe("image/webp");
    expect(await difference(source.bytes, bytes, source.width)).toBe(0);
  });

  it("are lossless at smaller sizes, too", async () => {
    const source = await original("bank");
    const { type, bytes } = await makeVariant(source, { width: 640, targetFormat: "avif" });
    expect(type).toBe("image/webp");
    expect(await difference(await sharp(source.bytes).resize(640).png().toBuffer(), bytes, 640)).toBe(0);
  });

  it("are lossless with photographs on the page, except as thumbnails", async () => {
    const letters = await sharp(await pictureBytes("bank"))
      .resize(1440, 300, { fit: "cover", position: "top" })
      .png()
      .toBuffer();
    const bytes = await sharp(await pictureBytes("mountain"))
      .resize(1440, 900)
      .composite([{ input: letters, top: 0, left: 0 }])
      .png()
      .toBuffer();
    const page = { bytes, contentType: "image/png", width: 1440, height: 900 };
    const read = await makeVariant(page, { width: 1280, targetFormat: "avif" });
    expect(read.type).toBe("image/webp");
    expect(await difference(await sharp(bytes).resize(1280).png().toBuffer(), read.bytes, 1280)).toBe(0);
    const small = await makeVariant(page, { width: 480, targetFormat: "avif" });
    expect(small.type).toBe("image/avif");
    const top = async (from: Buffer) => sharp(from).resize(480).extract({ left: 0, top: 0, width: 480, height: 90 }).png().toBuffer();
    expect(await difference(await top(bytes), await top(small.bytes), 480)).toBeLessThan(2);
  });

  it("do not include a photograph that an encoder smoothed", async () => {
    expect((await makeVariant(await original("clock"), { width: 1280, targetFormat: "avif" })).type).toBe("image/avif");
  });

  it("do not include a PNG that is a photograph", async () => {
    const bytes = await sharp(await pictureBytes("path"))
      .resize(700)
      .png()
      .toBuffer();
    expect(
      (await makeVariant({ bytes, contentType: "image/png", width: 700, height: 525 }, { width: 640, targetFormat: "avif" })).type,
    ).toBe("image/avif");
  });

  it("stay transparent", async () => {
    const bytes = await sharp({ create: { width: 100, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer();
    const variant = await makeVariant({ bytes, contentType: "image/png", width: 100, height: 50 }, { width: 160, targetFormat: "avif" });
    const { data } = await sharp(variant.bytes).raw().toBuffer({ resolveWithObject: true });
    expect(data[3]).toBe(0);
  });

  it("use a format that supports the height of a very tall page", async () => {
    const bytes = await sharp({ create: { width: 400, height: 20_000, channels: 3, background: "#468" } })
      .png()
      .toBuffer();
    const { type, bytes: tall } = await makeVariant(
      { bytes, contentType: "image/png", width: 400, height: 20_000 },
      { width: 480, targetFormat: "webp" },
    );
    expect([type, (await sharp(tall).metadata()).height]).toEqual(["image/png", 20_000]);
  });
});

describe("drawings", () => {
  const { buffer } = hostileSvg();
  const drawing: Original = { bytes: buffer, contentType: "image/svg+xml", width: 600, height: 400 };

  it.each([160, 1920] as const)("are rendered at %i pixels wide and returned only as pixels", async (width) => {
    const { type, bytes } = await makeVariant(drawing, { width, targetFormat: "avif" });
    const meta = await sharp(bytes).metadata();
    expect([type, meta.format, meta.width]).toEqual(["image/webp", "webp", width]);
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number) =>
      [...data.subarray((Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels)].slice(0, 3);
    expect(at(0.5, 0.5)).toEqual([255, 255, 255]);
    expect(at(0.9, 0.9)).toEqual([0, 187, 102]);
  });

  it("make no network request", { tags: "@make-no-network-request" }, async () => {
    let requested = 0;
    const server = createServer((_, response) => response.end(String(requested++))).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
    try {
      const text = `<?xml-stylesheet href="${url}/a.css"?><!DOCTYPE svg [<!ENTITY x SYSTEM "${url}/b">]><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="10"><style>@import url(${url}/c.css); rect { fill: url(${url}/d.svg#e) }</style><rect width="10" height="10"/><image href="${url}/f.png" width="9" height="9"/><image xlink:href="${url}/g.png" width="9" height="9"/><use href="${url}/h.svg#i"/><text>&x;</text></svg>`;
      await makeVariant(
        { bytes: Buffer.from(text), contentType: "image/svg+xml", width: 10, height: 10 },
        { width: 160, targetFormat: "webp" },
      ).catch(String);
      expect(requested).toBe(0);
      await fetch(url);
      expect(requested).toBe(1);
    } finally {
      server.close();
    }
  });

  it("read no other file", { tags: "@read-no-other-file" }, async () => {
    const fixtures = new URL("../../../../tests/fixtures/photographs/", import.meta.url).pathname;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="#fff"/><image href="file://${fixtures}fig.jpg" width="100" height="100"/><image href="${fixtures}fig.jpg" width="100" height="100"/><image href="fig.jpg" width="100" height="100"/></svg>`;
    const { bytes } = await makeVariant(
      { bytes: Buffer.from(text), contentType: "image/svg+xml", width: 100, height: 100 },
      { width: 160, targetFormat: "webp" },
    );
    expect((await sharp(bytes).stats()).channels[0]?.min).toBe(255);
  });

  it("stay within the decoding limit with extreme proportions", async () => {
    const text = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10000"><rect width="10" height="10000" fill="#456"/></svg>';
    const { bytes } = await makeVariant(
      { bytes: Buffer.from(text), contentType: "image/svg+xml", width: 10, height: 10_000 },
      { width: 160, targetFormat: "webp" },
    );
    expect((await sharp(bytes).metadata()).width).toBeGreaterThan(0);
  });
});

describe("at their own size", () => {
  it.each<PictureName>(["fig", "bank", "clock", "sunset", "habits"])("%s has the original pixels", async (name) => {
    const source = await original(name);
    const { bytes } = await makeVariant(source, { width: "own", targetFormat: "avif" });
    expect((await sharp(bytes).metadata()).width).toBe(source.width);
    expect(await difference(source.bytes, bytes, source.width)).toBe(0);
  });

  it("a rotated WebP is upright and lossless", async () => {
    const turned = await sharp(await pictureBytes("dogs"))
      .resize(60, 40)
      .withMetadata({ orientation: 6 })
      .webp()
      .toBuffer();
    const { bytes } = await makeVariant(
      { bytes: turned, contentType: "image/webp", width: 40, height: 60 },
      { width: "own", targetFormat: "avif" },
    );
    const { width, height, orientation = 1 } = await sharp(bytes).metadata();
    expect([width, height, orientation]).toEqual([40, 60, 1]);
    expect(await difference(turned, bytes, 40)).toBe(0);
  });
});

it("returns the first frame of an animation on request", async () => {
  const { buffer } = await animatedGif();
  const gif = { bytes: buffer, contentType: "image/gif", width: 240, height: 160 };
  for (const width of [160, "own"] as const) {
    const { bytes } = await makeVariant(gif, { width, targetFormat: "avif", still: true });
    expect((await sharp(bytes, { pages: -1 }).metadata()).pages ?? 1).toBe(1);
  }
});

it("keeps animations and their timing", async () => {
  const { buffer } = await animatedGif();
  const { type, bytes } = await makeVariant(
    { bytes: buffer, contentType: "image/gif", width: 240, height: 160 },
    { width: 160, targetFormat: "avif" },
  );
  const { pages, delay, width, pageHeight } = await sharp(bytes, { pages: -1 }).metadata();
  expect({ type, pages, delay, width, pageHeight }).toEqual({
    type: "image/webp",
    pages: 3,
    delay: [100, 100, 100],
    width: 160,
    pageHeight: 107,
  });
});
