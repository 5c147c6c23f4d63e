import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { lockForBackup, withHeldData } from "@atelier/engine/backup";
import { type Contents, openContents } from "@atelier/engine/contents";
import { FILE_NAME } from "@atelier/engine/database-file";
import { type FileBucketSettings, requireFileBucket } from "@atelier/engine/file-bucket-settings";
import { FileDifference } from "@atelier/engine/file-difference";
import { type FileReader, openFileReader } from "@atelier/engine/file-reader";
import { S3Error } from "@atelier/engine/s3-error";
import { type Backup, BLOCK_BYTES, backupName, listBackups, readIndex, writeBackup } from "./backup-records.ts";
import { type ContentId, type ObjectWriter, plainWriter } from "./objects/backup-objects.ts";
import { type BackupKeys, type Decryption, isEncrypting, openEncryption } from "./objects/encrypted-objects.ts";
import { stageData } from "./stage-data.ts";
import type { Target } from "./targets/target.ts";
import { DamageError, verifyContent } from "./objects/verified.ts";

/** Files of at most this total size are copied while deletions wait. More files are copied before that. */
const HELD_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 100;
const secretsSchema = z.object({ engineAdminKey: z.string() });

export type TakeOptions = {
  dataDir: string;
  target: Target;
  keys: BackupKeys;
  fileBucket: FileBucketSettings | null;
  version: string;
  log: (problem: string) => void;
};
export type TakenBackup = {
  name: string;
  newObjects: number;
  newBytes: number;
  staged: string | null;
  decryption: Decryption;
};

type Missing = ContentId & { name: string };

/** Stores a backup and reuses the objects of an interrupted one. The caller has the lock of the target. */
export async function takeBackup({ dataDir, target, keys, fileBucket, version, log }: TakeOptions): Promise<TakenBackup> {
  const from = join(dataDir, "convex");
  requireFileBucket(from, fileBucket);
  const secrets = await readFile(join(dataDir, "secrets.json"));
  const { engineAdminKey: adminKey } = secretsSchema.parse(JSON.parse(secrets.toString()));
  const unlock = lockForBackup(from);
  try {
    const encryption = isEncrypting(keys) ? await openEncryption({ target, keys, secret: adminKey }) : null;
    const objects = openObjects(encryption?.writer ?? (await plainWriter(target)));
    const take = target.isStaged ? takeStaged : takeHeld;
    const { backup, staged } = await take({ from, target, adminKey, secrets, fileBucket, version, log, objects });
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

type Source = Pick<TakeOptions, "target" | "fileBucket" | "version" | "log"> & {
  from: string;
  adminKey: string;
  secrets: Buffer;
  objects: Objects;
};
type Result = { backup: Backup; staged: string | null };

async function takeHeld({ from, target, adminKey, secrets, fileBucket, version, log, objects }: Source): Promise<Result> {
  const reader = openReader(from, fileBucket);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { result, isUnbroken } = await withHeldData({ from, scratch: target.scratch, adminKey }, (dir) =>
      withContents(dir, async (contents) => {
        const missing = missingFiles(contents, objects);
        if (attempt < ATTEMPTS && bytesOf(missing) > HELD_BYTES) return missing;
        await requireSameDeployment(target, contents.identity());
        const takenAt = new Date();
        for (const file of missing) await storeFile({ objects, reader, log }, file);
        return storeRest({ contents, objects, secrets, version, takenAt, databasePath: join(dir, FILE_NAME) });
      }),
    );
    if (Array.isArray(result)) await storeGently({ objects, reader }, result);
    else if (isUnbroken) return { backup: result, staged: null };
  }
  throw new Error(INTERRUPTED);
}

async function takeStaged({ from, target, adminKey, secrets, fileBucket, version, log, objects }: Source): Promise<Result> {
  const staged = join(target.scratch, "staged");
  const reader = openReader(from, fileBucket);
  const stagedReader = openReader(staged, null);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    let takenAt = new Date();
    const { result: remote, isUnbroken } = await withHeldData({ from, scratch: target.scratch, adminKey }, async (dir) => {
      takenAt = new Date();
      await stageData({ databaseDir: dir, filesDir: join(from, "files"), secrets, to: staged });
      if (!fileBucket) return [];
      return withContents(staged, async (contents) => {
        const missing = missingFiles(contents, objects).filter(({ name }) => !stagedReader.isLocal(name));
        if (attempt < ATTEMPTS && bytesOf(missing) > HELD_BYTES) return missing;
        for (const file of missing) await storeFile({ objects, reader, log }, file);
        return [];
      });
    });
    if (remote.length > 0) await storeGently({ objects, reader }, remote);
    if (!isUnbroken || remote.length > 0) continue;
    return withContents(staged, async (contents) => {
      await requireSameDeployment(target, contents.identity());
      await storeGently({ objects, reader: stagedReader, log }, missingFiles(contents, objects));
      const backup = await storeRest({ contents, objects, secrets, version, takenAt, databasePath: join(staged, FILE_NAME) });
      return { backup, staged };
    });
  }
  throw new Error(INTERRUPTED);
}

const openReader = (dir: string, fileBucket: FileBucketSettings | null): FileReader => openFileReader(join(dir, "files"), fileBucket);
const bytesOf = (files: Missing[]): number => files.reduce((bytes, { size }) => bytes + size, 0);

const INTERRUPTED = "A push or a restart interrupted each attempt to take a backup. Try again.";

async function withContents<T>(dir: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const contents = openContents(dir);
  try {
    return await work(contents);
  } finally {
    contents.close();
  }
}

function missingFiles(contents: Contents, objects: Objects): Missing[] {
  const found: Missing[] = [];
  for (const { name, sha256, size } of contents.files()) if (!objects.has({ sha256, size })) found.push({ name, sha256, size });
  return found;
}

type Rest = { contents: Contents; objects: Objects; secrets: Buffer; version: string; takenAt: Date; databasePath: string };

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

type Storing = { objects: Objects; reader: FileReader; log?: TakeOptions["log"] };

/** Skips a file that is damaged already, because the rest of the backup is useful. The backup's test names the file. */
async function storeFile({ objects, reader, log = () => {} }: Storing, file: Missing): Promise<void> {
  if (objects.has(file)) return;
  const place = reader.placeOf(file.name);
  try {
    await objects.write(file, verifyContent(contentOf(reader, file.name), file, place));
  } catch (error) {
    if (error instanceof DamageError) log(error.message);
    else if (error instanceof FileDifference) log(`${place} ${error.what}.`);
    else throw error;
  }
}

/** Names the bucket of the files when it fails, because the target of the backup can be a bucket, too. */
async function* contentOf(reader: FileReader, name: string): AsyncGenerator<Buffer> {
  try {
    yield* reader.read(name);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new Error(`${reader.placeOf(name)} cannot be read, because ${error.reason}.`, { cause: error });
  }
}

/** Leaves the disk to other processes half of the time. Without `log`, missing files are reported by the later copy, during which no file is deleted. */
async function storeGently(storing: Storing, files: Missing[]): Promise<void> {
  for (const file of files) {
    const started = performance.now();
    await storeFile(storing, file);
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
