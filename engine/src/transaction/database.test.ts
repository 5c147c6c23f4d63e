import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../values/types.ts";
import { openDatabase } from "./database.ts";
import type { Database, Transaction } from "./types.ts";

let dir: string;
let db: Database;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "database-"));
  db = openDatabase(dir);
});
afterEach(() => {
  db.close();
  rmSync(dir, { recursive: true });
});

function mutate<T>(work: (tx: Transaction) => T): T {
  const tx = db.beginMutation();
  try {
    const result = work(tx);
    db.commit(tx);
    return result;
  } catch (error) {
    db.rollback(tx);
    throw error;
  }
}

function collect(tx: Transaction, query: Json): Json[] {
  const id = tx.queryStream(query);
  const found: Json[] = [];
  for (;;) {
    const { value, done }: { value: Json; done: boolean } = JSON.parse(tx.queryStreamNext(id));
    if (done) return found;
    found.push(value);
  }
}

const scan = (tableName: string, order: "asc" | "desc" | null = null, operators: Json[] = []): Json => ({
  source: { type: "FullTableScan", tableName, order },
  operators,
});
const range = (indexName: string, expressions: Json[] = [], order: "asc" | "desc" | null = null, operators: Json[] = []): Json => ({
  source: { type: "IndexRange", indexName, range: expressions, order },
  operators,
});
const eq = (fieldPath: string, value: Json): Json => ({ type: "Eq", fieldPath, value });
const names = (documents: Json[]): Json[] => documents.map((document) => Object(document).name);

/** What a push sends: `export()` is there, but marked internal in the client library's types. */
const useSchema = (schema: object): void => {
  const exported: Json = JSON.parse(Reflect.apply(Reflect.get(schema, "export"), schema, []));
  db.applySchema(db.prepareSchema(exported));
};

describe("documents", () => {
  test("are read back with their system fields, in canonical order", () => {
    const id = mutate((tx) => tx.insert("projects", { name: "Atelier", Count: 2, when: { $integer: "AQAAAAAAAAA=" } }));
    expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{32}$/);
    const text = db.beginQuery().get({ id, isSystem: false });
    const { _creationTime } = JSON.parse(text);
    expect(text).toBe(`{"Count":2,"_creationTime":${_creationTime},"_id":"${id}","name":"Atelier","when":{"$integer":"AQAAAAAAAAA="}}`);
  });

  test("are patched, replaced and removed", () => {
    const id = mutate((tx) => tx.insert("projects", { name: "a", size: 1 }));
    mutate((tx) => tx.shallowMerge({ id, value: { name: "b", size: { $undefined: null }, extra: [true] } }));
    expect(JSON.parse(db.beginQuery().get({ id, isSystem: false }))).toMatchObject({ name: "b", extra: [true] });
    expect(JSON.parse(db.beginQuery().get({ id, isSystem: false }))).not.toHaveProperty("size");
    mutate((tx) => tx.replace({ id, value: { name: "c" } }));
    expect(Object.keys(JSON.parse(db.beginQuery().get({ id, isSystem: false }))).sort()).toEqual(["_creationTime", "_id", "name"]);
    mutate((tx) => tx.remove({ id }));
    expect(db.beginQuery().get({ id, isSystem: false })).toBe("null");
    expect(() => mutate((tx) => tx.remove({ id }))).toThrow(`Delete on nonexistent document ID ${id}`);
  });

  test("are there after closing and opening again, with all that belongs to them", () => {
    useSchema(defineSchema({ projects: defineTable({ name: v.string() }).index("by_name", ["name"]) }));
    const id = mutate((tx) => tx.insert("projects", { name: "kept" }));
    const ts = db.latest();
    db.settings.set("key", "value");
    db.close();
    db = openDatabase(dir);
    expect(db.latest()).toBe(ts);
    expect(db.settings.get("key")).toBe("value");
    expect(names(collect(db.beginQuery(), range("projects.by_name", [eq("name", "kept")])))).toEqual(["kept"]);
    expect(db.tableOf(id)).toBe("projects");
    expect(() => mutate((tx) => tx.insert("projects", { name: 1 }))).toThrow("does not match the schema");
  });
});

describe("index ranges", () => {
  beforeEach(() => {
    useSchema(defineSchema({ tasks: defineTable({ name: v.string(), rank: v.optional(v.number()) }).index("by_rank", ["rank"]) }));
    mutate((tx) => {
      for (const [name, rank] of [["c", 3], ["a", 1], ["b", 2]] as const) tx.insert("tasks", { name, rank });
      tx.insert("tasks", { name: "none" });
    });
  });

  test("are walked in the index's order and against it", () => {
    const tx = db.beginQuery();
    expect(names(collect(tx, range("tasks.by_rank")))).toEqual(["none", "a", "b", "c"]);
    expect(names(collect(tx, range("tasks.by_rank", [], "desc")))).toEqual(["c", "b", "a", "none"]);
    expect(names(collect(tx, scan("tasks")))).toEqual(["c", "a", "b", "none"]);
  });

  test("take bounds, a missing field among them", () => {
    const tx = db.beginQuery();
    const bound = (type: string, value: Json): Json => ({ type, fieldPath: "rank", value });
    expect(names(collect(tx, range("tasks.by_rank", [bound("Gt", 1)])))).toEqual(["b", "c"]);
    expect(names(collect(tx, range("tasks.by_rank", [bound("Gte", 1), bound("Lt", 3)])))).toEqual(["a", "b"]);
    expect(names(collect(tx, range("tasks.by_rank", [bound("Lte", 2)])))).toEqual(["none", "a", "b"]);
    expect(names(collect(tx, range("tasks.by_rank", [bound("Eq", { $undefined: null })])))).toEqual(["none"]);
    expect(names(collect(tx, range("tasks.by_rank", [bound("Gt", { $undefined: null })])))).toEqual(["a", "b", "c"]);
  });

  test("show a mutation its own writes, in their places", () => {
    mutate((tx) => {
      const [first] = collect(tx, range("tasks.by_rank", [eq("rank", 1)]));
      tx.shallowMerge({ id: Object(first)._id, value: { rank: 9 } });
      tx.insert("tasks", { name: "new", rank: 2.5 });
      expect(names(collect(tx, range("tasks.by_rank")))).toEqual(["none", "b", "new", "c", "a"]);
      expect(names(collect(tx, range("tasks.by_rank", [], "desc", [{ limit: 2 }])))).toEqual(["a", "c"]);
    });
    expect(names(collect(db.beginQuery(), range("tasks.by_rank")))).toEqual(["none", "b", "new", "c", "a"]);
  });
});

describe("subscriptions", () => {
  test("are told of writes into what they read, once, and of no others", () => {
    useSchema(defineSchema({ tasks: defineTable({ list: v.string() }).index("by_list", ["list"]) }));
    const id = mutate((tx) => tx.insert("tasks", { list: "x" }));
    const reader = db.beginQuery();
    collect(reader, range("tasks.by_list", [eq("list", "x")]));
    db.subscribe("x", reader.readSet());

    const write = (list: string): string[] => {
      const tx = db.beginMutation();
      tx.insert("tasks", { list });
      const { affected } = db.commit(tx);
      db.flush();
      return affected;
    };
    expect(write("y")).toEqual([]);
    expect(write("x")).toEqual(["x"]);
    expect(write("x")).toEqual([]);

    const point = db.beginQuery();
    point.get({ id, isSystem: false });
    db.subscribe("point", point.readSet());
    const tx = db.beginMutation();
    tx.shallowMerge({ id, value: { list: "z" } });
    expect(db.commit(tx).affected).toEqual(["point"]);
  });
});
