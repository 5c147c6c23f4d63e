import { indexed } from "../search/text-index.ts";
import type { Table } from "../storage/catalog.ts";
import { FunctionError } from "../values/errors.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { entryKey, idOf, parseDocument } from "./document.ts";
import { diffIndexes, Schema, type TableDiff } from "./schema.ts";
import type { Ground } from "./transaction.ts";
import type { PreparedSchema } from "./types.ts";

/** A schema that all documents stored at `at` fit. */
export type Prepared = PreparedSchema & { readonly at: Timestamp; readonly parsed: Schema; readonly diffs: TableDiff[] };

/**
 * Reads a schema and checks the stored documents against it, all tables whose validator is not already in force. With `earlier`,
 * the same schema prepared before, documents are not read again unless something was committed since.
 * @throws FunctionError naming table, document and field.
 */
export function prepareSchema(json: Json | null, ground: Ground, at: Timestamp, earlier?: PreparedSchema): Prepared {
  const { catalog } = ground;
  const parsed = new Schema(json, { tableOf: (id) => catalog.tableOf(id)?.name ?? null });
  if (!(isPrepared(earlier) && earlier.at === at)) checkDocuments(parsed, ground);
  const diffs = diffIndexes(parsed, catalog);
  return {
    schema: json,
    at,
    parsed,
    diffs,
    indexesAdded: diffs.flatMap(({ table, add, addSearch }) => summary(table, add, addSearch)),
    indexesRemoved: diffs.flatMap(({ table, remove, removeSearch }) => summary(table, remove, removeSearch)),
  };
}

function isPrepared(schema: PreparedSchema | undefined): schema is Prepared {
  return schema !== undefined && "at" in schema;
}

function summary(
  table: string,
  indexes: TableDiff["add"],
  searchIndexes: TableDiff["addSearch"],
): PreparedSchema["indexesAdded"][number][] {
  return [
    ...indexes.map(({ name, fields }) => ({ table, name, fields })),
    ...searchIndexes.map(({ name, searchField, filterFields }) => ({ table, name, fields: [searchField, ...filterFields] })),
  ];
}

function checkDocuments(schema: Schema, { schema: inForce, catalog, store }: Ground): void {
  if (!schema.validates) return;
  for (const definition of schema.tables.values()) {
    const table = catalog.find(definition.name);
    if (table === undefined || !table.stored) continue;
    if (inForce.validates && inForce.tables.get(definition.name)?.validatorText === definition.validatorText) continue;
    for (const { text } of store.all(table.byCreationTime.id)) {
      const value = parseDocument(text);
      const { _id, _creationTime, ...fields } = value;
      const fault = schema.faultOf(definition.name, fields);
      if (fault !== null) {
        throw new FunctionError(
          `Schema validation failed.\nDocument with ID "${idOf(value)}" in table "${definition.name}" does not match the schema: ${fault}`,
        );
      }
    }
  }
}

/** Brings the file's indexes to what the schema declares, in the open batch. */
export function buildIndexes({ diffs, parsed }: Prepared, ground: Ground): void {
  for (const name of parsed.tables.keys()) ground.catalog.store(ground.catalog.table(name));
  for (const diff of diffs) {
    const table = ground.catalog.find(diff.table);
    if (table !== undefined) changeTable(table, diff, ground);
  }
}

function changeTable(table: Table, diff: TableDiff, { catalog, store, texts }: Ground): void {
  for (const { name } of diff.remove) {
    const index = table.indexes.get(name);
    if (index === undefined) continue;
    catalog.removeIndex(index);
    store.dropEntries(index.id);
  }
  for (const { name } of diff.removeSearch) {
    const index = table.searchIndexes.get(name);
    if (index === undefined) continue;
    catalog.removeIndex(index);
    texts.drop(index);
  }
  const added = diff.add.map(({ name, fields }) => catalog.addIndex(table, name, fields));
  const addedSearch = diff.addSearch.map(({ name, searchField, filterFields }) =>
    catalog.addSearchIndex(table, name, searchField, filterFields),
  );
  for (const index of addedSearch) texts.create(index);
  if (added.length + addedSearch.length === 0) return;
  for (const { row, text } of store.all(table.byCreationTime.id)) {
    const value = parseDocument(text);
    for (const index of added) store.insertEntry(index.id, entryKey(index, value, idOf(value)), row);
    for (const index of addedSearch) {
      const words = indexed(index, value);
      if (words !== null) texts.insert(index, row, words);
    }
  }
}
