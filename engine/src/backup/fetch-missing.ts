import { existsSync } from "node:fs";
import { open, opendir, rm } from "node:fs/promises";
import { join } from "node:path";
import { storedFiles, type StoredFile } from "../check/stored-files.ts";
import type { FileReader } from "../functions/files/bucket/file-reader.ts";
import { verifyContent, FileDifference } from "../functions/files/file-content.ts";
import { openCopy } from "../storage/file.ts";
import { sync } from "./copy.ts";

const FILES_AT_ONCE = 4;

export function missingBytes(copy: string): Promise<number> {
  return withMissing(copy, (files) => files.reduce((sum, { size }) => sum + size, 0));
}

/** Copies files from a bucket, also damaged ones. Removes files without a row, deleted during the copy. @throws {S3Error} */
export async function fetchMissing(copy: string, reader: FileReader): Promise<void> {
  const folder = join(copy, "files");
  await withMissing(copy, async (files) => {
    const fetchNext = async (): Promise<void> => {
      for (let next = files.next(); !next.done; next = files.next()) await fetchFile(next.value, join(folder, next.value.name), reader);
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, fetchNext));
  });
  const names = await withRows(copy, (files) => new Set(files.map(({ name }) => name)));
  for await (const { name } of await opendir(folder)) if (!names.has(name)) await rm(join(folder, name), { force: true });
  await sync(folder);
}

async function fetchFile(file: StoredFile, to: string, reader: FileReader): Promise<void> {
  for (const content of [() => verifyContent(reader.read(file.name), file), () => reader.read(file.name)]) {
    try {
      return await write(content(), to);
    } catch (error) {
      await rm(to, { force: true });
      if (!(error instanceof FileDifference)) throw error;
      if (error.isMissing) return;
    }
  }
}

async function write(content: AsyncIterable<Buffer>, to: string): Promise<void> {
  const file = await open(to, "wx", 0o600);
  try {
    for await (const chunk of content) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

const withMissing = <T>(copy: string, work: (files: IteratorObject<StoredFile>) => T | Promise<T>): Promise<T> =>
  withRows(copy, (files) => work(files.filter(({ name }) => !existsSync(join(copy, "files", name)))));

async function withRows<T>(copy: string, work: (files: IteratorObject<StoredFile>) => T | Promise<T>): Promise<T> {
  const sql = openCopy(copy);
  try {
    return await work(storedFiles(sql));
  } finally {
    sql.close();
  }
}
