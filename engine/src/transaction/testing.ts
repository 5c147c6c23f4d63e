import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFields, type JsonObject } from "../values/canonical.ts";
import type { Json } from "../values/types.ts";
import { openDatabase } from "./database.ts";
import type { Commit, Database, IdempotencyRecord, Transaction } from "./types.ts";

export type TestDatabase = {
  readonly dir: string;
  db: Database;
  reopen(): Database;
  [Symbol.dispose](): void;
};

export function testDatabase(options: { now?: () => number; onProgress?: () => void } = {}): TestDatabase {
  const dir = mkdtempSync(join(tmpdir(), "engine-data-"));
  return {
    dir,
    db: openDatabase(dir, options),
    reopen() {
      this.db.close();
      this.db = openDatabase(dir, options);
      return this.db;
    },
    [Symbol.dispose]() {
      this.db.close();
      rmSync(dir, { recursive: true });
    },
  };
}

export function mutate<T>(db: Database, work: (tx: Transaction) => T, record?: IdempotencyRecord): T {
  return mutateWithCommit(db, work, record).result;
}

export function mutateWithCommit<T>(db: Database, work: (tx: Transaction) => T, record?: IdempotencyRecord): { result: T; commit: Commit } {
  const tx = db.beginMutation();
  try {
    const result = work(tx);
    const commit = db.commit(tx, record);
    db.flush();
    return { result, commit };
  } catch (error) {
    db.rollback(tx);
    throw error;
  }
}

export function collect(tx: Transaction, query: Json): JsonObject[] {
  const id = tx.queryStream(query);
  const found: JsonObject[] = [];
  for (;;) {
    const { value, done }: { value: Json; done: boolean } = JSON.parse(tx.queryStreamNext(id));
    if (done) return found;
    if (isFields(value)) found.push(value);
  }
}

export type Page = { page: JsonObject[]; isDone: boolean; continueCursor: string; splitCursor?: string; pageStatus?: string };

export function page(tx: Transaction, query: Json, options: { [name: string]: Json }): Page {
  return JSON.parse(tx.queryPage({ query, cursor: null, endCursor: null, maximumRowsRead: null, ...options }));
}

export function get(tx: Transaction, id: string): JsonObject | null {
  return JSON.parse(tx.get({ id, isSystem: false }));
}

type Order = "asc" | "desc" | null;
export type Bound = { type: "Eq" | "Gt" | "Gte" | "Lt" | "Lte"; fieldPath: string; value: Json };

export const scan = (tableName: string, order: Order = null, operators: Json[] = []): Json => ({
  source: { type: "FullTableScan", tableName, order },
  operators,
});
export const range = (indexName: string, bounds: Bound[] = [], order: Order = null, operators: Json[] = []): Json => ({
  source: { type: "IndexRange", indexName, range: bounds, order },
  operators,
});
export const search = (
  indexName: string,
  field: string,
  text: string,
  equal: { [field: string]: Json } = {},
  operators: Json[] = [],
): Json => ({
  source: {
    type: "Search",
    indexName,
    filters: [
      { type: "Search", fieldPath: field, value: text },
      ...Object.entries(equal).map(([fieldPath, value]) => ({ type: "Eq", fieldPath, value })),
    ],
  },
  operators,
});
export const eq = (fieldPath: string, value: Json): Bound => ({ type: "Eq", fieldPath, value });
export const names = (documents: JsonObject[]): Json[] => documents.map((document) => document["name"] ?? null);

export function schemaJson(schema: object): Json {
  return JSON.parse(Reflect.apply(Reflect.get(schema, "export"), schema, []));
}

export function useSchema(db: Database, schema: object | null): void {
  db.applySchema(db.prepareSchema(schema && schemaJson(schema)));
  db.flush();
}
