import type { DatabaseSync } from "node:sqlite";
import { textIndexEntry, openTextIndexes } from "../../search/text-index.ts";
import { openVectorIndexes, vectorIndexEntry } from "../../search/vector-index.ts";
import { openCatalog, qualifiedName, type Table } from "../../storage/catalog.ts";
import { openFile } from "../../storage/file.ts";
import { bytesOf, numberOf, prepare, textOf } from "../../storage/rows.ts";
import { canonicalize, DOCUMENT_LIMITS } from "../../values/canonical.ts";
import { compareKeys } from "../../values/keys.ts";
import { entryKey, idKey, idOf, parseDocument } from "../document.ts";

/** Returns the problems. Takes the deployment's lock, so no other process may use it. */
export function checkIntegrity(dir: string): string[] {
  const sql = openFile(dir);
  try {
    return [...databaseProblems(sql)];
  } finally {
    sql.close();
  }
}

export function* databaseProblems(sql: DatabaseSync): Generator<string> {
  for (const row of sql.prepare("PRAGMA integrity_check").all()) {
    if (row["integrity_check"] !== "ok") yield `SQLite: ${String(row["integrity_check"])}`;
  }
  const catalog = openCatalog(sql);
  const counts = new Map<Table, number>();
  const words = new Map<number, Set<number>>();
  const vectorIndexes = openVectorIndexes(sql);
  const vectors = new Map<number, number>();
  const entry = prepare(sql, "SELECT row FROM entries WHERE index_id = ? AND key = ?");

  for (const found of prepare(sql, "SELECT row, key, size, json FROM documents").iterate()) {
    const row = numberOf(found["0"]);
    const text = textOf(found["3"]);
    const value = parseDocument(text);
    const id = idOf(value);
    const table = catalog.tableOf(id);
    if (table === undefined) {
      yield `Document ${id}: its table is not in the catalog.`;
      continue;
    }
    counts.set(table, (counts.get(table) ?? 0) + 1);
    if (compareKeys(bytesOf(found["1"]), idKey(id)) !== 0) yield `Document ${id}: stored under another id.`;
    const canonical = canonicalize(value, DOCUMENT_LIMITS);
    if (canonical.text !== text) yield `Document ${id}: its text is not canonical.`;
    if (canonical.size !== numberOf(found["2"])) yield `Document ${id}: its size is wrong.`;
    for (const index of table.indexes.values()) {
      if (index === table.byId) continue;
      const leads = entry.get(index.id, entryKey(index, value, id));
      if (leads === undefined || numberOf(leads["0"]) !== row) yield `Document ${id}: index ${index.name} has no entry for it.`;
    }
    for (const index of table.searchIndexes.values()) {
      if (textIndexEntry(index, value) === null) continue;
      words.set(index.id, (words.get(index.id) ?? new Set()).add(row));
    }
    for (const index of table.vectorIndexes.values()) {
      const expected = vectorIndexEntry(index, value);
      if (expected === null) continue;
      vectors.set(index.id, (vectors.get(index.id) ?? 0) + 1);
      if (!vectorIndexes.has(index, row, expected)) yield `Document ${id}: vector index ${index.name} lacks its vector or its filters.`;
    }
  }

  yield* strayEntries(sql, catalog.list(), counts);
  yield* strayWords(sql, catalog.list(), words);
  for (const table of catalog.list()) {
    for (const index of table.vectorIndexes.values()) {
      const expected = vectors.get(index.id) ?? 0;
      const found = vectorIndexes.count(index);
      if (found.vectors !== expected || found.marks !== expected * index.filterFields.length)
        yield `Vector index ${qualifiedName(table)}.${index.name} has ${found.vectors} vectors and ${found.marks} filters for ${expected} documents.`;
    }
  }
}

function* strayEntries(sql: DatabaseSync, tables: Table[], counts: Map<Table, number>): Generator<string> {
  const expected = new Map<number, { name: string; count: number }>();
  for (const table of tables) {
    for (const index of table.indexes.values()) {
      if (index !== table.byId) expected.set(index.id, { name: `${qualifiedName(table)}.${index.name}`, count: counts.get(table) ?? 0 });
    }
  }
  for (const row of prepare(sql, "SELECT index_id, count(*) FROM entries GROUP BY index_id").all()) {
    const index = expected.get(numberOf(row["0"]));
    if (index === undefined) yield `There are entries of an index that is not in the catalog (${numberOf(row["0"])}).`;
    else if (index.count !== numberOf(row["1"]))
      yield `Index ${index.name} has ${numberOf(row["1"])} entries for ${index.count} documents.`;
  }
}

function* strayWords(sql: DatabaseSync, tables: Table[], words: Map<number, Set<number>>): Generator<string> {
  const textIndexes = openTextIndexes(sql);
  for (const table of tables) {
    for (const index of table.searchIndexes.values()) {
      const expected = words.get(index.id) ?? new Set();
      const rows = textIndexes.rows(index);
      if (rows.length !== expected.size || rows.some((row) => !expected.has(row))) {
        yield `Search index ${qualifiedName(table)}.${index.name} has ${rows.length} documents instead of ${expected.size}.`;
      }
    }
  }
}
