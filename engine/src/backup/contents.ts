import { createHash } from "node:crypto";
import { openCatalog, qualifiedName, type Table } from "../storage/catalog.ts";
import { openCopy } from "../storage/file.ts";
import { bigintOf, bytesOf, prepare, prepareWithBigInts, textOf } from "../storage/rows.ts";
import { sha256Hex } from "../functions/files/file-names.ts";
import { fileKey, storedFiles, type StoredFile } from "../check/stored-files.ts";
import type { Json, Timestamp } from "../values/types.ts";

export type TableContents = { rows: number; sha256: string };
export type Contents = ReturnType<typeof openContents>;

export function openContents(dir: string) {
  const sql = openCopy(dir);
  const documents = (table: Table) =>
    prepare(sql, "SELECT key, json FROM documents WHERE key >= ? AND key < ? ORDER BY key").iterate(
      table.documents.low,
      table.documents.high,
    );
  return {
    latest: (): Timestamp => bigintOf(prepareWithBigInts(sql, "SELECT value FROM clock WHERE name = 'ts'").get()?.[0]),
    identity: (): string =>
      createHash("sha256")
        .update(`backup of ${fileKey(sql)}`)
        .digest("hex"),
    /** Computes each checksum over all rows of a table in the order of their ids. Tables of components are named "component/table". */
    tables(): Record<string, TableContents> {
      const tables = openCatalog(sql).list();
      return Object.fromEntries(
        tables.map((table) => {
          const hash = createHash("sha256");
          let rows = 0;
          for (const row of documents(table)) {
            hash.update(bytesOf(row["0"])).update(textOf(row["1"])).update("\n");
            rows += 1;
          }
          return [qualifiedName(table), { rows, sha256: hash.digest("hex") }];
        }),
      );
    },
    *files(): Generator<StoredFile> {
      for (const file of storedFiles(sql)) yield { ...file, sha256: sha256Hex(file.sha256) };
    },
    *rows(table: string): Generator<{ [field: string]: Json }> {
      const found = openCatalog(sql).namespace("").find(table);
      if (found === undefined) return;
      for (const row of documents(found)) {
        const document: { [field: string]: Json } = JSON.parse(textOf(row["1"]));
        yield document;
      }
    },
    close: () => sql.close(),
  };
}
