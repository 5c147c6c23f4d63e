import * as fc from "fast-check";
import sharp from "sharp";
import { expect, it } from "vitest";
import { sidewaysPhotograph } from "../../../../../tests/fixtures/pictures";
import { readExif } from "./exif";

const exifOf = async (bytes: Buffer) => (await sharp(bytes).metadata()).exif;

it("returns camera, lens and exposure, and only the presence of a location", async () => {
  const bytes = await sharp({ create: { width: 4, height: 4, channels: 3, background: "#333" } })
    .withExif({
      IFD0: { Make: "Canon", Model: "Canon EOS R5", Artist: "Ada" },
      IFD2: { ExposureTime: "1/250", FNumber: "28/10", ISOSpeedRatings: "400", FocalLength: "50/1", LensModel: "RF50mm F1.2 L USM" },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "42/1 51/1 1234/100" },
    })
    .jpeg()
    .toBuffer();
  expect(readExif(await exifOf(bytes))).toEqual({
    orientation: 1,
    camera: "Canon EOS R5",
    lens: "RF50mm F1.2 L USM",
    exposureTime: 1 / 250,
    aperture: 2.8,
    iso: 400,
    focalLength: 50,
    hasPlace: true,
  });
});

it("adds the maker to a model without it, and reads the orientation", async () => {
  const { buffer } = await sidewaysPhotograph();
  expect(readExif(await exifOf(buffer))).toEqual({ orientation: 6, camera: "Lumen Pocket 3", hasPlace: true });
});

it("returns the defaults for data that is not EXIF", () => {
  const nothing = { orientation: 1, hasPlace: false };
  for (const bytes of [undefined, Buffer.alloc(0), Buffer.from("Exif\0\0"), Buffer.from("II*\0\xff\xff\xff\xff", "latin1")])
    expect(readExif(bytes)).toEqual(nothing);
});

function tiffOf(entries: { tag: number; type: number; text: string }[]): Buffer {
  const values = entries.map(({ text }) => Buffer.from(`${text}\0`, "utf8"));
  const head = Buffer.alloc(8 + 2 + 12 * entries.length + 4);
  head.write("II*\0\x08\0\0\0", "latin1");
  head.writeUInt16LE(entries.length, 8);
  let at = head.length;
  for (const [place, { tag, type }] of entries.entries()) {
    const [entry, value] = [10 + 12 * place, values[place] ?? Buffer.alloc(0)];
    head.writeUInt16LE(tag, entry);
    head.writeUInt16LE(type, entry + 2);
    head.writeUInt32LE(value.length, entry + 4);
    head.writeUInt32LE(at, entry + 8);
    if (value.length <= 4) value.copy(head, entry + 8);
    at += value.length;
  }
  return Buffer.concat([head, ...values]);
}

it("returns the camera's name as one line of plain text", { tags: "@returns-cameras-name-line-plain-text" }, () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.constantFrom("\u202Egpj", "a\r\nb", "\u001b[2J", "\u2028", "\ud83d"),
  );
  const [make, model] = [0x010f, 0x0110];
  let readable = 0;
  fc.assert(
    fc.property(fc.array(fc.record({ tag: fc.constantFrom(make, model), type: fc.constant(2), text }), { maxLength: 3 }), (entries) => {
      const { camera } = readExif(tiffOf(entries));
      if (camera === undefined) return;
      readable++;
      expect(camera).not.toMatch(/\p{C}|[\u2028\u2029]/u);
      expect([camera.length > 0 && camera.length <= 100, camera.isWellFormed(), camera.trim()]).toEqual([true, true, camera]);
    }),
    { numRuns: 500 },
  );
  expect(readable).toBeGreaterThan(50);
});

it("reads any bytes without an error and returns no control characters", () => {
  const head = fc.constantFrom("II*\0\x08\0\0\0", "MM\0*\0\0\0\x08").map((text) => Buffer.from(text, "latin1"));
  fc.assert(
    fc.property(head, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      const { camera = "", lens = "" } = readExif(Buffer.concat([start, rest]));
      expect(/\p{C}/u.test(camera + lens)).toBe(false);
    }),
  );
});

it("cuts a long maker and model before a character that crosses the limit", () => {
  const entries = [
    { tag: 0x010f, type: 2, text: "M".repeat(50) },
    { tag: 0x0110, type: 2, text: `${"x".repeat(48)}😀` },
  ];
  expect(readExif(tiffOf(entries)).camera).toBe(`${"M".repeat(50)} ${"x".repeat(48)}`);
});

it("removes a space at the end of a cut model", () => {
  expect(readExif(tiffOf([{ tag: 0x0110, type: 2, text: `${"x".repeat(99)} y` }])).camera).toBe("x".repeat(99));
});
