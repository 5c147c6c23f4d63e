import { randomUUID } from "node:crypto";
import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A trial needs content, because a full file system may still create an empty file. */
const TRIAL = Buffer.alloc(4096);

export async function problemWithFolder(dir: string): Promise<string | null> {
  const testFile = join(dir, `.trial-${randomUUID()}`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(testFile, TRIAL, { flag: "wx", flush: true });
    return null;
  } catch (error) {
    const reason = reasonOf(error) ?? `it cannot be written to (${String(error)})`;
    return isForbidden(error) ? `${reason}: ${await ownership(dir)}` : reason;
  } finally {
    await rm(testFile, { force: true }).catch(() => {});
  }
}

/** Never creates the folder, because a missing mount would then appear as an empty folder. */
export async function problemWithExistingFolder(dir: string): Promise<string | null> {
  const found = await stat(dir).catch(() => null);
  return found === null ? "it does not exist, or its disk is not mounted" : problemWithFolder(dir);
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");

async function ownership(dir: string): Promise<string> {
  for (let folder = dir; ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (!found && folder !== dirname(folder)) continue;
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    return `${folder} belongs to user ${found?.uid} and group ${found?.gid}, and the app runs as user ${uid} and group ${gid}`;
  }
}

const START_BYTES = 8 * 1024 * 1024;
/** With less free space, the server is not ready. */
export const MIN_FREE_BYTES = 128 * 1024 * 1024;

export async function diskSpaceProblem(dir: string): Promise<string | null> {
  const { bavail, bsize } = await statfs(dir).catch(() => ({ bavail: Infinity, bsize: 1 }));
  const freeBytes = bavail * bsize;
  return freeBytes < START_BYTES
    ? `The disk of ${dir} is full (${Math.floor(freeBytes / 1024)} KiB free). Free some space, then start again.`
    : null;
}

export function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("errcode" in error && error.errcode === SQLITE_FULL) return WHY["ENOSPC"] ?? null;
  return "code" in error ? (WHY[String(error.code)] ?? null) : null;
}

const SQLITE_FULL = 13;

const WHY: Record<string, string> = {
  EACCES: "this user may not write there (EACCES)",
  EPERM: "this user may not write there (EPERM)",
  EROFS: "its file system is read-only (EROFS)",
  ENOSPC: "its disk is full (ENOSPC)",
  EDQUOT: "its disk quota is used up (EDQUOT)",
  ENOTDIR: "a part of the path is a file (ENOTDIR)",
  EEXIST: "it is a file (EEXIST)",
};
