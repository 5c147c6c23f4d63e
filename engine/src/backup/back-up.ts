/**
 * Copies a deployment's folder, also while it runs. It runs in a process of its own, since closing a file gives up all locks that a process has
 * on it (fcntl(2)), and the deployment's lock is one of these.
 *
 * SQLite writes into the file itself only at checkpoints: a deployment that is asked to hold makes one, then none until it is released, so the
 * file stands still while commits go on into the log beside it. Stored files never change, and those deleted meanwhile stay until then, too.
 */
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { FILE_NAME, openFile } from "../storage/file.ts";
import { keptAdminKey } from "../auth/key-file.ts";
import { keptAddress } from "./address.ts";

const ATTEMPTS = 3;
const ANSWER_WITHIN_MS = 60_000;
/** Kept beside the data, and not made anew. */
const KEPT_BESIDE = ["admin-key"];

export type BackupOptions = {
  /** The deployment's folder. */
  from: string;
  /** Must not exist; it is there when all of it is. */
  to: string;
  /** Without one, the key kept in `from`. */
  adminKey?: string | undefined;
};

/**
 * Answers whether the deployment was running. To restore, put the folder where the deployment's was, while none runs there.
 * @throws {Error} when `to` exists, when the data is in use by something that does not answer, or when there is no room
 */
export async function backUp({ from, to, adminKey }: BackupOptions): Promise<{ running: boolean }> {
  const target = resolve(to);
  const partial = `${target}.partial`;
  if (await exists(target)) throw new Error(`${target} exists already: a backup is never written over.`);
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, "files"), { recursive: true, mode: 0o700 });
  try {
    const url = await keptAddress(from);
    const running = url !== null && (await answers(url));
    if (running) await copyHeld(from, partial, hold(url, adminKey ?? (await keptAdminKey(from))));
    else await copyResting(from, partial);
    for (const name of KEPT_BESIDE) if (await exists(join(from, name))) await copyFile(join(from, name), join(partial, name));
    await sync(partial);
    await rename(partial, target);
    return { running };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

type Hold = { take: () => Promise<string>; release: (hold: string) => Promise<boolean> };

function hold(url: string, adminKey: string): Hold {
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
    take: async () => (await post("hold", {})).hold ?? "",
    release: async (held) => (await post("release", { hold: held })).unbroken === true,
  };
}

/** A push or a restart in between closes the file, which is a checkpoint: what was copied is then worth nothing, and copied again. */
async function copyHeld(from: string, to: string, { take, release }: Hold): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const held = await take();
    let unbroken = false;
    try {
      await copyFile(join(from, FILE_NAME), join(to, FILE_NAME), constants.COPYFILE_FICLONE);
      await copyFiles(join(from, "files"), join(to, "files"));
    } finally {
      unbroken = await release(held);
    }
    if (unbroken) return;
  }
  throw new Error("The deployment was pushed to or restarted each time it was copied. Try again.");
}

/** Nobody else can open it meanwhile. @throws {StorageError} when somebody has */
async function copyResting(from: string, to: string): Promise<void> {
  const sql = openFile(from);
  try {
    sql.prepare("VACUUM INTO ?").run(join(to, FILE_NAME));
    await copyFiles(join(from, "files"), join(to, "files"));
  } finally {
    sql.close();
  }
}

/** Files never change, so that one on the same disk need not be there twice. */
async function copyFiles(from: string, to: string): Promise<void> {
  for (const name of (await exists(from)) ? await readdir(from) : []) {
    const [source, copy] = [join(from, name), join(to, name)];
    await rm(copy, { force: true });
    // Gone since the folder was listed: deleted before the hold, then, and in no row of the copy.
    await link(source, copy).catch(() => copyFile(source, copy).catch(ignoreAbsent));
  }
}

async function sync(folder: string): Promise<void> {
  for (const path of [join(folder, FILE_NAME), join(folder, "files"), folder]) {
    const handle = await open(path, "r");
    await handle.sync();
    await handle.close();
  }
}

const exists = async (path: string): Promise<boolean> => {
  const names = await readdir(resolve(path, "..")).catch(() => Array<string>());
  return names.includes(basename(path));
};

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/version`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    (response) => response.ok,
    () => false,
  );
}
