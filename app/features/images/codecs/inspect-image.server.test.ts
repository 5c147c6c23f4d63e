import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { thumbHashToApproximateAspectRatio } from "thumbhash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  animatedGif,
  badFiles,
  hostileSvg,
  type PictureName,
  picturePath,
  pictures,
  sidewaysPhotograph,
} from "../../../../tests/fixtures/pictures";
import { inspectImage } from "./inspect-image.server";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspect-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function inspectBytes(bytes: Buffer | string) {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  return inspectImage(path, "ada");
}

async function propertiesOf(bytes: Buffer | string) {
  const answer = await inspectBytes(bytes);
  if (!answer.ok) throw new Error(answer.problem);
  return answer.properties;
}

async function problemOf(bytes: Buffer | string) {
  const answer = await inspectBytes(bytes);
  if (answer.ok) throw new Error("taken, not refused");
  return answer.problem;
}

describe("accepts", () => {
  const types = { jpg: "image/jpeg", png: "image/png", webp: "image/webp", avif: "image/avif" };
  it.each(Object.keys(pictures) as PictureName[])("%s with type, dimensions and placeholder", async (name) => {
    const answer = await inspectImage(picturePath(name), "ada");
    const { file, width, height } = pictures[name];
    const contentType = types[file.split(".").at(-1) as keyof typeof types];
    expect(answer).toMatchObject({ ok: true, properties: { contentType, width, height, animated: false } });
    if (!answer.ok) return;
    expect(answer.properties.checksum).toMatch(/^[0-9a-f]{64}$/);
    const hash = Buffer.from(answer.properties.placeholder ?? "", "base64");
    expect(thumbHashToApproximateAspectRatio(hash)).toBeCloseTo(width / height, 0);
  });

  it("a rotated photograph, with upright dimensions", async () => {
    const { buffer } = await sidewaysPhotograph();
    expect(await propertiesOf(buffer)).toMatchObject({ contentType: "image/jpeg", width: 400, height: 600 });
  });

  it.each(["gif", "webp"] as const)("an animated %s and marks it as animated", async (format) => {
    const { buffer } = await animatedGif();
    const moving = format === "gif" ? buffer : await sharp(buffer, { pages: -1 }).toFormat(format).toBuffer();
    expect(await propertiesOf(moving)).toMatchObject({ contentType: `image/${format}`, width: 240, height: 160, animated: true });
  });

  it("a drawing with a script, which is shown only as pixels", async () => {
    expect(await propertiesOf(hostileSvg().buffer)).toMatchObject({ contentType: "image/svg+xml", width: 600, height: 400 });
  });

  it.each([
    ["without a prologue", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20000 10000"><path d="M0 0h9v9z"/></svg>', 20_000, 10_000],
    [
      "with a document type",
      '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">\n<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>',
      40,
      20,
    ],
    ["after a byte order mark and a comment", '\uFEFF<!-- > -->\n<svg xmlns="http://www.w3.org/2000/svg" width="7" height="9"/>', 7, 9],
  ])("a drawing %s", async (_, text, width, height) => {
    expect(await propertiesOf(text)).toMatchObject({ contentType: "image/svg+xml", width, height });
  });

  it("a CMYK JPEG, a 16-bit PNG and a grey PNG", async () => {
    const base = sharp(picturePath("fig")).resize(120);
    for (const bytes of [
      await base.clone().toColourspace("cmyk").jpeg().toBuffer(),
      await base.clone().toColourspace("rgb16").png().toBuffer(),
      await base.clone().greyscale().png().toBuffer(),
    ])
      expect((await propertiesOf(bytes)).placeholder).not.toBeNull();
  });
});

describe("rejects", () => {
  const accepted = "JPEG, PNG, WebP, GIF, AVIF, HEIC, SVG or PDF";

  it("an empty file", async () => expect(await problemOf(badFiles.empty().buffer)).toContain("empty"));
  it("text with a picture's extension", { tags: "@text-pictures-extension" }, async () =>
    expect(await problemOf(badFiles.renamedText().buffer)).toContain(accepted),
  );
  it("HTML named as a drawing", async () => expect(await problemOf(badFiles.html().buffer)).toContain(accepted));
  it("a TIFF with a JPEG's extension", { tags: "@tiff-jpegs-extension" }, async () => {
    expect(await problemOf((await badFiles.tiff()).buffer)).toBe("Unsupported file type (TIFF). Export it as a PNG.");
  });
  it("an animated AVIF as unsupported, but accepts a still one", async () => {
    const still = await sharp({ create: { width: 32, height: 24, channels: 3, background: "#369" } })
      .avif()
      .toBuffer();
    expect(await propertiesOf(still)).toMatchObject({ contentType: "image/avif", animated: false });
    const moving = Buffer.from(still);
    moving.write("avis", 8, "latin1");
    expect(await problemOf(moving)).toBe("Animated AVIF files are not supported. Export the animation as WebP or GIF.");
  });
  it("a PDF without pages", async () => expect(await problemOf(badFiles.pdf().buffer)).toContain("damaged"));

  it("truncated files of every type", async () => {
    const base = sharp(picturePath("fig")).resize(400);
    const whole = [
      (await badFiles.cutOff()).buffer,
      await base.clone().png().toBuffer(),
      await base.clone().webp().toBuffer(),
      await base.clone().gif().toBuffer(),
      await base.clone().avif().toBuffer(),
      (await animatedGif()).buffer,
    ];
    for (const bytes of whole) expect(await problemOf(bytes.subarray(0, Math.floor(bytes.length * 0.7)))).toContain("incomplete");
  });

  it("a file that only starts like a picture", async () => {
    expect(await problemOf(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(500)]))).toContain("damaged");
  });

  it("a decompression bomb before decoding it", { tags: "@decompression-bomb-before-decoding" }, async () => {
    const { buffer } = badFiles.bomb();
    expect(await problemOf(buffer)).toContain("20,000 × 20,000 pixels");
  });

  it("a drawing with exponential entities", { tags: "@drawing-exponential-entities" }, async () => {
    const entities = Array.from({ length: 10 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join("");
    const text = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "aaaaaaaaaa">${entities}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e9;</text></svg>`;
    expect(await problemOf(text)).toContain("damaged or incomplete");
  });
});
