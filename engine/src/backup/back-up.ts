/** Runs in a separate process, because closing a file releases its process's locks (fcntl(2)). Meanwhile commits go to the log. */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { FILE_NAME, openFile } from "../storage/file.ts";
import { lockFolder } from "../storage/folder-lock.ts";
import { newestCommit, writeLastCommit } from "../storage/last-commit.ts";
import { loadAdminKey } from "../auth/key-file.ts";
import { readAddress } from "./address.ts";
import { copyDurably, copyFolder, sync } from "./copy.ts";

const LOCK = "backup.lock";
const ATTEMPTS = 3;
const ANSWER_WITHIN_MS = 60_000;
const OTHER_FILES = ["admin-key"];

export type BackupOptions = {
  from: string;
  to: string;
  adminKey?: string | undefined;
  /** Saves space, but damage to a live file damages the backup, too. */
  hardLinks?: boolean;
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

async function backUpLocked({ from, to: target, adminKey, hardLinks = false }: BackupOptions): Promise<{ running: boolean }> {
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, "files"), { recursive: true, mode: 0o700 });
  try {
    const url = await readAddress(from);
    const running = url !== null && (await answers(url));
    if (running) await copyHeld({ from, to: partial, hardLinks }, holdSnapshot(url, adminKey ?? (await loadAdminKey(from))));
    else await copyResting({ from, to: partial, hardLinks });
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

type Copy = { from: string; to: string; hardLinks: boolean };

/** Retries after a push or restart closed the file, because the checkpoint of a close invalidates the copy. */
async function copyHeld({ from, to, hardLinks }: Copy, { acquire, release }: Hold): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lease = await acquire();
    let unbroken = false;
    try {
      await copyDurably(join(from, FILE_NAME), join(to, FILE_NAME));
      await copyFolder(join(from, "files"), join(to, "files"), { hardLinks });
    } finally {
      unbroken = await release(lease);
    }
    if (unbroken) return;
  }
  throw new Error("A push or a restart interrupted each attempt to copy. Try again.");
}

async function copyResting({ from, to, hardLinks }: Copy): Promise<void> {
  const sql = openFile(from);
  try {
    sql.prepare("VACUUM INTO ?").run(join(to, FILE_NAME));
    await sync(join(to, FILE_NAME));
    await copyFolder(join(from, "files"), join(to, "files"), { hardLinks });
  } finally {
    sql.close();
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/version`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    (response) => response.ok,
    () => false,
  );
}
