import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { randomUUID } from "node:crypto";
import { sync } from "@atelier/engine/copy";
import { lockForBackup } from "@atelier/engine/backup";
import { MissingError, type Target } from "./target.ts";
import { workFolder } from "./work-folder.ts";

const PARTIAL = "partial";
const READ_AT_ONCE = 1024 * 1024;

/** Never creates `root`: a missing mount would appear as an empty target. `workDir`: for unencrypted data, if `root` must not have it. */
export function folderTarget(root: string, workDir: string | null = null): Target {
  const work = workDir === null ? null : workFolder(workDir);
  const changedFolders = new Set<string>();
  const pathOf = (name: string) => join(root, name);

  async function makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first !== undefined) for (let each = folder; each !== dirname(first); each = dirname(each)) changedFolders.add(dirname(each));
    changedFolders.add(folder);
  }

  return {
    scratch: work?.scratch ?? join(root, PARTIAL),
    isStaged: work !== null,
    async lock() {
      await stat(root);
      const unlock = lockForBackup(root);
      await rm(pathOf(PARTIAL), { recursive: true, force: true });
      await mkdir(pathOf(PARTIAL), { mode: 0o700 });
      const unlockWork = await work?.lock();
      return async () => {
        await unlockWork?.();
        await rm(pathOf(PARTIAL), { recursive: true, force: true });
        unlock();
      };
    },
    async list(folder) {
      const found = new Map<string, number>();
      const entries = await readdir(pathOf(folder), { recursive: true, withFileTypes: true }).catch(async (error: unknown) => {
        if (isForbidden(error)) throw new Error(await unreadable(pathOf(folder)), { cause: error });
        return ifMissing([])(error);
      });
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        found.set(relative(root, path), (await stat(path)).size);
      }
      return found;
    },
    async *read(name) {
      try {
        for await (const chunk of createReadStream(pathOf(name), { highWaterMark: READ_AT_ONCE })) yield chunk;
      } catch (error) {
        if (isMissing(error)) throw new MissingError(`${pathOf(name)} is missing`, { cause: error });
        if (isForbidden(error)) throw new Error(await unreadable(pathOf(name)), { cause: error });
        throw error;
      }
    },
    async write(name, content) {
      const partial = join(root, PARTIAL, randomUUID());
      try {
        const file = await open(partial, "wx", 0o600);
        try {
          await file.writeFile(content);
          await file.sync();
        } finally {
          await file.close();
        }
        await makeFolder(dirname(pathOf(name)));
        await rename(partial, pathOf(name));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async flush() {
      for (const folder of changedFolders) {
        await sync(folder);
        changedFolders.delete(folder);
      }
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async setAside(name) {
      await mkdir(pathOf("damaged"), { recursive: true, mode: 0o700 });
      await rename(pathOf(name), pathOf(join("damaged", basename(name)))).catch(ifMissing(undefined));
    },
    describe: pathOf,
    localFile: pathOf,
  };
}

/** Throws an error with the owner when this user may not read the folder. */
export async function requireReadable(folder: string): Promise<void> {
  try {
    await readdir(folder);
  } catch (error) {
    if (isForbidden(error)) throw new Error(await unreadable(folder), { cause: error });
  }
}

/** Returns false for a folder of `npm run backup -- FOLDER`. */
export const isBackupFolder = (folder: string): boolean => existsSync(join(folder, "backups")) && existsSync(join(folder, "objects"));

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");

async function unreadable(path: string): Promise<string> {
  const owner = await stat(path).catch(() => null);
  return `${path} cannot be read by user ${process.getuid?.()}${owner === null ? "" : `: it belongs to user ${owner.uid}`}. Run this as its owner or as root, or copy the backups with another owner.`;
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return value;
    throw error;
  };
}
