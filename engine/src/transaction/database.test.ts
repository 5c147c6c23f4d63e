import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../values/types.ts";
import { idOf } from "./document.ts";
import {
  collect,
  eq,
  get,
  mutate,
  mutateWithCommit,
  names,
  range,
  scan,
  testDatabase,
  useSchema,
  type Bound,
  type TestDatabase,
} from "./testing.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
});
afterEach(() => data[Symbol.dispose]());

describe("documents", () => {
  test("are read back with their system fields, in canonical order", () => {
    const id = mutate(data.db, (tx) => tx.insert("projects", { name: "Atelier", Count: 2, when: { $integer: "AQAAAAAAAAA=" } }));
    expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{32}$/);
    const text = data.db.beginQuery().get({ id, isSystem: false });
    const { _creationTime } = JSON.parse(text);
    expect(text).toBe(`{"Count":2,"_creationTime":${_creationTime},"_id":"${id}","name":"Atelier","when":{"$integer":"AQAAAAAAAAA="}}`);
  });

  test("are patched, replaced and removed", () => {
    const { db } = data;
    const id = mutate(db, (tx) => tx.insert("projects", { name: "a", size: 1 }));
    mutate(db, (tx) => tx.shallowMerge({ id, value: { name: "b", size: { $undefined: null }, extra: [true] } }));
    const { _creationTime } = get(db.beginQuery(), id) ?? {};
    expect(get(db.beginQuery(), id)).toEqual({ _id: id, _creationTime, name: "b", extra: [true] });
    mutate(db, (tx) => tx.replace({ id, value: { _id: id, name: "c" } }));
    expect(get(db.beginQuery(), id)).toEqual({ _id: id, _creationTime, name: "c" });
    mutate(db, (tx) => tx.remove({ id }));
    expect(get(db.beginQuery(), id)).toBeNull();
    expect(() => mutate(db, (tx) => tx.remove({ id }))).toThrow(`Delete on nonexistent document ID ${id}`);
    expect(() => mutate(db, (tx) => tx.shallowMerge({ id, value: {} }))).toThrow(`Update on nonexistent document ID ${id}`);
  });

  test("survive closing and reopening", () => {
    useSchema(data.db, defineSchema({ projects: defineTable({ name: v.string() }).index("by_name", ["name"]) }));
    const id = mutate(data.db, (tx) => tx.insert("projects", { name: "kept" }));
    const ts = data.db.latest();
    data.db.settings.set("key", "value");
    const db = data.reopen();
    expect(db.latest()).toBe(ts);
    expect(db.settings.get("key")).toBe("value");
    expect(names(collect(db.beginQuery(), range("projects.by_name", [eq("name", "kept")])))).toEqual(["kept"]);
    expect(db.tableOf(id)).toBe("projects");
    expect(() => mutate(db, (tx) => tx.insert("projects", { name: 1 }))).toThrow("does not match the schema");
  });

  test("have increasing creation times within and across mutations", () => {
    const { db } = data;
    mutate(db, (tx) => {
      for (let i = 0; i < 50; i++) tx.insert("rows", { name: `${i}` });
    });
    for (let i = 50; i < 60; i++) mutate(db, (tx) => tx.insert("rows", { name: `${i}` }));
    const rows = collect(db.beginQuery(), scan("rows"));
    expect(names(rows)).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`));
    const times = rows.map((row) => Number(row["_creationTime"]));
    expect(times.every((time, i) => i === 0 || time > (times[i - 1] ?? Infinity))).toBe(true);
  });

  test("are rejected for an invalid id or an id of another table", () => {
    const { db } = data;
    const id = mutate(db, (tx) => tx.insert("projects", {}));
    mutate(db, (tx) => tx.insert("users", {}));
    const tx = db.beginQuery();
    expect(() => tx.get({ id: "abc", isSystem: false })).toThrow(
      "Invalid argument `id` for `db.get`: Unable to decode ID: Invalid ID length 3",
    );
    expect(() => tx.get({ id, table: "users", isSystem: false })).toThrow(`got the ID "${id}" from table \`projects\``);
    expect(() => tx.get({ id, isSystem: true })).toThrow("User tables can only be accessed from db.get()");
    expect(tx.normalizeId("projects", id)).toBe(id);
    expect(tx.normalizeId("users", id)).toBeNull();
    expect(tx.normalizeId("projects", "x")).toBeNull();
  });

  test("cannot set system fields", () => {
    const { db } = data;
    const id = mutate(db, (tx) => tx.insert("projects", {}));
    expect(() => mutate(db, (tx) => tx.insert("projects", { _id: id }))).toThrow('Invalid field name "_id"');
    expect(() => mutate(db, (tx) => tx.shallowMerge({ id, value: { _creationTime: 1 } }))).toThrow(
      "does not match the document's creation time",
    );
    expect(() => mutate(db, (tx) => tx.replace({ id, value: { _id: "other" } }))).toThrow("does not match the document ID");
    expect(() => mutate(db, (tx) => tx.insert("_storage", {}))).toThrow("System tables (prefixed with `_`) are read-only.");
    expect(() => mutate(db, (tx) => tx.insert("projects", [1]))).toThrow("Value must be an Object");
    expect(() => mutate(db, (tx) => tx.insert("no table", {}))).toThrow('Invalid table name: "no table"');
  });

  test("contain the commit's timestamp where a mutation requests it", () => {
    const { db } = data;
    const { result, commit } = mutateWithCommit(db, (tx) => {
      const id = tx.insert("rows", { at: { $commitTs: null }, list: [{ $commitTs: null }] });
      expect(get(tx, id)).toMatchObject({ at: { $commitTs: null } });
      return id;
    });
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(commit.ts);
    const at = { $integer: bytes.toString("base64") };
    expect(get(db.beginQuery(), result)).toMatchObject({ at, list: [at] });
  });
});

describe("index ranges", () => {
  beforeEach(() => {
    useSchema(data.db, defineSchema({ tasks: defineTable({ name: v.string(), rank: v.optional(v.number()) }).index("by_rank", ["rank"]) }));
    mutate(data.db, (tx) => {
      for (const [name, rank] of [
        ["c", 3],
        ["a", 1],
        ["b", 2],
      ] as const)
        tx.insert("tasks", { name, rank });
      tx.insert("tasks", { name: "none" });
    });
  });
  const found = (bounds: Bound[]) => names(collect(data.db.beginQuery(), range("tasks.by_rank", bounds)));

  test("are read in both directions", () => {
    const tx = data.db.beginQuery();
    expect(names(collect(tx, range("tasks.by_rank")))).toEqual(["none", "a", "b", "c"]);
    expect(names(collect(tx, range("tasks.by_rank", [], "desc")))).toEqual(["c", "b", "a", "none"]);
    expect(names(collect(tx, scan("tasks")))).toEqual(["c", "a", "b", "none"]);
  });

  test("accept bounds, including a missing field", () => {
    const bound = (type: Bound["type"], value: Json): Bound => ({ type, fieldPath: "rank", value });
    expect(found([bound("Gt", 1)])).toEqual(["b", "c"]);
    expect(found([bound("Gte", 1), bound("Lt", 3)])).toEqual(["a", "b"]);
    expect(found([bound("Lte", 2)])).toEqual(["none", "a", "b"]);
    expect(found([bound("Eq", { $undefined: null })])).toEqual(["none"]);
    expect(found([bound("Gt", { $undefined: null })])).toEqual(["a", "b", "c"]);
    expect(found([bound("Gt", 2), bound("Lt", 1)])).toEqual([]);
  });

  test("compare texts with bounds longer than any document", () => {
    useSchema(data.db, defineSchema({ texts: defineTable({ name: v.string() }).index("by_name", ["name"]) }));
    const longest = "x".repeat(1024 * 1024 - 200);
    mutate(data.db, (tx) => ["w", longest, "y"].map((name) => tx.insert("texts", { name })));
    const longer = "x".repeat(4 * 1024 * 1024);
    const found = (type: Bound["type"]) =>
      names(collect(data.db.beginQuery(), range("texts.by_name", [{ type, fieldPath: "name", value: longer }])));
    expect(found("Eq")).toEqual([]);
    expect([found("Lt"), found("Lte")]).toEqual([
      ["w", longest],
      ["w", longest],
    ]);
    expect([found("Gt"), found("Gte")]).toEqual([["y"], ["y"]]);
  });

  test("are rejected out of order, for other fields and for unknown indexes", () => {
    expect(() => found([eq("name", "a")])).toThrow(
      [
        "Tried to query index tasks.by_rank but the query didn't use the index fields in order.",
        'Index fields: ["rank", "_creationTime"]',
        'Query fields: ["name"]',
        'First incorrect field: "name"',
      ].join("\n"),
    );
    expect(() => found([{ type: "Gt", fieldPath: "rank", value: 1 }, eq("rank", 1)])).toThrow("Malformed range on index tasks.by_rank");
    expect(() => collect(data.db.beginQuery(), range("tasks.by_name"))).toThrow("Index tasks.by_name not found.");
  });

  test("include a mutation's own writes in order", () => {
    mutate(data.db, (tx) => {
      const [first] = collect(tx, range("tasks.by_rank", [eq("rank", 1)]));
      tx.shallowMerge({ id: idOf(first ?? {}), value: { rank: 9 } });
      tx.insert("tasks", { name: "new", rank: 2.5 });
      expect(names(collect(tx, range("tasks.by_rank")))).toEqual(["none", "b", "new", "c", "a"]);
      expect(names(collect(tx, range("tasks.by_rank", [], "desc", [{ limit: 2 }])))).toEqual(["a", "c"]);
      expect(tx.count("tasks")).toBe(5);
    });
    expect(found([])).toEqual(["none", "b", "new", "c", "a"]);
  });

  test("apply filters and limits in the order they were chained", () => {
    const tx = data.db.beginQuery();
    const filter: Json = { filter: { $gt: [{ $field: "rank" }, { $literal: 1 }] } };
    expect(names(collect(tx, range("tasks.by_rank", [], null, [filter, { limit: 1 }])))).toEqual(["b"]);
    expect(names(collect(tx, range("tasks.by_rank", [], null, [{ limit: 3 }, filter])))).toEqual(["b"]);
    expect(names(collect(tx, range("tasks.by_rank", [], null, [{ limit: 0 }])))).toEqual([]);
    expect(() =>
      collect(
        tx,
        range(
          "tasks.by_rank",
          [],
          null,
          Array.from({ length: 257 }, () => ({ limit: 1 })),
        ),
      ),
    ).toThrow("more than 256 operators");
  });
});

describe("a mutation", () => {
  test("leaves nothing after a rollback, not even its table", () => {
    const { db } = data;
    const tx = db.beginMutation();
    const id = tx.insert("ghosts", {});
    expect(db.tableOf(id)).toBe("ghosts");
    db.rollback(tx);
    expect(get(db.beginQuery(), id)).toBeNull();
    expect(db.tables().map(({ name }) => name)).toEqual(["_scheduled_functions", "_storage"]);
  });

  test("undoes writes since a savepoint but keeps its reads", () => {
    const { db } = data;
    mutate(db, (tx) => {
      const kept = tx.insert("rows", { name: "kept" });
      const before = tx.usage();
      const savepoint = tx.savepoint();
      tx.shallowMerge({ id: kept, value: { name: "changed" } });
      tx.insert("rows", { name: "gone" });
      expect(names(collect(tx, scan("rows")))).toEqual(["changed", "gone"]);
      tx.rollbackTo(savepoint);
      expect(names(collect(tx, scan("rows")))).toEqual(["kept"]);
      expect(tx.usage().documentsWritten).toBe(before.documentsWritten);
      expect(tx.usage().documentsRead).toBeGreaterThan(before.documentsRead);
    });
    expect(names(collect(db.beginQuery(), scan("rows")))).toEqual(["kept"]);
  });

  test("cannot overlap another mutation", () => {
    const tx = data.db.beginMutation();
    expect(() => data.db.beginMutation()).toThrow("one at a time");
    data.db.rollback(tx);
    expect(() => data.db.commit(tx)).toThrow("Only the open mutation");
  });

  test("writes to system tables, which functions can only read", () => {
    const { db } = data;
    const id = mutate(db, (tx) => tx.system.insert("_storage", { sha256: "x", size: 1 }));
    expect(JSON.parse(db.beginQuery().get({ id, isSystem: true }))).toMatchObject({ size: 1 });
    expect(() => db.beginQuery().get({ id, isSystem: false })).toThrow("db.system.get()");
    expect(() => mutate(db, (tx) => tx.remove({ id }))).toThrow("read-only");
    mutate(db, (tx) => tx.system.patch(id, { size: 2 }));
    expect(collect(db.beginQuery(), scan("_storage"))).toMatchObject([{ size: 2 }]);
    mutate(db, (tx) => tx.system.remove(id));
    expect(collect(db.beginQuery(), scan("_storage"))).toEqual([]);
  });

  test("has its answer stored by session and number for 14 days", () => {
    let now = Date.UTC(2030, 0, 1);
    using timed = testDatabase({ now: () => now });
    const insert = (requestId: number) =>
      mutateWithCommit(timed.db, (tx) => tx.insert("rows", {}), { sessionId: "s", requestId, result: `"${requestId}"` }).commit.ts;
    const ts = insert(1);
    expect(timed.db.recorded("s", 1)).toEqual({ ts, result: '"1"' });
    expect(timed.db.recorded("s", 2)).toBeUndefined();
    expect(timed.db.recorded("t", 1)).toBeUndefined();
    now += 13 * 24 * 3600 * 1000;
    insert(2);
    expect(timed.reopen().recorded("s", 1)).toEqual({ ts, result: '"1"' });
    now += 2 * 24 * 3600 * 1000;
    insert(3);
    expect(timed.db.recorded("s", 1)).toBeUndefined();
    expect(timed.db.recorded("s", 2)).toBeDefined();
  });
});

describe("timestamps", () => {
  test("never go back after a restart or a clock change", () => {
    let now = Date.UTC(2030, 0, 1);
    using timed = testDatabase({ now: () => now });
    const insert = () => mutateWithCommit(timed.db, (tx) => tx.insert("rows", {})).commit.ts;
    const first = insert();
    now -= 24 * 3600 * 1000;
    const second = insert();
    expect(second).toBeGreaterThan(first);
    timed.reopen();
    expect(timed.db.latest()).toBe(second);
    expect(insert()).toBeGreaterThan(second);
    const times = collect(timed.db.beginQuery(), scan("rows", "desc")).map((row) => Number(row["_creationTime"]));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(times).size).toBe(3);
  });
});
