import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { FILE_NAME } from "@atelier/engine/database-file";

export type DiskUsage = {
  freeBytes: number;
  totalBytes: number;
  /** `quarantine`: files without a row, which are deleted after 30 days (docs/operation.md). Null with a deployment elsewhere. */
  databaseBytes: number | null;
  quarantine: { files: number; bytes: number } | null;
};

/** Returns the free space and the sizes of folders that are small. Stored files are not counted, because there can be millions. */
export async function diskUsage(dataDir: string, isEmbedded: boolean): Promise<DiskUsage> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const space = { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  if (!isEmbedded) return { ...space, databaseBytes: null, quarantine: null };
  const dir = join(dataDir, "convex");
  const sizes = await Promise.all([FILE_NAME, `${FILE_NAME}-wal`].map((name) => sizeOf(join(dir, name))));
  return { ...space, databaseBytes: sizes.reduce((sum, size) => sum + size, 0), quarantine: await filesBelow(join(dir, "quarantine")) };
}

async function filesBelow(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let [files, bytes] = [0, 0];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += await sizeOf(join(entry.parentPath, entry.name));
  }
  return { files, bytes };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
