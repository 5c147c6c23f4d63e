import { createReadStream } from "node:fs";
import { type FileHandle, link, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { sync } from "@atelier/engine/copy";
import { FILE_NAME } from "@atelier/engine/database-file";
import { newestCommit, writeLastCommit } from "@atelier/engine/last-commit";
import { type Backup, BLOCK_BYTES, objectName } from "./backup-records.ts";
import { MissingError, type Target } from "./target.ts";
import { DamageError, verified } from "./verified.ts";

export type RestoreOptions = {
  target: Target;
  backup: Backup;
  convexDir: string;
  secretsPath: string;
  /** Links images without comparing them, where the file system can. */
  hardLinks?: boolean;
  /** A folder with the same files. Objects are then read and compared, and the files are linked instead of written. */
  stagedFiles?: string | undefined;
};

export type Restored = {
  problems: string[];
  damaged: string[];
};

/** Writes the data of a backup. Wrong content is written as it is, and missing content is left out; both are problems. */
export async function restoreBackup({
  target,
  backup,
  convexDir,
  secretsPath,
  hardLinks = false,
  stagedFiles,
}: RestoreOptions): Promise<Restored> {
  const problems: string[] = [];
  const damaged: string[] = [];

  /** `to`: null to compare only. */
  async function copy(object: { sha256: string; size: number }, use: string, to: FileHandle | null, at: number): Promise<void> {
    const name = objectName(object.sha256);
    let position = at;
    try {
      for await (const chunk of verified(target.read(name), object, `${target.describe(name)} (${use})`)) {
        if (to === null) continue;
        for (let written = 0; written < chunk.length;)
          written += (await to.write(chunk, written, chunk.length - written, position + written)).bytesWritten;
        position += chunk.length;
      }
    } catch (error) {
      if (error instanceof MissingError) problems.push(`${error.message} (${use}).`);
      else if (error instanceof DamageError) {
        problems.push(error.message);
        damaged.push(name);
      } else throw error;
    }
  }

  const { database, secrets, files } = backup;
  await mkdir(join(convexDir, "files"), { recursive: true, mode: 0o700 });
  await writing(secretsPath, (file) => copy(secrets, "the keys", file, 0));
  await writing(join(convexDir, FILE_NAME), async (file) => {
    for (const [index, sha256] of database.blocks.entries()) {
      const at = index * BLOCK_BYTES;
      await copy({ sha256, size: Math.min(BLOCK_BYTES, database.size - at) }, "a part of the database", file, at);
    }
    await file.truncate(database.size);
  });
  for (const [name, sha256, size] of files) {
    const path = join(convexDir, "files", name);
    const object = { sha256, size };
    const use = `stored file ${name}`;
    const source = hardLinks ? target.localFile(objectName(sha256)) : null;
    if (source !== null && (await isLinked(source, path))) continue;
    if (stagedFiles !== undefined && (await isLinkedCopy(join(stagedFiles, name), path, object))) await copy(object, use, null, 0);
    else await writing(path, (file) => copy(object, use, file, 0));
  }
  if (problems.length === 0) writeLastCommit(convexDir, newestCommit(convexDir));
  await sync(join(convexDir, "files"));
  await sync(convexDir);
  return { problems, damaged };
}

const isLinked = (source: string, path: string): Promise<boolean> =>
  link(source, path).then(
    () => true,
    () => false,
  );

/** Links a file with this content. A damaged copy is no reason to distrust the object. */
async function isLinkedCopy(source: string, path: string, expected: { sha256: string; size: number }): Promise<boolean> {
  if (!(await isLinked(source, path))) return false;
  try {
    for await (const _ of verified(createReadStream(path), expected, path));
    return true;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    await rm(path);
    return false;
  }
}

async function writing(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
