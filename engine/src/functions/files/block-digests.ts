import { Buffer } from "node:buffer";
import { createHash, hash, type Hash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import type { OpenFile } from "../types.ts";
import { verifyFile, differenceInReading, FileDifference } from "./file-content.ts";

export const BLOCK_BYTES = 64 * 1024;
const DIGEST_BYTES = 32;
const REMEMBERED_BYTES = 16 * 1024 * 1024;

export type Range = { start: number; end: number };
type File = Pick<OpenFile, "path" | "size" | "sha256">;

export class BlockDigests {
  readonly #known = new LRUCache<string, Buffer>({ maxSize: REMEMBERED_BYTES, sizeCalculation: (digests) => digests.length });
  readonly #reading = new Map<string, Promise<Buffer>>();

  /** Compares each block before it yields its part. @throws {FileDifference} */
  async *range(file: File, { start, end }: Range): AsyncGenerator<Buffer, void, undefined> {
    const digests = this.#known.get(file.path) ?? (await this.#read(file));
    const handle = await open(file.path).catch((error: unknown) => Promise.reject(differenceInReading(error)));
    try {
      for (let block = Math.floor(start / BLOCK_BYTES); block * BLOCK_BYTES <= end; block += 1) {
        const from = block * BLOCK_BYTES;
        const bytes = await readBlock(handle, from, Math.min(BLOCK_BYTES, file.size - from));
        const expected = digests.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES);
        if (!hash("sha256", bytes, "buffer").equals(expected)) throw new FileDifference("does not match its sha256");
        yield bytes.subarray(Math.max(0, start - from), end + 1 - from);
      }
    } finally {
      await handle.close();
    }
  }

  #read(file: File): Promise<Buffer> {
    const { path } = file;
    const current = this.#reading.get(path);
    if (current) return current;
    const reading = blockDigests(file)
      .then((digests) => {
        this.#known.set(path, digests);
        return digests;
      })
      .finally(() => this.#reading.delete(path));
    this.#reading.set(path, reading);
    return reading;
  }
}

async function blockDigests(file: File): Promise<Buffer> {
  const digests: Buffer[] = [];
  let block: Hash = createHash("sha256");
  let remaining = BLOCK_BYTES;
  const finish = (): void => {
    digests.push(block.digest());
    block = createHash("sha256");
    remaining = BLOCK_BYTES;
  };
  for await (const chunk of verifyFile(file.path, file, BLOCK_BYTES)) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + remaining);
      block.update(part);
      at += part.length;
      remaining -= part.length;
      if (remaining === 0) finish();
    }
  }
  if (remaining < BLOCK_BYTES) finish();
  return Buffer.concat(digests);
}

async function readBlock(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  try {
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
      if (bytesRead === 0) throw new FileDifference("is shorter than its stored size");
      filled += bytesRead;
    }
  } catch (error) {
    throw differenceInReading(error);
  }
  return bytes;
}
