import { textIndexEntry } from "../../search/text-index.ts";
import { vectorIndexEntry } from "../../search/vector-index.ts";
import { indexOf, type AnyIndex, type Table } from "../../storage/catalog.ts";
import { FunctionError } from "../../values/errors.ts";
import type { Timestamp } from "../../values/types.ts";
import { entryKey, idOf, parseDocument } from "../document.ts";
import { checkIndexCounts, diffIndexes, type IndexDefinition, type Schema, type TableDiff } from "./schema.ts";
import { parseSchema } from "./schemas.ts";
import type { StorageContext } from "../transaction.ts";
import type { IndexChange, PreparedSchema } from "../types.ts";

export type Prepared = PreparedSchema & { readonly at: Timestamp; readonly parsed: Schema; readonly diffs: TableDiff[] };

/** Checks stored documents; with `earlier`, only if a later commit exists. @throws FunctionError naming table, document and field */
export function prepareSchema(
  { schema: json, component }: Pick<PreparedSchema, "schema" | "component">,
  context: StorageContext,
  at: Timestamp,
  earlier?: PreparedSchema,
): Prepared {
  const { catalog } = context;
  const parsed = parseSchema(json, catalog, component);
  checkIndexCounts(parsed);
  if (!(isPrepared(earlier) && earlier.at === at)) checkDocuments(parsed, component, context);
  const diffs = diffIndexes(parsed, catalog.namespace(component));
  return {
    schema: json,
    component,
    at,
    parsed,
    diffs,
    indexesAdded: changesIn(diffs, "add"),
    indexesRemoved: changesIn(diffs, "remove"),
    indexesEnabled: changesIn(diffs, "enable"),
    indexesDisabled: changesIn(diffs, "disable"),
  };
}

const changesIn = (diffs: TableDiff[], list: Exclude<keyof TableDiff, "table">): IndexChange[] =>
  diffs.flatMap(({ table, [list]: indexes }) => indexes.map((index) => ({ table, ...index })));

function isPrepared(schema: PreparedSchema | undefined): schema is Prepared {
  return schema !== undefined && "at" in schema;
}

function checkDocuments(schema: Schema, component: string, { schemas, catalog, store, reportProgress }: StorageContext): void {
  if (!schema.validates) return;
  const inForce = schemas.of(component);
  const namespace = catalog.namespace(component);
  for (const definition of schema.tables.values()) {
    const table = namespace.find(definition.name);
    if (table === undefined || !table.stored) continue;
    if (inForce.validates && inForce.tables.get(definition.name)?.validatorText === definition.validatorText) continue;
    for (const { text } of store.all(table.byCreationTime.id)) {
      reportProgress();
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

export function buildIndexes({ component, diffs, parsed }: Prepared, context: StorageContext): void {
  const { catalog } = context;
  const namespace = catalog.namespace(component);
  catalog.storeSystemTables(component);
  for (const name of parsed.tables.keys()) catalog.store(namespace.table(name));
  for (const diff of diffs) {
    const table = namespace.find(diff.table);
    if (table !== undefined) changeTable(table, diff, context);
  }
}

function changeTable(table: Table, diff: TableDiff, context: StorageContext): void {
  for (const definition of diff.remove) removeIndex(table, definition, context);
  fillIndexes(
    table,
    diff.add.map((definition) => addIndex(table, definition, context)),
    context,
  );
}

function removeIndex(table: Table, definition: IndexDefinition, context: StorageContext): void {
  const { catalog, store, textIndexes, vectorIndexes } = context;
  const index = indexOf(table, definition);
  if (index === undefined) return;
  catalog.removeIndex(index);
  if (index.kind === "database") store.dropEntries(index.id);
  else if (index.kind === "search") textIndexes.drop(index);
  else vectorIndexes.drop(index);
}

function addIndex(table: Table, definition: IndexDefinition, { catalog, textIndexes, vectorIndexes }: StorageContext): AnyIndex {
  const { type, name } = definition;
  if (type === "database") return catalog.addIndex(table, name, definition.fields);
  if (type === "search") {
    const index = catalog.addSearchIndex(table, name, definition.searchField, definition.filterFields);
    textIndexes.create(index);
    return index;
  }
  const index = catalog.addVectorIndex(table, definition);
  vectorIndexes.create(index);
  return index;
}

export const hasOutdatedTexts = ({ catalog, textIndexes }: StorageContext): boolean =>
  catalog.list().some(({ searchIndexes }) => [...searchIndexes.values()].some((index) => textIndexes.isOutdated(index)));

export function rebuildOutdatedTexts(context: StorageContext): void {
  for (const table of context.catalog.list()) {
    const outdated = [...table.searchIndexes.values()].filter((index) => context.textIndexes.isOutdated(index));
    for (const index of outdated) {
      context.textIndexes.drop(index);
      context.textIndexes.create(index);
    }
    fillIndexes(table, outdated, context);
  }
}

function fillIndexes(table: Table, added: AnyIndex[], { store, textIndexes, vectorIndexes, reportProgress }: StorageContext): void {
  if (added.length === 0) return;
  for (const { row, text } of store.all(table.byCreationTime.id)) {
    reportProgress();
    const value = parseDocument(text);
    for (const index of added) {
      if (index.kind === "database") {
        store.insertEntry(index.id, entryKey(index, value, idOf(value)), row);
      } else if (index.kind === "search") {
        const words = textIndexEntry(index, value);
        if (words !== null) textIndexes.insert(index, row, words);
      } else {
        const entry = vectorIndexEntry(index, value);
        if (entry !== null) vectorIndexes.insert(index, row, entry);
      }
    }
  }
}
