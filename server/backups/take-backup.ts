import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { lockForBackup, withHeldData } from "@atelier/engine/backup";
import { type Contents, openContents } from "@atelier/engine/contents";
import { FILE_NAME } from "@atelier/engine/database-file";
import { type Backup, BLOCK_BYTES, backupName, listBackups, readIndex, writeBackup } from "./backup-records.ts";
import { type ContentId, type ObjectWriter, plainWriter } from "./objects/backup-objects.ts";
import { type BackupKeys, type Decryption, isEncrypting, openEncryption } from "./objects/encrypted-objects.ts";
import { stageData } from "./stage-data.ts";
import type { Target } from "./targets/target.ts";
import { DamageError, verified } from "./objects/verified.ts";

/** Files of at most this total size are copied while deletions wait. More files are copied before that. */
const HELD_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 100;
const secretsSchema = z.object({ engineAdminKey: z.string() });

export type TakeOptions = {
  dataDir: string;
  target: Target;
  keys: BackupKeys;
  version: string;
  log: (problem: string) => void;
};
export type Taken = {
  name: string;
  newObjects: number;
  newBytes: number;
  /** The folder of the staged data; null when the target needs none. */
  staged: string | null;
  /** Keys that read this backup now. */
  decryption: Decryption;
};

type Missing = ContentId & { path: string };

/** Stores a backup and reuses the objects of an interrupted one. The caller has the lock of the target. */
export async function takeBackup({ dataDir, target, keys, version, log }: TakeOptions): Promise<Taken> {
  const from = join(dataDir, "convex");
  const secrets = await readFile(join(dataDir, "secrets.json"));
  const { engineAdminKey: adminKey } = secretsSchema.parse(JSON.parse(secrets.toString()));
  const unlock = lockForBackup(from);
  try {
    const encryption = isEncrypting(keys) ? await openEncryption({ target, keys, secret: adminKey }) : null;
    const objects = openObjects(encryption?.writer ?? (await plainWriter(target)));
    const take = target.isStaged ? takeStaged : takeHeld;
    const { backup, staged } = await take({ from, target, adminKey, secrets, version, log, objects });
    const name = backupName(new Date(backup.takenAt));
    await target.flush();
    await writeBackup(target, name, backup, encryption);
    await target.flush();
    return { name, ...objects.written(), staged, decryption: encryption?.decryption ?? NO_DECRYPTION };
  } finally {
    unlock();
  }
}

const NO_DECRYPTION: Decryption = { identities: [], decrypts: () => false };

type Source = Pick<TakeOptions, "target" | "version" | "log"> & { from: string; adminKey: string; secrets: Buffer; objects: Objects };
type Result = { backup: Backup; staged: string | null };

async function takeHeld({ from, target, adminKey, secrets, version, log, objects }: Source): Promise<Result> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { result, isUnbroken } = await withHeldData({ from, scratch: target.scratch, adminKey }, (dir) =>
      withContents(dir, async (contents) => {
        const missing = missingFiles(contents, objects, from);
        const isLate = attempt === ATTEMPTS;
        if (!isLate && missing.reduce((bytes, { size }) => bytes + size, 0) > HELD_BYTES) return missing;
        await requireSameDeployment(target, contents.identity());
        const takenAt = new Date();
        for (const file of missing) await storeFile(objects, file, log);
        return storeRest({ contents, objects, secrets, version, takenAt, databasePath: join(dir, FILE_NAME) });
      }),
    );
    if (Array.isArray(result)) await storeGently(objects, result);
    else if (isUnbroken) return { backup: result, staged: null };
  }
  throw new Error(INTERRUPTED);
}

/** Copies the data to this machine while deletions wait, then stores it. */
async function takeStaged({ from, target, adminKey, secrets, version, log, objects }: Source): Promise<Result> {
  const staged = join(target.scratch, "staged");
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    let takenAt = new Date();
    const { isUnbroken } = await withHeldData({ from, scratch: target.scratch, adminKey }, async (dir) => {
      takenAt = new Date();
      await stageData({ databaseDir: dir, filesDir: join(from, "files"), secrets, to: staged });
    });
    if (!isUnbroken) continue;
    return withContents(staged, async (contents) => {
      await requireSameDeployment(target, contents.identity());
      await storeGently(objects, missingFiles(contents, objects, staged), log);
      const backup = await storeRest({ contents, objects, secrets, version, takenAt, databasePath: join(staged, FILE_NAME) });
      return { backup, staged };
    });
  }
  throw new Error(INTERRUPTED);
}

const INTERRUPTED = "A push or a restart interrupted each attempt to take a backup. Try again.";

async function withContents<T>(dir: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const contents = openContents(dir);
  try {
    return await work(contents);
  } finally {
    contents.close();
  }
}

function missingFiles(contents: Contents, objects: Objects, dir: string): Missing[] {
  const found: Missing[] = [];
  for (const { name, sha256, size } of contents.files())
    if (!objects.has({ sha256, size })) found.push({ path: join(dir, "files", name), sha256, size });
  return found;
}

type Rest = { contents: Contents; objects: Objects; secrets: Buffer; version: string; takenAt: Date; databasePath: string };

/** Stores the keys and the database. The files are stored already. */
async function storeRest({ contents, objects, secrets, version, takenAt, databasePath }: Rest): Promise<Backup> {
  return {
    format: 1,
    takenAt: takenAt.toISOString(),
    version,
    deployment: contents.identity(),
    latest: String(contents.latest()),
    secrets: await objects.store(secrets),
    database: await storeDatabase(objects, databasePath),
    tables: contents.tables(),
    files: [...contents.files()].map(({ name, sha256, size }) => [name, sha256, size]),
  };
}

type Objects = ReturnType<typeof openObjects>;

function openObjects(writer: ObjectWriter) {
  let [newObjects, newBytes] = [0, 0];
  const write: ObjectWriter["write"] = async (id, content) => {
    await writer.write(id, content);
    newObjects += 1;
    newBytes += id.size;
  };
  return {
    has: writer.has,
    write,
    async store(content: Uint8Array): Promise<ContentId> {
      const id = { sha256: createHash("sha256").update(content).digest("hex"), size: content.length };
      if (!writer.has(id)) await write(id, [content]);
      return id;
    },
    written: () => ({ newObjects, newBytes }),
  };
}

/** Skips a file that is damaged already, because the rest of the backup is useful. The backup's test names the file. */
async function storeFile(objects: Objects, file: Missing, log: (problem: string) => void): Promise<void> {
  if (objects.has(file)) return;
  try {
    await objects.write(file, verified(createReadStream(file.path), file, file.path));
  } catch (error) {
    if (error instanceof DamageError) log(error.message);
    else if (isMissing(error)) log(`${file.path} is missing.`);
    else throw error;
  }
}

/** Leaves the disk to other processes half of the time. Without `log`, a copy during which deletions wait reports missing files. */
async function storeGently(objects: Objects, files: Missing[], log: TakeOptions["log"] = () => {}): Promise<void> {
  for (const file of files) {
    const started = performance.now();
    await storeFile(objects, file, log);
    await sleep(Math.min(performance.now() - started, LONGEST_PAUSE_MS));
  }
}

async function storeDatabase(objects: Objects, path: string): Promise<Backup["database"]> {
  const blocks: string[] = [];
  let size = 0;
  for await (const block of blocksOf(path)) {
    blocks.push((await objects.store(block)).sha256);
    size += block.length;
  }
  return { size, blocks };
}

async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    for (;;) {
      const block = Buffer.alloc(BLOCK_BYTES);
      let filled = 0;
      for (let read = -1; read !== 0 && filled < BLOCK_BYTES; filled += read)
        read = (await file.read(block, filled, BLOCK_BYTES - filled, null)).bytesRead;
      if (filled > 0) yield block.subarray(0, filled);
      if (filled < BLOCK_BYTES) return;
    }
  } finally {
    await file.close();
  }
}

async function requireSameDeployment(target: Target, identity: string): Promise<void> {
  const newest = (await listBackups(target)).at(-1);
  const other = newest === undefined ? null : await readIndex(target, newest).catch(() => null);
  if (other !== null && other.deployment !== identity)
    throw new Error(`${target.describe("")} has the backups of another deployment. Set BACKUP_TO to another folder or prefix.`);
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
