import type { DatabaseSync } from "node:sqlite";
import { textIndexEntry } from "../../search/text-index.ts";
import { vectorIndexEntry } from "../../search/vector-index.ts";
import { qualifiedName, type Table } from "../../storage/catalog.ts";
import { bytesOf, numberOf, prepare, textOf } from "../../storage/rows.ts";
import { FunctionError } from "../../values/errors.ts";
import { idRange } from "../../values/ids.ts";
import { encodeKey, FIRST_KEY, keyAfter, LAST_KEY } from "../../values/keys.ts";
import { idInKey, idOf, parseDocument } from "../document.ts";
import type { StorageContext } from "../transaction.ts";
import type { Settings } from "../types.ts";
import { importTarget } from "./import-target.ts";
import type { StagedImport } from "./staged-import.ts";

const ROWS_AT_ONCE = 5_000;
const DOCUMENTS_AT_ONCE = 500;
const STORAGE = "_storage";

export type Importing = { sql: DatabaseSync; context: StorageContext; settings: Settings };

const tableOf = ({ catalog }: StorageContext, { component, name }: { component: string; name: string }): Table =>
  catalog.namespace(component).table(name);

/** @throws {FunctionError} if the import no longer fits the deployment */
export function checkImport(plan: StagedImport, { sql, context, settings }: Importing): void {
  if (importTarget(context, settings).fingerprint !== plan.fingerprint)
    throw new FunctionError("The tables or the schema changed during the import. Nothing was imported: try again.");
  const imported = new Map(plan.tables.map((table) => [qualifiedName(table), table]));
  const cleared = new Set(plan.cleared.map(qualifiedName));
  const numbers = new Set(plan.tables.map(({ number }) => number));
  for (const table of context.catalog.list()) {
    const name = qualifiedName(table);
    const target = imported.get(name);
    const mustBeEmpty = target ? target.mustBeEmpty : numbers.has(table.number) && !cleared.has(name);
    if (mustBeEmpty && context.countStored(table.byCreationTime) > 0)
      throw new FunctionError(`Documents were written to table "${name}" during the import. Nothing was imported: try again.`);
  }
  const common = prepare(sql, "SELECT s.json FROM staged.documents s JOIN main.documents d ON d.key = s.key WHERE s.position = ? LIMIT 1");
  const changed = prepare(
    sql,
    `SELECT s.json FROM staged.documents s JOIN main.documents d ON d.key = s.key
     WHERE s.position = ? AND s.json ->> 'sha256' <> d.json ->> 'sha256' LIMIT 1`,
  );
  for (const [position, table] of plan.tables.entries()) {
    const file = table.name === STORAGE && changed.get(position);
    if (file) throw new FunctionError(`The stored file ${idOf(parseDocument(textOf(file["0"])))} differs from the imported file.`);
    if (table.isReplaced || table.mustBeEmpty) continue;
    const found = common.get(position);
    if (found)
      throw new FunctionError(`Table "${qualifiedName(table)}" already has the document ${idOf(parseDocument(textOf(found["0"])))}.`);
  }
}

export function removedFileIds(plan: StagedImport, { sql, context }: Importing): string[] {
  const replaced = [...plan.tables.filter(({ isReplaced }) => isReplaced), ...plan.cleared].filter(({ name }) => name === STORAGE);
  const remaining = prepare(
    sql,
    `SELECT key FROM main.documents d WHERE key >= ? AND key < ? AND NOT EXISTS (SELECT 1 FROM staged.documents s WHERE s.key = d.key)`,
  );
  return replaced.flatMap((target) => {
    const table = tableOf(context, target);
    return remaining.all(table.documents.low, table.documents.high).map((row) => idInKey(table, bytesOf(row["0"])));
  });
}

/** `isStored`: the file is already stored under this id. */
export type ImportedFile = { id: string; isStored: boolean };

export function importedFiles(plan: StagedImport, sql: DatabaseSync): ImportedFile[] {
  const rows = prepare(
    sql,
    "SELECT s.json, d.row IS NOT NULL FROM staged.documents s LEFT JOIN main.documents d ON d.key = s.key WHERE s.position = ?",
  );
  return plan.tables.flatMap(({ name }, position) =>
    name === STORAGE ? rows.all(position).map((row) => ({ id: idOf(parseDocument(textOf(row["0"]))), isStored: row["1"] === 1 })) : [],
  );
}

/** Moves the documents of the attached file into the deployment. Afterwards the catalog must be opened again. */
export function applyImport(plan: StagedImport, importing: Importing): void {
  const { sql, context } = importing;
  for (const target of [...plan.tables.filter(({ isReplaced }) => isReplaced), ...plan.cleared])
    clearTable(tableOf(context, target), sql, context);
  for (const target of plan.tables) {
    if (target.component !== "") context.catalog.storeSystemTables(target.component);
    context.catalog.store(tableOf(context, target));
  }
  renumber(plan, sql, context);
  const offset = insertDocuments(sql, context);
  for (const [position, target] of plan.tables.entries()) {
    insertEntries(tableOf(context, target), position, offset, importing);
    insertSearchEntries(tableOf(context, target), position, offset, importing);
  }
}

function clearTable(table: Table, sql: DatabaseSync, { store, textIndexes, vectorIndexes, reportProgress }: StorageContext): void {
  if (!table.stored) return;
  for (const index of table.indexes.values()) {
    store.dropEntries(index.id);
    reportProgress();
  }
  for (const index of table.searchIndexes.values()) {
    textIndexes.drop(index);
    textIndexes.create(index);
  }
  for (const index of table.vectorIndexes.values()) {
    vectorIndexes.drop(index);
    vectorIndexes.create(index);
  }
  const { low, high } = table.documents;
  const remove = sql.prepare(
    `DELETE FROM main.documents WHERE row IN (SELECT row FROM main.documents WHERE key >= ? AND key < ? LIMIT ${ROWS_AT_ONCE})`,
  );
  while (Number(remove.run(low, high).changes) > 0) reportProgress();
}

/** Gives the imported tables the numbers of their ids. An empty table that has such a number gets another one. */
function renumber(plan: StagedImport, sql: DatabaseSync, { catalog }: StorageContext): void {
  const wanted = new Map(plan.tables.map((table) => [qualifiedName(table), table.number]));
  const taken = new Set(wanted.values());
  const stored = catalog.list().filter((table) => table.stored);
  let next = Math.max(...stored.map(({ number }) => number), ...taken) + 1;
  const moves = stored.flatMap((table) => {
    const number = wanted.get(qualifiedName(table)) ?? (taken.has(table.number) ? next++ : table.number);
    if (number === table.number) return [];
    if (hasDocuments(table.number, sql)) throw new Error(`Table ${qualifiedName(table)} has documents.`);
    return [{ from: table.number, to: number }];
  });
  const moveTable = sql.prepare("UPDATE main.tables SET number = ? WHERE number = ?");
  const moveIndexes = sql.prepare("UPDATE main.indexes SET table_number = ? WHERE table_number = ?");
  const move = (to: number, from: number): void => {
    moveTable.run(to, from);
    moveIndexes.run(to, from);
  };
  // In two steps, because tables can swap their numbers.
  for (const { from } of moves) move(-from, from);
  for (const { from, to } of moves) move(to, -from);
}

function hasDocuments(number: number, sql: DatabaseSync): boolean {
  const { lowest, highest } = idRange(number);
  const found = prepare(sql, "SELECT 1 FROM main.documents WHERE key >= ? AND key < ? LIMIT 1");
  return found.get(encodeKey([lowest]), keyAfter(encodeKey([highest]))) !== undefined;
}

function insertDocuments(sql: DatabaseSync, { reportProgress }: StorageContext): number {
  const last = lastRow("staged", sql);
  const offset = lastRow("main", sql);
  const insert = sql.prepare(
    "INSERT INTO main.documents (row, key, size, json) SELECT row + ?, key, size, json FROM staged.documents WHERE row > ? AND row <= ?",
  );
  for (let row = 0; row < last; row += ROWS_AT_ONCE) {
    insert.run(offset, row, row + ROWS_AT_ONCE);
    reportProgress();
  }
  return offset;
}

const lastRow = (database: "main" | "staged", sql: DatabaseSync): number =>
  numberOf(prepare(sql, `SELECT coalesce(max(row), 0) FROM ${database}.documents`).get()?.["0"]);

function insertEntries(table: Table, position: number, offset: number, { sql, context }: Importing): void {
  const last = prepare(sql, `SELECT key FROM staged.entries WHERE number = ? AND key >= ? ORDER BY key LIMIT 1 OFFSET ${ROWS_AT_ONCE}`);
  const insert = sql.prepare(
    "INSERT INTO main.entries (index_id, key, row) SELECT ?, key, row + ? FROM staged.entries WHERE number = ? AND key >= ? AND key < ?",
  );
  for (const index of prepare(sql, "SELECT number, name FROM staged.indexes WHERE position = ?").all(position)) {
    const number = numberOf(index["0"]);
    const target = table.indexes.get(textOf(index["1"]));
    if (target === undefined) throw new Error(`Table ${qualifiedName(table)} has no index ${textOf(index["1"])}.`);
    for (let low = FIRST_KEY, high = FIRST_KEY; high !== LAST_KEY; low = high) {
      const found = last.get(number, low);
      high = found ? bytesOf(found["0"]) : LAST_KEY;
      insert.run(target.id, offset, number, low, high);
      context.reportProgress();
    }
  }
}

function insertSearchEntries(table: Table, position: number, offset: number, { sql, context }: Importing): void {
  if (table.searchIndexes.size + table.vectorIndexes.size === 0) return;
  const documents = prepare(
    sql,
    `SELECT row, json FROM staged.documents WHERE position = ? AND row > ? ORDER BY row LIMIT ${DOCUMENTS_AT_ONCE}`,
  );
  let last = 0;
  for (let rows = documents.all(position, last); rows.length > 0; rows = documents.all(position, last)) {
    for (const found of rows) {
      last = numberOf(found["0"]);
      const value = parseDocument(textOf(found["1"]));
      for (const index of table.searchIndexes.values()) {
        const entry = textIndexEntry(index, value);
        if (entry !== null) context.textIndexes.insert(index, last + offset, entry);
      }
      for (const index of table.vectorIndexes.values()) {
        const entry = vectorIndexEntry(index, value);
        if (entry !== null) context.vectorIndexes.insert(index, last + offset, entry);
      }
    }
    context.reportProgress();
  }
}
