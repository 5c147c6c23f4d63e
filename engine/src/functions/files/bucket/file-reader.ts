import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { S3Error } from "../../../s3/s3-error.ts";
import { verifyContent, differenceInReading, FileDifference } from "../file-content.ts";
import type { FileBucketSettings } from "./bucket-settings.ts";
import { FileBucket } from "./file-bucket.ts";

type Row = { name: string; size: number; sha256: string };

/** Reads stored files outside the deployment's main thread, and changes nothing. */
export type FileReader = {
  isLocal(name: string): boolean;
  placeOf(name: string): string;
  /** Yields the bytes as they are stored. @throws {FileDifference} for a missing file, {S3Error} */
  read(name: string): AsyncGenerator<Buffer, void, undefined>;
  /** Returns how a file differs from its row, or null. @throws {S3Error} */
  differenceOf(row: Row): Promise<FileDifference | null>;
};

const CHUNK_BYTES = 64 * 1024;

/** @param folder the folder of local files @param settings null without a bucket */
export function openFileReader(folder: string, settings: FileBucketSettings | null): FileReader {
  const bucket = settings && new FileBucket(settings);

  async function* read(name: string): AsyncGenerator<Buffer, void, undefined> {
    // A file can move between the disk and the bucket. Its new place is written before the old one is removed.
    for (const isLast of [false, true]) {
      const content = yield* localContent(join(folder, name));
      if (content === "read") return;
      if (!bucket) break;
      try {
        return yield* bucket.read(name);
      } catch (error) {
        if (!(error instanceof S3Error && error.code === "NoSuchKey")) throw error;
        if (isLast) break;
      }
    }
    throw new FileDifference("is missing", { isMissing: true });
  }

  const isLocal = (name: string): boolean => existsSync(join(folder, name));
  return {
    isLocal,
    placeOf: (name) => (bucket && !isLocal(name) ? `${bucket.location}/files/${name}` : join(folder, name)),
    read,
    async differenceOf(row) {
      try {
        for await (const _ of verifyContent(read(row.name), row));
        return null;
      } catch (error) {
        if (error instanceof FileDifference) return error;
        throw error;
      }
    },
  };
}

async function* localContent(path: string): AsyncGenerator<Buffer, "read" | "missing", undefined> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
    return "read";
  } catch (error) {
    const difference = differenceInReading(error);
    if (difference.isMissing) return "missing";
    throw difference;
  }
}
