import type { DatabaseSync, SQLOutputValue, StatementResultingChanges } from "node:sqlite";
import { DamagedDataError } from "../values/errors.ts";
import { bytesOf, numberOf, prepare, textOf } from "./rows.ts";

/** `size` as Convex counts it; `text` is canonical JSON. */
export type StoredDocument = { row: number; size: number; text: string };
export type StoredEntry = { key: Uint8Array; size: number; text: string };

const ROWS_AT_ONCE = 256;
const CONSTRAINT_PRIMARYKEY = 1555;

export type DocumentStore = ReturnType<typeof documentStore>;

export function documentStore(sql: DatabaseSync) {
  const byKey = prepare(sql, "SELECT row, size, json FROM documents WHERE key = ?");
  const byRow = prepare(sql, "SELECT size, json FROM documents WHERE row = ?");
  const keyAt = prepare(sql, "SELECT key FROM documents WHERE row = ?");
  const insert = prepare(sql, "INSERT INTO documents (key, size, json) VALUES (?, ?, ?)");
  const update = prepare(sql, "UPDATE documents SET size = ?, json = ? WHERE row = ?");
  const remove = prepare(sql, "DELETE FROM documents WHERE row = ?");
  const insertEntry = prepare(sql, "INSERT INTO entries (index_id, key, row) VALUES (?, ?, ?)");
  const removeEntry = prepare(sql, "DELETE FROM entries WHERE index_id = ? AND key = ?");

  const entries = (direction: "ASC" | "DESC") =>
    prepare(
      sql,
      `SELECT entries.key, documents.size, documents.json FROM entries LEFT JOIN documents ON documents.row = entries.row
       WHERE index_id = ? AND entries.key >= ? AND entries.key < ? ORDER BY entries.key ${direction} LIMIT ?`,
    );
  const documents = (direction: "ASC" | "DESC") =>
    prepare(sql, `SELECT key, size, json FROM documents WHERE key >= ? AND key < ? ORDER BY key ${direction} LIMIT ?`);
  const statements = {
    asc: { entries: entries("ASC"), documents: documents("ASC") },
    desc: { entries: entries("DESC"), documents: documents("DESC") },
  };

  const tableRows = prepare(
    sql,
    `SELECT entries.key, documents.row, documents.json FROM entries CROSS JOIN documents ON documents.row = entries.row
     WHERE index_id = ? AND entries.key > ? ORDER BY entries.key LIMIT ${ROWS_AT_ONCE}`,
  );
  const count = prepare(sql, "SELECT count(*) FROM entries WHERE index_id = ?");
  const dropEntries = prepare(sql, "DELETE FROM entries WHERE index_id = ?");

  return {
    *all(index: number): Generator<{ key: Uint8Array; row: number; text: string }> {
      let last = new Uint8Array(0);
      for (;;) {
        const rows = tableRows.all(index, last);
        for (const row of rows) {
          last = new Uint8Array(bytesOf(row["0"]));
          yield { key: last, row: numberOf(row["1"]), text: textOf(row["2"]) };
        }
        if (rows.length < ROWS_AT_ONCE) return;
      }
    },
    count(index: number): number {
      return numberOf(count.get(index)?.["0"]);
    },
    dropEntries(index: number): void {
      dropEntries.run(index);
    },
    get(key: Uint8Array): StoredDocument | null {
      const row = byKey.get(key);
      return row === undefined ? null : { row: numberOf(row[0]), size: numberOf(row[1]), text: textOf(row[2]) };
    },
    atRow(row: number): { size: number; text: string } | null {
      const found = byRow.get(row);
      return found === undefined ? null : { size: numberOf(found[0]), text: textOf(found[1]) };
    },
    keyAt(row: number): Uint8Array | null {
      const found = keyAt.get(row);
      return found === undefined ? null : bytesOf(found[0]);
    },
    insert(key: Uint8Array, size: number, text: string): number {
      return Number(insert.run(key, size, text).lastInsertRowid);
    },
    update(row: number, size: number, text: string): void {
      changedOne(update.run(size, text, row));
    },
    remove(row: number): void {
      changedOne(remove.run(row));
    },
    insertEntry(index: number, key: Uint8Array, row: number): void {
      try {
        insertEntry.run(index, key, row);
      } catch (error) {
        if (error instanceof Error && "errcode" in error && error.errcode === CONSTRAINT_PRIMARYKEY)
          throw new DamagedDataError("an index entry has no document", error);
        throw error;
      }
    },
    removeEntry(index: number, key: Uint8Array): void {
      changedOne(removeEntry.run(index, key));
    },
    range(index: number, low: Uint8Array, high: Uint8Array, order: "asc" | "desc", limit: number): StoredEntry[] {
      return statements[order].entries.all(index, low, high, limit).map(toEntry);
    },
    rangeById(low: Uint8Array, high: Uint8Array, order: "asc" | "desc", limit: number): StoredEntry[] {
      return statements[order].documents.all(low, high, limit).map(toEntry);
    },
  };
}

function changedOne({ changes }: StatementResultingChanges): void {
  if (Number(changes) !== 1) throw new DamagedDataError("an index and its table have different entries");
}

function toEntry(row: Record<number, SQLOutputValue>): StoredEntry {
  return { key: bytesOf(row[0]), size: numberOf(row[1]), text: textOf(row[2]) };
}
