import { chmodSync, existsSync, lstatSync } from "node:fs";
import { chmod, lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../logging/log.ts";

const GROUP_AND_OTHERS = 0o077;

export const createPrivateFiles = (): void => void process.umask(GROUP_AND_OTHERS);

/** Removes other users' access to the folder at once, and to its contents in the background. Resolves to the number of changed entries. */
export function protectFolder(folder: string, log: Log): Promise<number> {
  if (!existsSync(folder)) return Promise.resolve(0);
  const wasOpen = protectRoot(folder, log);
  return protectContents(folder, wasOpen).catch((error: unknown) => {
    log.warn({ error, folder }, "other users of this machine may be able to read files in this folder");
    return 0;
  });
}

function protectRoot(folder: string, log: Log): boolean {
  const { mode } = lstatSync(folder);
  if ((mode & GROUP_AND_OTHERS) === 0) return false;
  try {
    chmodSync(folder, mode & 0o700);
  } catch (error) {
    // A mounted folder can belong to another user.
    log.warn({ error, folder }, "other users of this machine may be able to read files in this folder");
  }
  return true;
}

async function protectContents(folder: string, wasOpen: boolean): Promise<number> {
  const open: string[] = [];
  for await (const { name } of await opendir(folder)) if (await isOpen(join(folder, name))) open.push(name);
  if (!wasOpen && open.length === 0) return 0;
  let changed = 0;
  for await (const { parentPath, name } of await opendir(folder, { recursive: true }))
    if (parentPath !== folder) changed += await protect(join(parentPath, name));
  // Last, so that an interrupted run is repeated.
  for (const name of open) changed += await protect(join(folder, name));
  return changed;
}

async function protect(path: string): Promise<number> {
  try {
    const { mode } = await lstat(path);
    if (!isOpenMode(mode)) return 0;
    await chmod(path, mode & 0o700);
    return 1;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}

const isOpen = (path: string): Promise<boolean> =>
  lstat(path).then(
    ({ mode }) => isOpenMode(mode),
    () => false,
  );

const S_IFMT = 0o170000;
const S_IFLNK = 0o120000;

/** Returns whether other users have access. A symbolic link has no permissions, and its target may be another app's. */
const isOpenMode = (mode: number): boolean => (mode & S_IFMT) !== S_IFLNK && (mode & GROUP_AND_OTHERS) !== 0;
