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
  staged: boolean;
};

export type SearchIndex = {
  readonly id: number;
  readonly kind: "search";
  readonly name: string;
  readonly table: Table;
  readonly searchField: string;
  readonly filterFields: readonly string[];
  staged: boolean;
};

export type VectorIndex = {
  readonly id: number;
  readonly kind: "vector";
  readonly name: string;
  readonly table: Table;
  readonly vectorField: string;
  readonly dimensions: number;
  readonly filterFields: readonly string[];
  staged: boolean;
};

export type Table = {
  readonly number: number;
  readonly name: string;
  readonly component: string;
  readonly isSystem: boolean;
  readonly idLength: number;
  readonly documents: { readonly low: Uint8Array; readonly high: Uint8Array };
  readonly byId: Index;
  readonly byCreationTime: Index;
  readonly indexes: Map<string, Index>;
  readonly searchIndexes: Map<string, SearchIndex>;
  readonly vectorIndexes: Map<string, VectorIndex>;
  stored: boolean;
};

export type AnyIndex = Index | SearchIndex | VectorIndex;

const FIRST_USER_TABLE = 10_001;
const APP = "";
/** Numbers in the app. In a component, system tables are numbered like other tables. */
const SYSTEM_TABLES = { _scheduled_functions: 512, _storage: 513 };
const SYSTEM_INDEXES = [
  { table: "_scheduled_functions", name: "by_state_and_time", fields: ["state.kind", "scheduledTime", "_creationTime"] },
  { table: "_scheduled_functions", name: "by_completion", fields: ["completedTime", "_creationTime"] },
];
const IDENTIFIER = /^[a-zA-Z][a-zA-Z0-9_]*$/;
const MAX_IDENTIFIER_LENGTH = 64;

export type Catalog = ReturnType<typeof openCatalog>;

/** The tables of one component. Tables and ids of other components do not exist in it. */
export type Namespace = {
  readonly component: string;
  /** Creates a missing table in memory, so that queries can subscribe to it before its first document. */
  table(name: string): Table;
  find(name: string): Table | undefined;
  tableOf(id: string): Table | undefined;
  list(): Table[];
};

export function openCatalog(sql: DatabaseSync) {
  const readTables = prepare(sql, "SELECT number, name FROM tables ORDER BY number");
  const readIndexes = prepare(sql, "SELECT id, table_number, kind, name, definition FROM indexes ORDER BY id");
  const insertTable = sql.prepare("INSERT INTO tables (number, name) VALUES (?, ?)");
  const insertIndex = sql.prepare("INSERT INTO indexes (id, table_number, kind, name, definition) VALUES (?, ?, ?, ?, ?)");
  const deleteIndex = sql.prepare("DELETE FROM indexes WHERE id = ?");

  const byComponent = new Map<string, Map<string, Table>>();
  const namespaces = new Map<string, Namespace>();
  const byNumber = new Map<number, Table>();
  let nextTable = FIRST_USER_TABLE;
  let nextIndex = 1;

  function tablesIn(component: string): Map<string, Table> {
    let tables = byComponent.get(component);
    if (tables === undefined) byComponent.set(component, (tables = new Map()));
    return tables;
  }

  function make(number: number, component: string, name: string, byId: number, byCreationTime: number): Table {
    const indexes = new Map<string, Index>();
    const { lowest, highest } = idRange(number);
    const table: Table = {
      number,
      name,
      component,
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
      vectorIndexes: new Map(),
      stored: false,
    };
    const idIndex = databaseIndex(byId, "by_id", table, ["_id"]);
    const creationIndex = databaseIndex(byCreationTime, "by_creation_time", table, ["_creationTime"]);
    indexes.set("by_id", idIndex).set("by_creation_time", creationIndex);
    tablesIn(component).set(name, table);
    byNumber.set(number, table);
    return table;
  }

  function persist(index: AnyIndex): void {
    insertIndex.run(index.id, index.table.number, index.kind, index.name, JSON.stringify(definitionOf(index)));
  }

  const catalog = {
    namespace(component: string): Namespace {
      const known = namespaces.get(component);
      if (known !== undefined) return known;
      const tables = tablesIn(component);
      const namespace: Namespace = {
        component,
        table: (name) => tables.get(name) ?? create(component, name),
        find: (name) => tables.get(name),
        tableOf(id) {
          const table = catalog.tableOf(id);
          return table?.component === component ? table : undefined;
        },
        list: () => [...tables.values()],
      };
      namespaces.set(component, namespace);
      return namespace;
    },
    components: (): string[] => [
      APP,
      ...[...byComponent]
        .filter(([component, tables]) => component !== APP && tables.values().some(({ stored }) => stored))
        .map(([component]) => component),
    ],
    withNumber: (number: number): Table | undefined => byNumber.get(number),
    tableOf(id: string): Table | undefined {
      const number = tableNumberOf(id);
      return number === null ? undefined : byNumber.get(number);
    },
    isId: (text: string): boolean => tableNumberOf(text) !== null,
    list: (): Table[] => [...byNumber.values()],
    storeSystemTables(component: string): void {
      for (const name of Object.keys(SYSTEM_TABLES)) catalog.store(catalog.namespace(component).table(name));
    },

    store(table: Table): void {
      if (table.stored) return;
      insertTable.run(table.number, qualifiedName(table));
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
      const index: SearchIndex = { id: nextIndex++, kind: "search", name, table, searchField, filterFields, staged: false };
      persist(index);
      table.searchIndexes.set(name, index);
      return index;
    },
    addVectorIndex(
      table: Table,
      { name, vectorField, dimensions, filterFields }: Pick<VectorIndex, "name" | "vectorField" | "dimensions" | "filterFields">,
    ): VectorIndex {
      const index: VectorIndex = { id: nextIndex++, kind: "vector", name, table, vectorField, dimensions, filterFields, staged: false };
      persist(index);
      table.vectorIndexes.set(name, index);
      return index;
    },
    removeIndex(index: AnyIndex): void {
      deleteIndex.run(index.id);
      const { indexes, searchIndexes, vectorIndexes } = index.table;
      ({ database: indexes, search: searchIndexes, vector: vectorIndexes })[index.kind].delete(index.name);
    },

    /** Tables only in memory keep their numbers, because subscriptions may use them. */
    load(): void {
      const before = [...byNumber.values()];
      for (const tables of byComponent.values()) tables.clear();
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
        const { component, name } = splitName(textOf(row["1"]));
        make(number, component, name, idOf(number, "by_id"), idOf(number, "by_creation_time")).stored = true;
        nextTable = Math.max(nextTable, number + 1);
      }
      for (const row of rows) {
        const table = byNumber.get(row.table);
        if (table === undefined || row.name === "by_id" || row.name === "by_creation_time") continue;
        const definition: unknown = JSON.parse(row.definition);
        const { id, name } = row;
        if (row.kind === "vector")
          table.vectorIndexes.set(name, { id, kind: "vector", name, table, ...vectorDefinition(definition), staged: false });
        else if (Array.isArray(definition)) table.indexes.set(name, databaseIndex(id, name, table, definition.map(String)));
        else table.searchIndexes.set(name, { id, kind: "search", name, table, ...searchDefinition(definition), staged: false });
      }
      for (const { component, name, number, byId, byCreationTime } of before) {
        if (!byNumber.has(number)) make(number, component, name, byId.id, byCreationTime.id);
      }
      for (const [name, number] of Object.entries(SYSTEM_TABLES)) {
        if (!tablesIn(APP).has(name)) make(number, APP, name, nextIndex++, nextIndex++);
      }
      for (const table of byNumber.values()) addSystemIndexes(table);
    },
  };

  function create(component: string, name: string): Table {
    if (!Object.hasOwn(SYSTEM_TABLES, name)) checkIdentifier(name, "table");
    const table = make(nextTable++, component, name, nextIndex++, nextIndex++);
    addSystemIndexes(table);
    return table;
  }

  function addSystemIndexes(table: Table): void {
    if (!table.isSystem) return;
    for (const { table: name, name: index, fields } of SYSTEM_INDEXES) {
      if (name === table.name && !table.indexes.has(index)) table.indexes.set(index, databaseIndex(nextIndex++, index, table, fields));
    }
  }

  catalog.load();
  return catalog;
}

export const indexOf = (table: Table, { type, name }: { type: AnyIndex["kind"]; name: string }): AnyIndex | undefined =>
  ({ database: table.indexes, search: table.searchIndexes, vector: table.vectorIndexes })[type].get(name);

/** Returns a table's name in the whole deployment: "limiter/windows" in the component `limiter`. */
export const qualifiedName = ({ component, name }: Pick<Table, "component" | "name">): string =>
  component === APP ? name : `${component}/${name}`;

function splitName(qualified: string): { component: string; name: string } {
  const slash = qualified.lastIndexOf("/");
  return slash < 0 ? { component: APP, name: qualified } : { component: qualified.slice(0, slash), name: qualified.slice(slash + 1) };
}

export function checkIdentifier(name: string, what: "table" | "index"): void {
  if (IDENTIFIER.test(name) && name.length <= MAX_IDENTIFIER_LENGTH) return;
  throw new FunctionError(
    `Invalid ${what} name: "${name}". Identifiers must start with a letter and can only contain letters, digits, and underscores.`,
  );
}

function databaseIndex(id: number, name: string, table: Table, fields: readonly string[]): Index {
  return { id, kind: "database", name, table, fields, paths: fields.map((field) => field.split(".")), staged: false };
}

function definitionOf(index: AnyIndex): Json {
  if (index.kind === "database") return [...index.fields];
  const filterFields = [...index.filterFields];
  if (index.kind === "search") return { searchField: index.searchField, filterFields };
  return { vectorField: index.vectorField, dimensions: index.dimensions, filterFields };
}

function vectorDefinition(definition: unknown): { vectorField: string; dimensions: number; filterFields: string[] } {
  const { vectorField, dimensions, filterFields }: { vectorField?: Json; dimensions?: Json; filterFields?: Json } = Object(definition);
  if (typeof vectorField !== "string" || typeof dimensions !== "number" || !Array.isArray(filterFields))
    throw new StorageError("A vector index's definition cannot be read.");
  return { vectorField, dimensions, filterFields: filterFields.map(String) };
}

function searchDefinition(definition: unknown): { searchField: string; filterFields: string[] } {
  const { searchField, filterFields }: { searchField?: Json; filterFields?: Json } = Object(definition);
  if (typeof searchField !== "string" || !Array.isArray(filterFields))
    throw new StorageError("A search index's definition cannot be read.");
  return { searchField, filterFields: filterFields.map(String) };
}
