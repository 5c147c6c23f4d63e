import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { DamagedDataError } from "../../values/errors.ts";
import { BlockDigests } from "./block-digests.ts";
import { verifyFile, FileDifference } from "./file-content.ts";
import { sameChecksum } from "./file-names.ts";
import { FileUnavailableError, type FileBytes, type LocalCopy } from "./local-copy.ts";
import { APP } from "../paths.ts";
import type { SendRequest } from "../transactor/transactor-protocol.ts";
import type { FileStore, OpenFile } from "../types.ts";
import { UploadTokens } from "./upload-tokens.ts";

const CHUNK_BYTES = 64 * 1024;
/** A file can move between the disk and a bucket while it is opened. */
const READ_ATTEMPTS = 3;
const VERIFIED_FOR_MS = 60_000;

export class ChecksumError extends Error {}

export async function prepareFolders(dir: string): Promise<void> {
  await rm(join(dir, "uploads"), { recursive: true, force: true });
  await mkdir(join(dir, "uploads"), { recursive: true });
  await mkdir(join(dir, "files"), { recursive: true });
}

export async function openFileStore(dir: string, transactor: { request: SendRequest }, bytes: FileBytes): Promise<FileStore> {
  const uploads = join(dir, "uploads");
  const blocks = new BlockDigests();
  const tokens = new UploadTokens(Buffer.from(await transactor.request("uploadKey", null), "base64"));

  return {
    issueUploadToken: (component) => tokens.issue(component),
    checkUploadToken: (token) => tokens.check(token),
    async store(body, { contentType, sha256, component = APP }) {
      const temporary = join(uploads, randomUUID());
      try {
        const written = await write(body, temporary);
        if (sha256 !== undefined && !sameChecksum(sha256, written.digest)) {
          throw new ChecksumError("The stored bytes do not match the given sha256 checksum.");
        }
        const file = { component, temporary, sha256: written.digest.toString("base64"), size: written.size, contentType };
        const id = await transactor.request("storeFile", file);
        bytes.stored();
        return id;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async open(uuid) {
      const row = await transactor.request("findFile", { uuid });
      return row && { path: join(dir, "files", uuid), size: row.size, sha256: row.sha256, contentType: row.contentType };
    },
    async *read(file, range) {
      const state = { hasBegun: false };
      const content = async function* (path: string): AsyncGenerator<Uint8Array, void, undefined> {
        for await (const chunk of range ? blocks.range({ ...file, path }, range) : verifyFile(path, file, CHUNK_BYTES)) {
          state.hasBegun = true;
          yield chunk;
        }
      };
      for (let attempt = 1; ; attempt += 1) {
        const copy = await acquire(file);
        try {
          return yield* content(copy.path);
        } catch (error) {
          await recover(error, file, copy, state.hasBegun || attempt === READ_ATTEMPTS);
        } finally {
          copy.release();
        }
      }
    },
    async verify(file) {
      for (let attempt = 1; ; attempt += 1) {
        const copy = await acquire(file);
        try {
          for await (const _ of verifyFile(copy.path, file, CHUNK_BYTES));
          setTimeout(() => copy.release(), VERIFIED_FOR_MS).unref();
          return copy.path;
        } catch (error) {
          copy.release();
          await recover(error, file, copy, attempt === READ_ATTEMPTS);
        }
      }
    },
    status: () => bytes.status(),
  };

  async function acquire(file: Pick<OpenFile, "path" | "size" | "sha256">): Promise<LocalCopy> {
    try {
      return await bytes.acquire(file);
    } catch (error) {
      throw error instanceof FileDifference ? await reported(file, error) : error;
    }
  }

  /** Returns if reading can be tried again: a copy of a file in a bucket was damaged, or the file moved. Otherwise throws. */
  async function recover(error: unknown, file: Pick<OpenFile, "path">, copy: LocalCopy, isLast: boolean): Promise<void> {
    if (!(error instanceof FileDifference)) throw error;
    if (copy.isCached) await bytes.discard(file);
    const canRepeat = copy.isCached || (error.isMissing && bytes.status() !== null);
    if (!canRepeat) throw await reported(file, error);
    if (isLast) throw new FileUnavailableError(error);
  }

  /** Stops all writes, unless the file is missing, because it may just have been deleted. */
  async function reported(file: Pick<OpenFile, "path">, difference: FileDifference): Promise<Error> {
    const what = `stored file ${basename(file.path)} ${difference.what}`;
    if (difference.isMissing) return new Error(`The ${what}.`);
    await transactor.request("reportDamage", { what });
    return new DamagedDataError(what);
  }
}

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
