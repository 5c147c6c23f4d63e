/** File storage as the main thread offers it: bytes are streamed to disk here, rows are the transactor's. */
import { Buffer } from "node:buffer";
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { QuestionName, Questions } from "./protocol.ts";
import type { FileStore } from "./types.ts";
import { UploadTokens } from "./upload-tokens.ts";

type Ask = <K extends QuestionName>(kind: K, ask: Questions[K]["ask"]) => Promise<Questions[K]["answer"]>;

/** What arrived is not what the uploader said it would be. */
export class ChecksumError extends Error {}

/** Opens DIR/files and DIR/uploads; what an earlier process left half-written in the latter goes. */
export async function openFileStore(dir: string, transactor: { ask: Ask }): Promise<FileStore> {
  const uploads = join(dir, "uploads");
  await rm(uploads, { recursive: true, force: true });
  await mkdir(uploads, { recursive: true });
  await mkdir(join(dir, "files"), { recursive: true });
  const tokens = new UploadTokens(Buffer.from(await transactor.ask("uploadKey", null), "base64"));

  return {
    issueUploadToken: () => tokens.issue(),
    checkUploadToken: (token) => tokens.check(token),
    async store(body, { contentType, sha256 }) {
      const temporary = join(uploads, randomUUID());
      try {
        const written = await write(body, temporary);
        if (sha256 !== undefined && !sameChecksum(sha256, written.digest)) {
          throw new ChecksumError("The stored bytes do not match the given sha256 checksum.");
        }
        const file = { temporary, sha256: written.digest.toString("base64"), size: written.size, contentType };
        return await transactor.ask("storeFile", file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async open(uuid) {
      const row = await transactor.ask("findFile", { uuid });
      return row && { path: join(dir, "files", uuid), size: row.size, sha256: row.sha256, contentType: row.contentType };
    },
  };
}

const SWEPT_AT_ONCE = 500;

/** Removes bytes without a row: what an upload or a deletion left that a crash cut short. */
export async function sweepFiles(dir: string, transactor: { ask: Ask }): Promise<void> {
  const folder = join(dir, "files");
  const names = await readdir(folder);
  for (let start = 0; start < names.length; start += SWEPT_AT_ONCE) {
    const stray = await transactor.ask("strayFiles", { names: names.slice(start, start + SWEPT_AT_ONCE) });
    await Promise.all(stray.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  }
}

/** Writes and hashes what comes, a piece after the other, and waits until it is on the disk. */
async function write(body: AsyncIterable<Uint8Array>, path: string): Promise<{ size: number; digest: Buffer }> {
  const hash = createHash("sha256");
  const file = await open(path, "wx");
  let size = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      for (let written = 0; written < chunk.byteLength;) {
        const { bytesWritten } = await file.write(chunk, written, chunk.byteLength - written);
        written += bytesWritten;
      }
      size += chunk.byteLength;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, digest: hash.digest() };
}

/** A checksum is given in base64 (HTTP's Digest header) or in hex. */
function sameChecksum(given: string, digest: Buffer): boolean {
  const bytes = Buffer.from(given, /^[0-9a-f]{64}$/i.test(given) ? "hex" : "base64");
  return bytes.length === digest.length && timingSafeEqual(bytes, digest);
}
