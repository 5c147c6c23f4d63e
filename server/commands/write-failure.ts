import { readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isBucket } from "@atelier/engine/s3-settings";
import { reasonOf } from "../deployment/data-dir.ts";

export type CopyJob = {
  from: string;
  to: string;
  outcome: string;
  advice: string;
};

export async function writeFailure(cause: unknown, { from, to, outcome, advice }: CopyJob): Promise<unknown> {
  const reason = reasonOf(cause);
  if (reason === null) return cause;
  const [needed, free] = await Promise.all([isBucket(from) ? null : folderBytes(from), freeBytes(to)]);
  const space = needed === null ? "" : `It needs about ${megabytes(needed)} MB; `;
  return new Error(
    `${to} cannot be written, because ${reason}, so ${outcome}. ${space}${megabytes(free)} MB are free. ` +
      `${from} is unchanged, and the incomplete copy is removed. ${advice}`,
    { cause },
  );
}

async function folderBytes(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function freeBytes(path: string): Promise<number> {
  const found = await statfs(path).catch(() => null);
  if (found) return found.bavail * found.bsize;
  return dirname(path) === path ? 0 : freeBytes(dirname(path));
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
