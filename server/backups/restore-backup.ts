import { createReadStream } from "node:fs";
import { type FileHandle, link, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { sync } from "@atelier/engine/copy";
import { FILE_NAME } from "@atelier/engine/database-file";
import { newestCommit, writeLastCommit } from "@atelier/engine/last-commit";
import type { ContentId, ObjectReader } from "./objects/backup-objects.ts";
import { type Backup, BLOCK_BYTES } from "./backup-records.ts";
import { MissingError } from "./targets/target.ts";
import { DamageError, verifyContent } from "./objects/verified.ts";

export type RestoreOptions = {
  reader: ObjectReader;
  backup: Backup;
  convexDir: string;
  secretsPath: string;
  /** Links images without comparing them, where the file system can. */
  hardLinks?: boolean;
  /** A folder with the same data. Its files are linked, and replace objects that cannot be decrypted. Objects are read and compared. */
  staged?: string | null;
  writtenBytes?: number;
};

export type Restored = {
  problems: string[];
  damaged: string[];
  compared: Set<string>;
};

/** Files that are not in the staged data are written up to this total size, and only compared above it. */
const WRITTEN_BYTES = 256 * 1024 * 1024;

/** Writes the data of a backup. Wrong content is written as it is, and missing content is left out; both are problems. */
export async function restoreBackup({
  reader,
  backup,
  convexDir,
  secretsPath,
  hardLinks = false,
  staged = null,
  writtenBytes = WRITTEN_BYTES,
}: RestoreOptions): Promise<Restored> {
  const problems: string[] = [];
  const damaged: string[] = [];
  const compared = new Set<string>();
  let written = 0;

  async function copy({ id, use, stagedName, to, at = 0 }: Copy): Promise<void> {
    let position = at;
    const path = staged === null ? null : join(staged, stagedName);
    const local = path === null ? undefined : () => (id.size === 0 ? [] : createReadStream(path, { start: at, end: at + id.size - 1 }));
    try {
      for await (const chunk of reader.read(id, use, local)) {
        if (to === null) continue;
        for (let done = 0; done < chunk.length;) done += (await to.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
        position += chunk.length;
      }
    } catch (error) {
      if (error instanceof MissingError) problems.push(`${error.message} (${use}).`);
      else if (error instanceof DamageError) {
        problems.push(error.message);
        const name = reader.nameOf(id);
        if (name !== null && !error.isLocal) damaged.push(name);
      } else throw error;
    }
  }

  const { database, secrets, files } = backup;
  await mkdir(join(convexDir, "files"), { recursive: true, mode: 0o700 });
  await writing(secretsPath, (to) => copy({ id: secrets, use: "the keys", stagedName: "secrets.json", to }));
  await writing(join(convexDir, FILE_NAME), async (to) => {
    for (const [index, sha256] of database.blocks.entries()) {
      const at = index * BLOCK_BYTES;
      const id = { sha256, size: Math.min(BLOCK_BYTES, database.size - at) };
      await copy({ id, use: "a part of the database", stagedName: FILE_NAME, to, at });
    }
    await to.truncate(database.size);
  });
  for (const [name, sha256, size] of files) {
    const path = join(convexDir, "files", name);
    const file = { id: { sha256, size }, use: `stored file ${name}`, stagedName: join("files", name) };
    const source = hardLinks ? reader.linkSource(file.id) : null;
    if (source !== null && (await isLinked(source, path))) continue;
    if (staged !== null && (await isLinkedCopy(join(staged, file.stagedName), path, file.id))) await copy({ ...file, to: null });
    else if (staged === null || written + size <= writtenBytes) {
      await writing(path, (to) => copy({ ...file, to }));
      written += size;
    } else {
      compared.add(name);
      await copy({ ...file, to: null });
    }
  }
  if (problems.length === 0) writeLastCommit(convexDir, newestCommit(convexDir));
  await sync(join(convexDir, "files"));
  await sync(convexDir);
  return { problems, damaged, compared };
}

type Copy = {
  id: ContentId;
  use: string;
  stagedName: string;
  /** Null to compare only. */
  to: FileHandle | null;
  /** Byte offset of the content in both files. */
  at?: number;
};

const isLinked = (source: string, path: string): Promise<boolean> =>
  link(source, path).then(
    () => true,
    () => false,
  );

/** Links a file with this content. Returns false for a missing or damaged copy, because the object may be intact. */
async function isLinkedCopy(source: string, path: string, expected: ContentId): Promise<boolean> {
  if (!(await isLinked(source, path))) return false;
  try {
    for await (const _ of verifyContent(createReadStream(path), expected, path));
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
