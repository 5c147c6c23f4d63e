/** Runs in a separate process, because closing a file releases its process's locks (fcntl(2)). Commits go to the log during a backup. */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { FILE_NAME, openFile } from "../storage/file.ts";
import { lockFolder } from "../storage/folder-lock.ts";
import { newestCommit, writeLastCommit } from "../storage/last-commit.ts";
import { loadAdminKey } from "../auth/key-file.ts";
import { readAddress } from "./address.ts";
import { requireFileBucket, type FileBucketSettings } from "../functions/files/bucket/bucket-settings.ts";
import { openFileReader } from "../functions/files/bucket/file-reader.ts";
import { copyDurably, copyFolder, sync } from "./copy.ts";
import { fetchMissing, missingBytes } from "./fetch-missing.ts";

const LOCK = "backup.lock";
const ATTEMPTS = 3;
/** Files of at most this total size are copied from a bucket while deletions wait. */
const HELD_BYTES = 64 * 1024 * 1024;
const ANSWER_WITHIN_MS = 60_000;
const OTHER_FILES = ["admin-key"];

export type BackupOptions = {
  from: string;
  to: string;
  adminKey?: string | undefined;
  /** Saves space, but damage to a live file damages the backup, too. */
  hardLinks?: boolean;
  fileBucket?: FileBucketSettings | null;
};

/** @throws {Error} when `to` exists, the data is in use by an unresponsive process, or space runs out */
export async function backUp(options: BackupOptions): Promise<{ running: boolean }> {
  const target = resolve(options.to);
  if (existsSync(target)) throw new Error(`${target} already exists. A backup never overwrites files.`);
  // A second lock on the same deployment would break the first.
  const unlockSource = lockForBackup(options.from);
  try {
    return await backUpLocked({ ...options, to: target });
  } finally {
    unlockSource();
  }
}

/** @throws {Error} when another backup holds the lock */
export function lockForBackup(folder: string): () => void {
  const unlock = lockFolder(folder, LOCK);
  if (!unlock) throw new Error(`Another backup uses ${folder}. Wait until it has ended, then try again.`);
  return unlock;
}

async function backUpLocked({
  from,
  to: target,
  adminKey,
  hardLinks = false,
  fileBucket = null,
}: BackupOptions): Promise<{ running: boolean }> {
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, "files"), { recursive: true, mode: 0o700 });
  try {
    requireFileBucket(from, fileBucket);
    const running = await copyHeld({ from, to: partial, hardLinks, adminKey, fileBucket });
    writeLastCommit(partial, newestCommit(partial));
    for (const name of OTHER_FILES) if (existsSync(join(from, name))) await copyDurably(join(from, name), join(partial, name));
    await sync(partial);
    await rename(partial, target);
    await sync(dirname(target));
    return { running };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

type Copy = { from: string; to: string; hardLinks: boolean; adminKey: string | undefined; fileBucket: FileBucketSettings | null };

/** Retries when a push or restart closed the file: that is a checkpoint, which invalidates the copy. */
async function copyHeld({ from, to, hardLinks, adminKey, fileBucket }: Copy): Promise<boolean> {
  const reader = fileBucket && openFileReader(join(from, "files"), fileBucket);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { result, isUnbroken } = await withHeldData({ from, scratch: to, adminKey }, async (dir) => {
      if (dir !== to) await copyDurably(join(dir, FILE_NAME), join(to, FILE_NAME));
      await copyFolder(join(from, "files"), join(to, "files"), { hardLinks });
      const running = dir !== to;
      if (!reader) return { running, isComplete: true };
      const isComplete = attempt === ATTEMPTS || (await missingBytes(to)) <= HELD_BYTES;
      if (isComplete) await fetchMissing(to, reader);
      return { running, isComplete };
    });
    if (isUnbroken && result.isComplete) return result.running;
    // Deletions need not wait while many files are copied from the bucket.
    if (reader && !result.isComplete) await fetchMissing(to, reader);
  }
  throw new Error("A push or a restart interrupted each attempt to copy. Try again.");
}

export type HeldOptions = {
  from: string;
  scratch: string;
  adminKey?: string | undefined;
};

/** Calls `work` with a folder whose database and files do not change meanwhile. If `isUnbroken` is false, they may have changed. */
export async function withHeldData<T>(
  { from, scratch, adminKey }: HeldOptions,
  work: (databaseDir: string) => Promise<T>,
): Promise<{ result: T; isUnbroken: boolean }> {
  const url = await readAddress(from);
  if (url !== null && (await answers(url))) {
    const { acquire, release } = holdSnapshot(url, adminKey ?? (await loadAdminKey(from)));
    const lease = await acquire();
    let isUnbroken = false;
    let result: T;
    try {
      result = await work(from);
    } finally {
      isUnbroken = await release(lease).catch(() => false);
    }
    return { result, isUnbroken };
  }
  const sql = openFile(from);
  try {
    await rm(join(scratch, FILE_NAME), { force: true });
    sql.prepare("VACUUM INTO ?").run(join(scratch, FILE_NAME));
    await sync(join(scratch, FILE_NAME));
    return { result: await work(scratch), isUnbroken: true };
  } finally {
    sql.close();
  }
}

type Hold = { acquire: () => Promise<string>; release: (hold: string) => Promise<boolean> };

function holdSnapshot(url: string, adminKey: string): Hold {
  const post = async (name: string, body: object): Promise<{ hold?: string; unbroken?: boolean }> => {
    const response = await fetch(`${url}/api/backup/${name}`, {
      method: "POST",
      headers: { Authorization: `Convex ${adminKey}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (!response.ok) throw new Error(`The deployment at ${url} refused: ${await response.text()}`);
    return response.json();
  };
  return {
    acquire: async () => (await post("hold", {})).hold ?? "",
    release: async (lease) => (await post("release", { hold: lease })).unbroken === true,
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/version`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    (response) => response.ok,
    () => false,
  );
}
