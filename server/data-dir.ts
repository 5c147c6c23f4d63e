import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Written to try the folder: some file systems take a file's name while they have no room for its bytes. */
const TRIAL = Buffer.alloc(4096);

/**
 * Makes the folder where it is missing, and writes a file in it: all that follows would fail in one place or another otherwise.
 * @returns what is wrong, for a message that names the setting; null: nothing
 */
export async function problemWithFolder(dir: string): Promise<string | null> {
  const trial = join(dir, `.trial-${randomUUID()}`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(trial, TRIAL, { flag: "wx", flush: true });
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return WHY[code] ?? `it cannot be written to (${code})`;
  } finally {
    await rm(trial, { force: true }).catch(() => {});
  }
}

const WHY: Record<string, string> = {
  EACCES: "this user may not write there (EACCES)",
  EPERM: "this user may not write there (EPERM)",
  EROFS: "its file system is read-only (EROFS)",
  ENOSPC: "its disk is full (ENOSPC)",
  EDQUOT: "its disk quota is used up (EDQUOT)",
  ENOTDIR: "a part of the path is a file (ENOTDIR)",
  EEXIST: "it is a file (EEXIST)",
};
