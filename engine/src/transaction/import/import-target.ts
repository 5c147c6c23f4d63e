import { createHash } from "node:crypto";
import type { Json } from "../../values/types.ts";
import type { StorageContext } from "../transaction.ts";
import type { Settings } from "../types.ts";
import { schemaSettings } from "../schema/schemas.ts";

export type TargetTable = {
  component: string;
  name: string;
  number: number;
  documents: number;
  /** All indexes except `by_id`; the last field is `_creationTime`, which ids follow. */
  indexes: { name: string; fields: readonly string[] }[];
};

export type ImportTarget = {
  fingerprint: string;
  schemas: Record<string, Json>;
  tables: TargetTable[];
  last: LastImport | null;
};

export type LastImport = { id: string; documents: number };

/** The last import. Detects that an import is complete when its thread or the process ended before the answer. */
const LAST_IMPORT = "import/last";

export function lastImport(settings: Settings): LastImport | null {
  const stored = settings.get(LAST_IMPORT);
  return stored === undefined ? null : JSON.parse(stored);
}

export function storeLastImport(settings: Settings, { id, documents }: LastImport): void {
  settings.set(LAST_IMPORT, JSON.stringify({ id, documents }));
}

export function importTarget({ catalog, countStored }: StorageContext, settings: Settings): ImportTarget {
  const schemas = schemaSettings(settings);
  const stored = catalog.list().filter((table) => table.stored);
  const tables = stored.map((table) => ({
    component: table.component,
    name: table.name,
    number: table.number,
    documents: countStored(table.byCreationTime),
    indexes: [...table.indexes.values()].filter((index) => index !== table.byId).map(({ name, fields }) => ({ name, fields })),
  }));
  const shape = stored.map((table) => [
    table.component,
    table.name,
    table.number,
    [...table.indexes.values()].map(({ name, fields }) => [name, fields]),
    [...table.searchIndexes.values()].map(({ name, searchField, filterFields }) => [name, searchField, filterFields]),
    [...table.vectorIndexes.values()].map(({ name, vectorField, dimensions, filterFields }) => [
      name,
      vectorField,
      dimensions,
      filterFields,
    ]),
  ]);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([schemas, shape]))
    .digest("hex");
  return { fingerprint, schemas, tables, last: lastImport(settings) };
}
