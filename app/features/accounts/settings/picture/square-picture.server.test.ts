import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { phonePhotograph, twoPages } from "../../../../../tests/fixtures/pictures";
import { cropSquare } from "./square-picture.server";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "square-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function crop(bytes: Buffer) {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  const made = await cropSquare(path, "ada", null);
  if (typeof made === "string") throw new Error(made);
  return made;
}

it("makes an upright account picture of a HEIC photograph", async () => {
  const picture = await crop((await phonePhotograph()).buffer);
  const { format, width, height, exif } = await sharp(picture).metadata();
  expect([format, width, height, exif]).toEqual(["webp", 256, 256, undefined]);
  const { data } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const [red, , blue] = [...data.subarray(256 * 3 * 20, 256 * 3 * 20 + 3)];
  expect(red).toBeGreaterThan(blue ?? 255);
});

it("makes an account picture of the first page of a PDF", async () => {
  expect(await sharp(await crop(twoPages().buffer)).metadata()).toMatchObject({ format: "webp", width: 256, height: 256 });
});
