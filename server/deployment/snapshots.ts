import { constants, existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { sync } from "@atelier/engine/copy";
import { FILE_NAME, FORMAT, readStoredFormat, settleFile } from "@atelier/engine/database-file";
import { newestCommit, writeLastCommit } from "@atelier/engine/last-commit";
import { reasonOf } from "./data-dir.ts";
import { StartError } from "./embedded.ts";
import { leaveRecord } from "./operation-records.ts";
import type { Log } from "../logging/log.ts";

export type Snapshot = { name: string; version: string | null; at: Date };

export type SnapshotOptions = {
  dataDir: string;
  changesFunctions: boolean;
  version: string | null;
  enabled: boolean;
  log: Log;
};

const KEPT = 3;
/** Deleted data must not stay in copies forever (docs/operation.md, Deleted data). */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const MARGIN_BYTES = 64 * 1024 * 1024;
const IN_USE_MS = 15_000;
const IN_USE = /Another process is using the data/;
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}$/;
const ABOUT = "snapshot.json";
const aboutSchema = z.object({ version: z.string().nullable() });
/** `name`: the snapshot to restore. `replaced` and `version`: name and version of the snapshot with the replaced database. */
const rollBackSchema = z.object({ name: z.string().regex(NAME), replaced: z.string().regex(NAME), version: z.string().nullable() });

const folderOf = (dataDir: string) => join(dataDir, "snapshots");

/** Copies the database before a start changes it. The caller has the lock of the data. @throws {StartError} without enough disk space */
export async function snapshotBeforeUpdate({ dataDir, changesFunctions, version, enabled, log }: SnapshotOptions): Promise<void> {
  const dir = join(dataDir, "convex");
  const format = await readStoredFormat(dir);
  if (format === null || format > FORMAT || (format === FORMAT && !changesFunctions)) return;
  if (!enabled) return log.warn("this version changes the database without a snapshot, because UPDATE_SNAPSHOTS is false");
  await settled(dir);
  const name = await storeSnapshot(dataDir, version);
  log.info(
    { snapshot: name },
    `the database was copied before this version changes it. To go back: stop the app, run "npm run rollback -- ${name}", start the earlier version`,
  );
}

export async function listSnapshots(dataDir: string): Promise<Snapshot[]> {
  const names = (await readdir(folderOf(dataDir)).catch(() => [])).filter((name) => NAME.test(name));
  const snapshots = names
    .toSorted()
    .toReversed()
    .map(async (name) => ({ name, version: await versionOf(dataDir, name), at: timeOf(name) }));
  return Promise.all(snapshots);
}

export async function removeOldSnapshots(dataDir: string, now = Date.now()): Promise<void> {
  for (const { name, at } of await listSnapshots(dataDir)) if (at.getTime() < now - KEPT_MS) await remove(dataDir, name);
}

export type RollBack = z.infer<typeof rollBackSchema>;

/** Replaces the database with a snapshot, and stores the replaced database as a new snapshot. First completes an interrupted roll-back. The caller has the lock. */
export async function rollBack(dataDir: string, name: string, version: string | null): Promise<RollBack> {
  const interrupted = await completeRollBack(dataDir);
  if (interrupted?.name === name) return interrupted;
  const dir = join(dataDir, "convex");
  await settled(dir).catch((error: unknown) => {
    if (IN_USE.test(String(error))) throw error;
  });
  const partial = partialOf(dataDir);
  const pending = { name, replaced: nameNow(), version };
  const partialFile = `${rollBackFile(dataDir)}.new`;
  try {
    await copyFile(join(folderOf(dataDir), name, FILE_NAME), partial, constants.COPYFILE_FICLONE);
    await sync(partial);
    await sync(dir);
    await writeFile(partialFile, JSON.stringify(pending), { mode: 0o600, flush: true });
    await rename(partialFile, rollBackFile(dataDir));
  } catch (error) {
    for (const path of [partial, partialFile]) await rm(path, { force: true });
    throw error;
  }
  await sync(folderOf(dataDir));
  await completeRollBack(dataDir);
  return pending;
}

/** Exchanges the files of a roll-back, also after a crash at any step. Returns null if there is none. The caller has the lock of the data. */
export async function completeRollBack(dataDir: string): Promise<RollBack | null> {
  const dir = join(dataDir, "convex");
  const stored = await readFile(rollBackFile(dataDir), "utf8").catch(ifMissing);
  if (stored === undefined) return null;
  const pending = rollBackSchema.parse(JSON.parse(stored));
  const partial = partialOf(dataDir);
  if (existsSync(partial)) {
    const folder = join(folderOf(dataDir), pending.replaced);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, ABOUT), JSON.stringify({ version: pending.version }), { mode: 0o600, flush: true });
    // A log of another database would damage the snapshot.
    for (const file of [`${FILE_NAME}-wal`, `${FILE_NAME}-shm`, FILE_NAME])
      if (!existsSync(join(folder, file))) await rename(join(dir, file), join(folder, file)).catch(ifMissing);
    await sync(folder);
    await sync(folderOf(dataDir));
    await rename(partial, join(dir, FILE_NAME));
    await sync(dir);
  }
  storeNewestCommit(dir);
  await leaveRecord(dataDir, { action: "database.rolledBack", name: pending.name, at: timeOf(pending.replaced).getTime() });
  await rm(rollBackFile(dataDir), { force: true });
  await sync(folderOf(dataDir));
  return pending;
}

/** Lets the database start although it is older than the last commit. The next start reports a snapshot that cannot be read. */
function storeNewestCommit(dir: string): void {
  let newest;
  try {
    newest = newestCommit(dir);
  } catch {
    return;
  }
  writeLastCommit(dir, newest);
}

const rollBackFile = (dataDir: string) => join(folderOf(dataDir), "rollback.json");
const partialOf = (dataDir: string) => join(dataDir, "convex", `${FILE_NAME}.partial`);

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function storeSnapshot(dataDir: string, version: string | null): Promise<string> {
  const name = nameNow();
  const [folder, partial] = [join(folderOf(dataDir), name), join(folderOf(dataDir), `${name}.partial`)];
  try {
    await removePartial(dataDir);
    await mkdir(partial, { recursive: true, mode: 0o700 });
    await copyDatabase(join(dataDir, "convex", FILE_NAME), join(partial, FILE_NAME));
    await writeFile(join(partial, ABOUT), JSON.stringify({ version }), { mode: 0o600, flush: true });
    await sync(partial);
    await rename(partial, folder);
    await sync(folderOf(dataDir));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (error instanceof StartError || reasonOf(error) === null) throw error;
    throw diskFullError(`${reasonOf(error)}`);
  }
  for (const old of (await listSnapshots(dataDir)).slice(KEPT)) await remove(dataDir, old.name);
  return name;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const isCloned = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
  if (!isCloned) {
    const [{ size }, { bavail, bsize }] = await Promise.all([stat(from), statfs(join(to, ".."))]);
    const free = bavail * bsize;
    if (free < size + MARGIN_BYTES)
      throw diskFullError(`${megabytes(size + MARGIN_BYTES)} MB are needed, and ${megabytes(free)} MB are free`);
    await copyFile(from, to);
  }
  await sync(to);
}

const diskFullError = (reason: string) =>
  new StartError(
    `This version changes the database, and DATA_DIR has too little space to copy it first: ${reason}. Nothing was changed. Free some space, or back up and start with UPDATE_SNAPSHOTS=false.`,
  );

async function settled(dir: string): Promise<void> {
  for (const deadline = Date.now() + IN_USE_MS; ; await sleep(200)) {
    try {
      return settleFile(dir);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!IN_USE.test(error.message) || Date.now() > deadline) throw new StartError(error.message, { cause: error });
    }
  }
}

async function versionOf(dataDir: string, name: string): Promise<string | null> {
  // A crash can leave the file empty, and then the server must still start.
  try {
    return aboutSchema.parse(JSON.parse(await readFile(join(folderOf(dataDir), name, ABOUT), "utf8"))).version;
  } catch {
    return null;
  }
}

async function removePartial(dataDir: string): Promise<void> {
  const names = await readdir(folderOf(dataDir)).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(".partial"))) await remove(dataDir, name);
}

const remove = (dataDir: string, name: string) => rm(join(folderOf(dataDir), name), { recursive: true, force: true });
const nameNow = () => new Date().toISOString().replace(/[:.]/g, "-").replace("Z", "");
const timeOf = (name: string) => new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})$/, "T$1:$2:$3.$4Z"));
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
