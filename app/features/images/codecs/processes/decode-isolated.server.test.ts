import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { badPdfs, makePdf, phonePhotograph, pictureBytes, twoPages } from "../../../../../tests/fixtures/pictures";
import { oomScoreAdjustment, type Process, processesBelow } from "../../../../../tests/harness/processes";
import { DecodeError, decodeIsolated } from "./decode-isolated.server";
import { inspectImage } from "../inspect-image.server";
import { makeVariant } from "../make-variant.server";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "container-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function inspect(bytes: Buffer) {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  return inspectImage(path, "ada");
}

const problemOf = async (bytes: Buffer) => {
  const answer = await inspect(bytes);
  return answer.ok ? null : answer.problem;
};

async function colourAt(bytes: Buffer, left: number, top: number): Promise<number[]> {
  const { data } = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return [...data];
}

const isDecoder = ({ command }: Process) => command.includes("Decodes HEIC and PDF");

const isNear = (actual: number[], expected: number[]) => actual.every((value, index) => Math.abs(value - (expected[index] ?? 0)) < 12);

describe("HEIC", () => {
  it("reads upright dimensions, camera and colour space, and detects a location", async () => {
    const { buffer } = await phonePhotograph();
    const answer = await inspect(buffer);
    expect(answer).toMatchObject({ ok: true, properties: { contentType: "image/heic", width: 64, height: 96, animated: false } });
    if (!answer.ok) return;
    expect(answer.properties.details).toMatchObject({ camera: "Lumen Pocket 3", hasPlace: true });
    expect(answer.properties.placeholder).not.toBeNull();
  });

  it("makes upright variants with the wide gamut and without metadata", async () => {
    const { buffer: bytes } = await phonePhotograph();
    const original = { bytes, contentType: "image/heic", width: 64, height: 96 };
    for (const width of [160, "own"] as const) {
      const variant = await makeVariant(original, { width, targetFormat: "webp" });
      const { width: wide, height, exif, icc } = await sharp(variant.bytes).metadata();
      expect([variant.type, wide, height, exif]).toEqual(["image/webp", 64, 96, undefined]);
      expect(icc).toBeDefined();
      expect(isNear(await colourAt(variant.bytes, 32, 20), [255, 0, 0])).toBe(true);
    }
  });

  it("reports truncated files and other formats", async () => {
    const { buffer } = await phonePhotograph();
    expect(await problemOf(buffer.subarray(0, buffer.length - 200))).toContain("damaged or incomplete");
    await expect(decodeIsolated(await pictureBytes("fig"), "image/heic")).rejects.toThrow(DecodeError);
  });
});

describe("PDF", () => {
  it("reads every page with its dimensions", async () => {
    const answer = await inspect(twoPages().buffer);
    expect(answer).toMatchObject({
      ok: true,
      properties: {
        contentType: "application/pdf",
        width: 200,
        height: 400,
        pages: [
          { width: 200, height: 400 },
          { width: 400, height: 200 },
        ],
      },
    });
  });

  it("makes variants of the requested page", async () => {
    const original = { bytes: twoPages().buffer, contentType: "application/pdf", width: 400, height: 200, page: 2 };
    const variant = await makeVariant(original, { width: 160, targetFormat: "webp" });
    const { width, height } = await sharp(variant.bytes).metadata();
    expect([width, height]).toEqual([160, 80]);
    expect(isNear(await colourAt(variant.bytes, 80, 40), [0, 0, 255])).toBe(true);
  });

  it("limits the pixels of a huge page", async () => {
    const answer = await inspect(makePdf([{ width: 14_400, height: 14_400, content: "" }]));
    expect(answer).toMatchObject({ ok: true, properties: { width: 5000, height: 5000 } });
  });

  it("refuses encrypted, broken and long documents with advice", { tags: "@refuses-encrypted-broken-long-documents" }, async () => {
    expect(await problemOf(badPdfs.encrypted())).toContain("is encrypted. Save a copy without a password");
    expect(await problemOf(Buffer.from("%PDF-1.7\nnothing"))).toContain("damaged");
    expect(await problemOf(badPdfs.long())).toContain("more than 50 pages");
  });

  it("ends each process once its file is refused (nodejs/node#54918)", { tags: "slow" }, async () => {
    const refusals = Array.from({ length: 24 }, () => decodeIsolated(Buffer.from("%PDF-1.4"), "application/pdf"));
    const problems = (await Promise.allSettled(refusals)).map(
      (each) => each.status === "rejected" && each.reason instanceof DecodeError && each.reason.problem,
    );
    expect(new Set(problems)).toEqual(new Set(["broken"]));
  });

  it.runIf(process.platform === "linux")("is ended before the app without memory", { tags: "@decoding-ended-first" }, async () => {
    const adjustment = () =>
      processesBelow(process.pid)
        .filter(isDecoder)
        .map(({ pid }) => oomScoreAdjustment(pid));
    const decoding = decodeIsolated(badPdfs.bomb(), "application/pdf").catch(() => null);
    await expect.poll(adjustment, { interval: 5, timeout: 30_000 }).toEqual([1000]);
    await decoding;
  });

  it("stops a document of nested forms at its memory limit", { tags: "@stops-document-nested-forms-memory-limit" }, async () => {
    await expect(decodeIsolated(badPdfs.bomb(), "application/pdf")).rejects.toThrow("(memory)");
  });

  it("stops a document at its CPU limit", { tags: "@stops-document-cpu-limit" }, async () => {
    await expect(decodeIsolated(twoPages().buffer, "application/pdf", { cpuLimit: 1 })).rejects.toThrow("(time)");
  });
});
