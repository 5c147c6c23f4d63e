import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { picturePath } from "../../../../tests/fixtures/pictures";
import { metricsText } from "~/lib/http/telemetry/metrics.server";
import { inspectImage } from "./inspect-image.server";
import { makeFromReduced, makeVariant, type VariantRequest } from "./make-variant.server";
import { reducedFor, cacheReduced } from "./reduced-jpeg.server";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reduced-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function inspected(bytes: Buffer) {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  const inspection = await inspectImage(path, "ada");
  if (!inspection.ok) throw new Error(inspection.problem);
  return inspection.properties;
}

const photograph = (width: number, height: number) => sharp(picturePath("mountain")).resize(width, height).jpeg({ quality: 90 });

describe("the first variants of an uploaded JPEG", () => {
  const ORDINARY: VariantRequest = { width: 480, targetFormat: "webp" };
  it.each<[string, Promise<Buffer>, VariantRequest]>([
    ["a photograph", photograph(4032, 3024).toBuffer(), ORDINARY],
    ["sides that no shrink divides", photograph(4001, 3003).toBuffer(), ORDINARY],
    ["a portrait", photograph(3000, 4000).toBuffer(), { width: 320, targetFormat: "avif" }],
    ["a small photograph", photograph(1500, 1000).toBuffer(), ORDINARY],
    ["an EXIF orientation", photograph(4000, 3000).withMetadata({ orientation: 6 }).toBuffer(), { width: 320, targetFormat: "webp" }],
    ["a rotation", photograph(4000, 3000).toBuffer(), { ...ORDINARY, width: 320, rotation: 90 }],
    ["grey pixels", photograph(4000, 3000).greyscale().toBuffer(), ORDINARY],
  ])("look the same without the file: %s", async (_name, made, request) => {
    const bytes = await made;
    const { checksum, width, height } = await inspected(bytes);
    const reduced = reducedFor(checksum, request);
    if (!reduced) throw new Error("not reduced");
    const first = await makeFromReduced(reduced, request);
    const later = await makeVariant({ bytes, contentType: "image/jpeg", width, height }, request);
    expect(first.type).toBe(later.type);
    const [shown, expected] = await Promise.all(
      [first, later].map((each) => sharp(each.bytes).removeAlpha().toColourspace("srgb").raw().toBuffer({ resolveWithObject: true })),
    );
    if (!shown || !expected) throw new Error("two variants");
    expect([shown.info.width, shown.info.height]).toEqual([expected.info.width, expected.info.height]);
    const sum = shown.data.reduce((total, value, index) => total + Math.abs(value - (expected.data[index] ?? 0)), 0);
    expect(sum / shown.data.length).toBeLessThan(6);
  });

  it("need the file if they are larger than the reduction", async () => {
    const { checksum } = await inspected(await photograph(4000, 3000).toBuffer());
    const isReduced = (request: VariantRequest) => reducedFor(checksum, request) !== null;
    const widths: VariantRequest["width"][] = [480, 640, "own"];
    expect(widths.map((width) => isReduced({ width, targetFormat: "webp" }))).toEqual([true, false, false]);
    expect(isReduced({ width: 480, targetFormat: "webp", rotation: 90 })).toBe(false);
  });

  it.each([
    ["a wide gamut", photograph(2000, 1500).withIccProfile("p3").toBuffer()],
    ["a PNG", photograph(2000, 1500).png().toBuffer()],
    ["a panorama", photograph(13_000, 700).toBuffer()],
    ["a small picture", photograph(500, 400).toBuffer()],
  ])("need the file of %s", async (_name, made) => {
    const { checksum } = await inspected(await made);
    expect(reducedFor(checksum, { width: 160, targetFormat: "webp" })).toBeNull();
  });
});

it("keeps at most 32 MiB of reductions", async () => {
  const { data, info } = await photograph(1024, 1024).raw().toBuffer({ resolveWithObject: true });
  for (let each = 0; each < 100; each++) cacheReduced(`${each}`, { data, info });
  expect(await metricsText()).toContain('atelier_collection_entries{collection="reduced_jpegs"} 10\n');
});
