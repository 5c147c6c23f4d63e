import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { picturePath } from "../../../../tests/fixtures/pictures";
import { attachment } from "../serve/file-name";
import { DECODING_MEMORY } from "./decoder.server";
import { inspectImage } from "./inspect-image.server";
import { makeVariant } from "./make-variant.server";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function inspected(bytes: Uint8Array | string) {
  const path = join(folder, "file");
  await writeFile(path, bytes);
  return inspectImage(path, "ada");
}

async function seeds(): Promise<Buffer[]> {
  const picture = () => sharp({ create: { width: 24, height: 16, channels: 3, background: "#c63" } });
  const frames = sharp({ create: { width: 8, height: 24, channels: 4, background: "#36c8" } });
  return [
    await picture()
      .jpeg()
      .withExif({ IFD0: { Copyright: "nobody" } })
      .toBuffer(),
    await picture().png().toBuffer(),
    await picture().webp().toBuffer(),
    await picture().avif({ effort: 0 }).toBuffer(),
    await picture().gif().toBuffer(),
    await frames.webp({ lossless: true }).toBuffer(),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="24" height="16"><path d="M0 0h24v16z" fill="#c63"/></svg>'),
  ];
}

describe("manipulated files", () => {
  it(
    "are rejected, or accepted and rendered",
    { tags: ["@accepted-rejected-accepted-ones-can-shown", "slow"], timeout: 60_000 },
    async () => {
      const corpus = await seeds();
      const change = fc.record({
        seed: fc.nat({ max: corpus.length - 1 }),
        cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 }),
        bytes: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 255 })), { maxLength: 12 }),
        tail: fc.uint8Array({ maxLength: 24 }),
      });
      await fc.assert(
        fc.asyncProperty(change, async ({ seed, cut, bytes, tail }) => {
          const whole = Buffer.from(corpus[seed] ?? []);
          for (const [where, value] of bytes) whole[Math.floor(where * (whole.length - 1))] = value;
          const file = Buffer.concat([cut === null ? whole : whole.subarray(0, Math.floor(cut * whole.length)), tail]);
          const answer = await inspected(file);
          const problem = answer.ok ? "None." : answer.problem;
          expect(problem).toMatch(/^[A-Z].*\.$/s);
          const properties = answer.ok ? answer.properties : { contentType: "image/png", width: 1, height: 1 };
          expect(properties.width * properties.height).toBeLessThanOrEqual(50_000_000);
          const shown = answer.ok
            ? await makeVariant({ bytes: file, ...properties }, { width: 160, targetFormat: "webp" }).catch(String)
            : "";
          expect(typeof shown === "string" ? shown : "").not.toMatch(/undefined|not a function|Cannot read/);
        }),
        { numRuns: 250, seed: 20261121 },
      );
    },
  );
});

describe("small files that decode to large pictures", () => {
  const rss = () => process.memoryUsage().rss / 2 ** 20;

  function png(width: number, height: number): Buffer {
    const chunk = (type: string, data: Buffer) => {
      const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
      const crc = Buffer.alloc(4);
      crc.writeUInt32BE(crc32(body));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      return Buffer.concat([length, body, crc]);
    };
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([1, 0, 0, 0, 0], 8);
    const row = Math.ceil(width / 8) + 1;
    const data = deflateSync(Buffer.alloc(Math.min(row * height, 64 * 1024 * 1024)), { level: 9 });
    return Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      chunk("IHDR", header),
      chunk("IDAT", data),
      chunk("IEND", Buffer.alloc(0)),
    ]);
  }

  it.each([
    ["a PNG of 30,000 × 30,000 pixels", () => png(30_000, 30_000), /900 megapixels|30,000 × 30,000 pixels \(maximum 50 megapixels/],
    ["a PNG that is one pixel wide and endless", () => png(1, 2_000_000_000), /damaged|megapixels/],
    [
      "a GIF whose screen is 65,535 × 65,535",
      () => Buffer.from("R0lGODlh//////AAAAAAACH5BAAAAAAALAAAAAD/////AAACAkQBADs=", "base64"),
      /damaged|megapixels/,
    ],
    ["a WebP of 16,383 × 16,383", () => webp(16_383), /damaged|megapixels/],
    ["an AVIF that says 65,535 × 65,535", () => avif(65_535), /damaged|megapixels/],
    ["an SVG of a billion by a billion with nested patterns", () => svgBomb(), /^$|damaged|takes too/],
    ["an SVG with entities within entities", () => entities(), /^$|damaged/],
    ["an SVG with a large picture in it", () => svgWith(png(9000, 9000)), /^$|damaged|takes too/],
    ["an SVG that keeps a hundred pictures of itself", () => floods(100), /takes too much memory/],
  ])(
    "%s: refused with a sentence, or drawn small, without holding much memory",
    { tags: "@refused-sentence-drawn-small-without-holding", timeout: 60_000 },
    async (_what, make, problem) => {
      const bytes = make();
      const before = rss();
      const answer = await inspected(bytes);
      expect(answer.ok ? "" : answer.problem).toMatch(problem);
      expect(rss() - before).toBeLessThan(400);
    },
  );

  it(
    "delays other users' drawings by one drawing at most, and photographs not at all",
    { tags: ["@delays-drawings-other-users-drawing-photographs", "slow"], timeout: 120_000 },
    async () => {
      const uses = Array.from({ length: 12 }, (_, n) => `<g id="u${n + 1}">${`<use href="#u${n}"/>`.repeat(10)}</g>`).join("");
      const endless = join(folder, "uses.svg");
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">';
      await writeFile(endless, `${svg}<defs><path id="u0" d="M0 0h9v9z"/>${uses}</defs><use href="#u12"/></svg>`);
      const simple = join(folder, "simple.svg");
      await writeFile(simple, `${svg}<path d="M0 0h40v30H0z" fill="red"/></svg>`);

      const ended: string[] = [];
      const submit = async (path: string, userId: string, name: string) => {
        const answer = await inspectImage(path, userId);
        ended.push(name);
        return answer.ok ? "" : answer.problem;
      };
      const hostile = Array.from({ length: 4 }, (_, n) => submit(endless, "eve", `hostile ${n}`));
      const drawing = submit(simple, "ada", "drawing");
      const photograph = submit(picturePath("fig"), "bob", "photograph");
      expect(await Promise.all([drawing, photograph])).toEqual(["", ""]);
      expect(ended.filter((name) => name.startsWith("hostile")).length).toBeLessThan(2);
      for (const problem of await Promise.all(hostile)) expect(problem).toMatch(/takes too long/);
    },
  );

  it(
    "keeps two of the largest pictures within the decoding memory",
    { tags: ["@keeps-two-largest-pictures-within-decoding", "slow"], timeout: 120_000 },
    async () => {
      const path = join(folder, "largest.avif");
      await writeFile(path, LARGEST_AVIF);
      await writeFile("/proc/self/clear_refs", "5");
      const before = rss();
      const answers = await Promise.all([inspectImage(path, "ada"), inspectImage(path, "ada")]);
      expect(answers.map((answer) => answer.ok && answer.properties.width * answer.properties.height)).toEqual([49_980_000, 49_980_000]);
      const most = Number(/VmHWM:\s+(\d+)/.exec(await readFile("/proc/self/status", "utf8"))?.[1]) / 1024;
      expect(most - before).toBeLessThan(DECODING_MEMORY / 2 ** 20);
    },
  );
});

describe("file names", () => {
  it("produce a well-formed header and round-trip safely (RFC 6266, RFC 8187)", { tags: "@produce-well-formed-header-round-trip" }, () => {
    const name = fc.oneof(fc.string({ unit: "grapheme", maxLength: 60 }), fc.string({ unit: "binary", maxLength: 60 }), fc.base64String());
    fc.assert(
      fc.property(name, (given) => {
        const header = attachment(given, "image/png");
        expect(header).toMatch(
          /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]+"; filename\*=UTF-8''(?:[\w!#$&+.^`|~-]|%[\dA-F]{2})+$/,
        );
        const saved = decodeURIComponent(header.split("UTF-8''")[1] ?? "");
        expect(saved).not.toMatch(/[/\\\p{Cc}]|^\.|[\u202a-\u202e]/u);
        expect(new Headers({ "Content-Disposition": header }).get("Content-Disposition")).toBe(header);
      }),
    );
  });
});

function webp(side: number): Buffer {
  const file = Buffer.from("RIFF....WEBPVP8L........", "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.writeUInt32LE(5, 16);
  file.writeUInt8(0x2f, 20);
  const bits = (side - 1) | ((side - 1) << 14);
  return Buffer.concat([file.subarray(0, 21), uint32LE(bits >>> 0), Buffer.alloc(15)]);
}

function uint32LE(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function avif(side: number): Buffer {
  const file = Buffer.from(LARGEST_AVIF);
  const at = file.indexOf("ispe", 0, "latin1") + 8;
  file.writeUInt32BE(side, at);
  file.writeUInt32BE(side, at + 4);
  return file;
}

const LARGEST_AVIF = gunzipSync(
  Buffer.from(
    "H4sIAAAAAAACA2NgYJBJK6ksSCzLTGMAgtzMNEMQOzczEcS/lptaksgAAYoZKTlFUDZDQWZyCQMaUMrMyU8GMVwcGBiBEAR+QWkGJgMgoZyZmQe2BiwqCuSkMkF5iWUGhiAmX0FmSS5cSVhmQVEBkLbILEjOB9I8iWWGzo32YE0imcUFqRDDpSOA+AmQIVCQWZEJEmHm4OAAUmKZBbkw9wOdxNzIxAx0ikVuSmKJEAMXl/1ns/X7zC4IXMg0ms8iMP/JUc4DDDoMDAoMttP3T/Kca1fI+0SkdvLWGx4X7fK/5knzi1ffvv7qYrYyU6DkDaYuxskXT/vHcc7NvObO+8tu9r3ve99Xg4k7Lji130gIq60t0Rf5Z5nRV704P3PHtrYZCZo9kUluojs+GhxdXD7DYHv9qXZhjcWucaOOoJIjqOIGAJCOJd8qAwAA",
    "base64",
  ),
);

const svgWith = (picture: Buffer): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><image width="100" height="100" href="data:image/png;base64,${picture.toString("base64")}"/></svg>`,
  );

function floods(steps: number): Buffer {
  const kept = Array.from({ length: steps }, (_, n) => `<feFlood flood-color="#${100 + n}" result="r${n}"/>`);
  const used = Array.from({ length: steps }, (_, n) => `<feMergeNode in="r${n}"/>`);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f" x="0" y="0" width="1" height="1">${kept.join("")}<feMerge>${used.join("")}</feMerge></filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`,
  );
}

function svgBomb(): Buffer {
  const patterns = Array.from(
    { length: 12 },
    (_, n) => `<pattern id="p${n + 1}" width="1" height="1"><rect width="9e9" height="9e9" fill="url(#p${n})"/></pattern>`,
  );
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="1e9" height="1e9"><defs>${patterns.join("")}</defs><rect width="1e9" height="1e9" fill="url(#p12)"/></svg>`,
  );
}

function entities(): Buffer {
  const levels = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("");
  return Buffer.from(
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "boom">${levels}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e9;</text></svg>`,
  );
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
