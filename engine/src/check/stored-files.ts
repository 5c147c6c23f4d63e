import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { differenceOf } from "../functions/files/file-content.ts";
import { storedFileName } from "../functions/files/file-names.ts";
import { openCatalog } from "../storage/catalog.ts";
import { prepare, textOf } from "../storage/rows.ts";

const FILES_AT_ONCE = 4;

export type DamagedFile = { path: string; isMissing: boolean; problem: string };
type Row = { _id: string; size: number; sha256: string };

export async function fileProblems(sql: DatabaseSync, folder: string): Promise<{ damaged: DamagedFile[]; checked: number }> {
  const rows = storageRows(sql);
  const key = Buffer.from(fileKey(sql), "base64");
  const damaged: DamagedFile[] = [];
  let checked = 0;
  const checkNext = async (): Promise<void> => {
    for (let next = rows.next(); !next.done; next = rows.next()) {
      checked += 1;
      const path = join(folder, storedFileName(key, next.value._id));
      const found = await differenceOf(path, next.value);
      if (found) damaged.push({ path, isMissing: found.isMissing, problem: `Stored file ${path} (${next.value._id}) ${found.what}.` });
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, checkNext));
  return { damaged, checked };
}

function* storageRows(sql: DatabaseSync): Generator<Row> {
  const table = openCatalog(sql)
    .list()
    .find(({ name }) => name === "_storage");
  if (!table) return;
  const { low, high } = table.documents;
  for (const found of prepare(sql, "SELECT json FROM documents WHERE key >= ? AND key < ?").iterate(low, high)) {
    const row: Row = JSON.parse(textOf(found["0"]));
    yield row;
  }
}

function fileKey(sql: DatabaseSync): string {
  const row = prepare(sql, "SELECT value FROM settings WHERE name = 'secret/files'").get();
  return row === undefined ? "" : textOf(row[0]);
}
