import sharp from "sharp";
import { beforeEach, expect, it, vi } from "vitest";
import { picturePath } from "../../../../tests/fixtures/pictures";
import type { decoder } from "./decoder.server";
import { makeVariant } from "./make-variant.server";

const decoded = vi.hoisted(() => vi.fn<(input: unknown) => void>());
vi.mock("./decoder.server", async (importOriginal) => {
  const original = await importOriginal<{ decoder: typeof decoder }>();
  const counting: typeof decoder = (input, options) => {
    decoded(input);
    return original.decoder(input, options);
  };
  return { ...original, decoder: counting };
});

beforeEach(() => decoded.mockClear());

const photograph = () => sharp(picturePath("fig")).resize(600);

it.each([
  ["a photograph", photograph()],
  ["a grey photograph", photograph().greyscale()],
  ["a photograph with alpha", photograph().ensureAlpha(0.5)],
  ["a drawing", photograph().png({ palette: true, colours: 4 })],
])("opens a PNG of %s as often as needed and keeps its pixels", async (name, picture) => {
  const bytes = await picture.png().toBuffer();
  const { width, height } = await sharp(bytes).metadata();
  const variant = await makeVariant({ bytes, contentType: "image/png", width, height }, { width: 480, targetFormat: "webp" });
  expect(decoded.mock.calls.filter(([input]) => input === bytes)).toHaveLength(name.includes("alpha") ? 3 : 2);
  const shown = await sharp(variant.bytes).removeAlpha().toColourspace("srgb").raw().toBuffer();
  const expected = await sharp(bytes).resize(480).removeAlpha().toColourspace("srgb").raw().toBuffer();
  expect(shown.length).toBe(expected.length);
  const mean = shown.reduce((sum, value, index) => sum + Math.abs(value - (expected[index] ?? 0)), 0) / shown.length;
  expect(mean).toBeLessThan(6);
});
