import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { DamagedDataError } from "../../values/errors.ts";
import { BlockDigests } from "./block-digests.ts";
import { comparedContent, differenceOf, FileDifference } from "./file-content.ts";
import { sameChecksum } from "./file-names.ts";
import { APP } from "../paths.ts";
import type { QuestionName, Questions } from "../transactor/transactor-protocol.ts";
import type { FileStore, OpenFile } from "../types.ts";
import { UploadTokens } from "./upload-tokens.ts";

const CHUNK_BYTES = 64 * 1024;

type SendRequest = <K extends QuestionName>(kind: K, params: Questions[K]["params"]) => Promise<Questions[K]["answer"]>;

export class ChecksumError extends Error {}

export async function openFileStore(dir: string, transactor: { request: SendRequest }): Promise<FileStore> {
  const uploads = join(dir, "uploads");
  await rm(uploads, { recursive: true, force: true });
  await mkdir(uploads, { recursive: true });
  await mkdir(join(dir, "files"), { recursive: true });
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
        return await transactor.request("storeFile", file);
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
      try {
        yield* range ? blocks.range(file, range) : comparedContent(file.path, file, CHUNK_BYTES);
      } catch (error) {
        throw error instanceof FileDifference ? await reported(file, error) : error;
      }
    },
    async verify(file) {
      const difference = await differenceOf(file.path, file);
      if (difference) throw await reported(file, difference);
    },
  };

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
