import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import type { FileReader } from "../functions/files/bucket/file-reader.ts";
import { storedFileName } from "../functions/files/file-names.ts";
import { openCatalog } from "../storage/catalog.ts";
import { prepare, textOf } from "../storage/rows.ts";

const FILES_AT_ONCE = 4;

export type DamagedFile = { path: string; isMissing: boolean; isLocal: boolean; problem: string };

/** `name` is the file's name in the folder; `sha256` is in hex or base64. */
export type StoredFile = { id: string; name: string; size: number; sha256: string };

/** @throws {S3Error} when a bucket cannot be read */
export async function fileProblems(sql: DatabaseSync, reader: FileReader): Promise<{ damaged: DamagedFile[]; checked: number }> {
  const files = storedFiles(sql);
  const damaged: DamagedFile[] = [];
  let checked = 0;
  const checkNext = async (): Promise<void> => {
    for (let next = files.next(); !next.done; next = files.next()) {
      checked += 1;
      const { id, name } = next.value;
      const found = await reader.differenceOf(next.value);
      const path = reader.placeOf(name);
      const problem = `Stored file ${path} (${id}) ${found?.what}.`;
      if (found) damaged.push({ path, isMissing: found.isMissing, isLocal: reader.isLocal(name), problem });
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, checkNext));
  return { damaged, checked };
}

export function* storedFiles(sql: DatabaseSync): Generator<StoredFile> {
  const key = Buffer.from(fileKey(sql), "base64");
  for (const { name, documents } of openCatalog(sql).list()) {
    if (name !== "_storage") continue;
    for (const found of prepare(sql, "SELECT json FROM documents WHERE key >= ? AND key < ?").iterate(documents.low, documents.high)) {
      const { _id: id, size, sha256 }: { _id: string; size: number; sha256: string } = JSON.parse(textOf(found["0"]));
      yield { id, name: storedFileName(key, id), size, sha256 };
    }
  }
}

/** Returns the secret of file names, which is the same in all copies of a deployment. */
export function fileKey(sql: DatabaseSync): string {
  const row = prepare(sql, "SELECT value FROM settings WHERE name = 'secret/files'").get();
  return row === undefined ? "" : textOf(row[0]);
}
