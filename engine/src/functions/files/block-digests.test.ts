import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BLOCK_BYTES, BlockDigests, type Range } from "./block-digests.ts";

const CONTENT = randomBytes(3 * BLOCK_BYTES + 100);
const LAST = CONTENT.length - 1;
const FIRST_BLOCK = { start: 10, end: 19 };
const SECOND_BLOCK = { start: BLOCK_BYTES, end: 2 * BLOCK_BYTES - 1 };

let folder: string;
let file: { path: string; size: number; sha256: string };
let blocks: BlockDigests;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "blocks-"));
  file = { path: join(folder, "file"), size: CONTENT.length, sha256: createHash("sha256").update(CONTENT).digest("base64") };
  writeFileSync(file.path, CONTENT);
  blocks = new BlockDigests();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(range: Range): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of blocks.range(file, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function damage(position: number): void {
  const content = Buffer.from(CONTENT);
  content[position] = (content[position] ?? 0) ^ 1;
  writeFileSync(file.path, content);
}

it.each([
  [0, 0],
  [0, LAST],
  [BLOCK_BYTES - 1, BLOCK_BYTES],
  [BLOCK_BYTES, 2 * BLOCK_BYTES - 1],
  [3 * BLOCK_BYTES + 1, LAST],
  [LAST, LAST],
])("yields the bytes from %i to %i", async (start, end) => {
  for (const _ of ["unknown", "known"]) expect(await read({ start, end })).toEqual(CONTENT.subarray(start, end + 1));
});

describe("after the first range", () => {
  beforeEach(() => read(FIRST_BLOCK));

  it("reads only the blocks of a range", async () => {
    damage(LAST);
    expect(await read(FIRST_BLOCK)).toEqual(CONTENT.subarray(10, 20));
  });

  it("rejects a range whose block was damaged", async () => {
    damage(2 * BLOCK_BYTES - 1);
    await expect(read(SECOND_BLOCK)).rejects.toThrow("does not match its sha256");
  });

  it("yields the intact blocks before a damaged one", async () => {
    damage(SECOND_BLOCK.start);
    const range = blocks.range(file, { start: 0, end: LAST });
    expect((await range.next()).value).toEqual(CONTENT.subarray(0, BLOCK_BYTES));
    await expect(range.next()).rejects.toThrow("does not match its sha256");
  });

  it("rejects a range after the end of a truncated file", async () => {
    truncateSync(file.path, BLOCK_BYTES);
    await expect(read(SECOND_BLOCK)).rejects.toThrow("is shorter");
  });

  it("rejects a range of a deleted file", async () => {
    rmSync(file.path);
    await expect(read(FIRST_BLOCK)).rejects.toMatchObject({ isMissing: true });
  });
});

it("rejects a first range if any block is damaged", async () => {
  damage(LAST);
  await expect(read(FIRST_BLOCK)).rejects.toThrow("does not match its sha256");
});

it("reads the whole file again after a rejected first range", async () => {
  damage(LAST);
  await expect(read(FIRST_BLOCK)).rejects.toThrow("does not match its sha256");
  writeFileSync(file.path, CONTENT);
  expect(await read(SECOND_BLOCK)).toEqual(CONTENT.subarray(SECOND_BLOCK.start, SECOND_BLOCK.end + 1));
});
