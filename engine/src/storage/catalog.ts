import type { DatabaseSync } from "node:sqlite";
import { FunctionError, StorageError } from "../values/errors.ts";
import { idLength, idRange, tableNumberOf } from "../values/ids.ts";
import { encodeKey, keyAfter } from "../values/keys.ts";
import type { Json } from "../values/types.ts";
import { numberOf, prepare, textOf } from "./rows.ts";

/** The last of `paths` is always `_creationTime` or `_id`. */
export type Index = {
  readonly id: number;
  readonly kind: "database";
  readonly name: string;
  readonly table: Table;
  readonly fields: readonly string[];
  readonly paths: readonly (readonly string[])[];
};

export type SearchIndex = {
  readonly id: number;
  readonly kind: "search";
  readonly name: string;
  readonly table: Table;
  readonly searchField: string;
  readonly filterFields: readonly string[];
};

export type Table = {
  readonly number: number;
  readonly name: string;
  readonly isSystem: boolean;
  readonly idLength: number;
  readonly documents: { readonly low: Uint8Array; readonly high: Uint8Array };
  readonly byId: Index;
  readonly byCreationTime: Index;
  readonly indexes: Map<string, Index>;
  readonly searchIndexes: Map<string, SearchIndex>;
  stored: boolean;
};

const FIRST_USER_TABLE = 10_001;
const SYSTEM_TABLES = { _scheduled_functions: 512, _storage: 513 };
const SYSTEM_INDEXES = [
  { table: "_scheduled_functions", name: "by_state_and_time", fields: ["state.kind", "scheduledTime", "_creationTime"] },
  { table: "_scheduled_functions", name: "by_completion", fields: ["completedTime", "_creationTime"] },
];
const IDENTIFIER = /^[a-zA-Z][a-zA-Z0-9_]*$/;
const MAX_IDENTIFIER_LENGTH = 64;

export type Catalog = ReturnType<typeof openCatalog>;

export function openCatalog(sql: DatabaseSync) {
  const readTables = prepare(sql, "SELECT number, name FROM tables ORDER BY number");
  const readIndexes = prepare(sql, "SELECT id, table_number, kind, name, definition FROM indexes ORDER BY id");
  const insertTable = sql.prepare("INSERT INTO tables (number, name) VALUES (?, ?)");
  const insertIndex = sql.prepare("INSERT INTO indexes (id, table_number, kind, name, definition) VALUES (?, ?, ?, ?, ?)");
  const deleteIndex = sql.prepare("DELETE FROM indexes WHERE id = ?");

  const byName = new Map<string, Table>();
  const byNumber = new Map<number, Table>();
  let nextTable = FIRST_USER_TABLE;
  let nextIndex = 1;

  function make(number: number, name: string, byId: number, byCreationTime: number): Table {
    const indexes = new Map<string, Index>();
    const { lowest, highest } = idRange(number);
    const table: Table = {
      number,
      name,
      isSystem: name.startsWith("_"),
      idLength: idLength(number),
      documents: { low: encodeKey([lowest]), high: keyAfter(encodeKey([highest])) },
      get byId() {
        return idIndex;
      },
      get byCreationTime() {
        return creationIndex;
      },
      indexes,
      searchIndexes: new Map(),
      stored: false,
    };
    const idIndex = databaseIndex(byId, "by_id", table, ["_id"]);
    const creationIndex = databaseIndex(byCreationTime, "by_creation_time", table, ["_creationTime"]);
    indexes.set("by_id", idIndex).set("by_creation_time", creationIndex);
    byName.set(name, table);
    byNumber.set(number, table);
    return table;
  }

  function persist(index: Index | SearchIndex): void {
    const definition = index.kind === "database" ? index.fields : { searchField: index.searchField, filterFields: index.filterFields };
    insertIndex.run(index.id, index.table.number, index.kind, index.name, JSON.stringify(definition));
  }

  const catalog = {
    /** Creates a missing table in memory, so that queries can subscribe to it before its first document. */
    table(name: string): Table {
      return byName.get(name) ?? make(checkedNumber(name), name, nextIndex++, nextIndex++);
    },
    find: (name: string): Table | undefined => byName.get(name),
    withNumber: (number: number): Table | undefined => byNumber.get(number),
    tableOf(id: string): Table | undefined {
      const number = tableNumberOf(id);
      return number === null ? undefined : byNumber.get(number);
    },
    isId: (text: string): boolean => tableNumberOf(text) !== null,
    list: (): Table[] => [...byName.values()],
    storeSystemTables(): void {
      for (const name of Object.keys(SYSTEM_TABLES)) catalog.store(catalog.table(name));
    },

    store(table: Table): void {
      if (table.stored) return;
      insertTable.run(table.number, table.name);
      for (const index of table.indexes.values()) persist(index);
      table.stored = true;
    },
    addIndex(table: Table, name: string, fields: readonly string[]): Index {
      const index = databaseIndex(nextIndex++, name, table, [...fields, "_creationTime"]);
      persist(index);
      table.indexes.set(name, index);
      return index;
    },
    addSearchIndex(table: Table, name: string, searchField: string, filterFields: readonly string[]): SearchIndex {
      const index: SearchIndex = { id: nextIndex++, kind: "search", name, table, searchField, filterFields };
      persist(index);
      table.searchIndexes.set(name, index);
      return index;
    },
    removeIndex(index: Index | SearchIndex): void {
      deleteIndex.run(index.id);
      const indexes = index.kind === "database" ? index.table.indexes : index.table.searchIndexes;
      indexes.delete(index.name);
    },

    /** Tables only in memory keep their numbers, because subscriptions may use them. */
    load(): void {
      const before = [...byName.values()];
      byName.clear();
      byNumber.clear();
      const rows = readIndexes.all().map((row) => ({
        id: numberOf(row["0"]),
        table: numberOf(row["1"]),
        kind: textOf(row["2"]),
        name: textOf(row["3"]),
        definition: textOf(row["4"]),
      }));
      const idOf = (table: number, name: string): number =>
        rows.find((row) => row.table === table && row.kind === "database" && row.name === name)?.id ?? nextIndex++;
      nextIndex = Math.max(nextIndex, ...rows.map((row) => row.id + 1));
      for (const row of readTables.all()) {
        const number = numberOf(row["0"]);
        make(number, textOf(row["1"]), idOf(number, "by_id"), idOf(number, "by_creation_time")).stored = true;
        nextTable = Math.max(nextTable, number + 1);
      }
      for (const row of rows) {
        const table = byNumber.get(row.table);
        if (table === undefined || row.name === "by_id" || row.name === "by_creation_time") continue;
        const definition: unknown = JSON.parse(row.definition);
        if (Array.isArray(definition)) table.indexes.set(row.name, databaseIndex(row.id, row.name, table, definition.map(String)));
        else table.searchIndexes.set(row.name, { id: row.id, kind: "search", name: row.name, table, ...searchDefinition(definition) });
      }
      for (const { name, number, byId, byCreationTime } of before) {
        if (!byNumber.has(number)) make(number, name, byId.id, byCreationTime.id);
      }
      for (const [name, number] of Object.entries(SYSTEM_TABLES)) {
        if (!byName.has(name)) make(number, name, nextIndex++, nextIndex++);
      }
      for (const { table: name, name: index, fields } of SYSTEM_INDEXES) {
        const table = byName.get(name);
        if (table && !table.indexes.has(index)) table.indexes.set(index, databaseIndex(nextIndex++, index, table, fields));
      }
    },
  };

  function checkedNumber(name: string): number {
    checkIdentifier(name, "table");
    return nextTable++;
  }

  catalog.load();
  return catalog;
}

export function checkIdentifier(name: string, what: "table" | "index"): void {
  if (IDENTIFIER.test(name) && name.length <= MAX_IDENTIFIER_LENGTH) return;
  throw new FunctionError(
    `Invalid ${what} name: "${name}". Identifiers must start with a letter and can only contain letters, digits, and underscores.`,
  );
}

function databaseIndex(id: number, name: string, table: Table, fields: readonly string[]): Index {
  return { id, kind: "database", name, table, fields, paths: fields.map((field) => field.split(".")) };
}

function searchDefinition(definition: unknown): { searchField: string; filterFields: string[] } {
  const { searchField, filterFields }: { searchField?: Json; filterFields?: Json } = Object(definition);
  if (typeof searchField !== "string" || !Array.isArray(filterFields))
    throw new StorageError("A search index's definition cannot be read.");
  return { searchField, filterFields: filterFields.map(String) };
}
