/** Records beside the database that stored files are in a bucket, so that no start without the bucket takes them for lost. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./folders.ts";

const FILE_NAME = "file-bucket.json";

export type FileBucketMarker = {
  /** `location`: `s3://bucket/prefix`. `instance` differs between copies of a deployment. `isEmpty`: the bucket has no stored file. */
  location: string;
  instance: string;
  isClaimed: boolean;
  isEmpty: boolean;
};

/** Returns null if no stored file was ever in a bucket. @throws {Error} for an unreadable marker */
export function readFileBucketMarker(dir: string): FileBucketMarker | null {
  const path = join(dir, FILE_NAME);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  const marker: Partial<FileBucketMarker> | null = JSON.parse(text);
  const { location, instance, isClaimed, isEmpty } = marker ?? {};
  if (typeof location !== "string" || typeof instance !== "string") throw new Error(`${path} is damaged.`);
  return { location, instance, isClaimed: isClaimed === true, isEmpty: isEmpty === true };
}

export function writeFileBucketMarker(dir: string, marker: FileBucketMarker): void {
  replaceFile(join(dir, FILE_NAME), `${JSON.stringify(marker)}\n`);
}

export function locationOfFiles(dir: string): string | null {
  const marker = readFileBucketMarker(dir);
  return marker?.isClaimed && !marker.isEmpty ? marker.location : null;
}
