import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { describe, expect, test } from "vitest";
import { openCatalog } from "../storage/catalog.ts";
import { openFile } from "../storage/file.ts";
import { History } from "./history.ts";
import { collect, eq, get, mutate, mutateWithCommit, names, range, scan, search, testDatabase, useSchema } from "./testing.ts";

const START = Date.UTC(2030, 0, 1);

describe("an earlier snapshot", () => {
  test("is readable through every index, including later ones", () => {
    using data = testDatabase();
    const { db } = data;
    const id = mutate(db, (tx) => tx.insert("rows", { name: "old", list: "a" }));
    const gone = mutate(db, (tx) => tx.insert("rows", { name: "gone", list: "a" }));
    const then = db.latest();
    mutate(db, (tx) => tx.shallowMerge({ id, value: { name: "new", list: "b" } }));
    mutate(db, (tx) => tx.remove({ id: gone }));
    mutate(db, (tx) => tx.insert("rows", { name: "later", list: "a" }));
    const rows = defineTable({ name: v.string(), list: v.string() });
    useSchema(db, defineSchema({ rows: rows.index("by_list", ["list"]).searchIndex("by_name", { searchField: "name" }) }));

    const past = db.beginQuery(then);
    expect(past.snapshot).toBe(then);
    expect(names(collect(past, scan("rows")))).toEqual(["old", "gone"]);
    expect(names(collect(past, range("rows.by_list", [eq("list", "a")])))).toEqual(["old", "gone"]);
    expect(get(past, id)).toMatchObject({ name: "old" });
    expect(names(collect(past, search("rows.by_name", "name", "gone later old")))).toEqual(expect.arrayContaining(["gone", "old"]));
    expect(names(collect(past, search("rows.by_name", "name", "later new")))).toEqual([]);
    expect(past.count("rows")).toBe(2);
    expect(names(collect(db.beginQuery(), search("rows.by_name", "name", "later")))).toEqual(["later"]);
  });

  test("is readable for thirty seconds; older and future ones are rejected", () => {
    let now = START;
    using data = testDatabase({ now: () => now });
    const { db } = data;
    const first = mutateWithCommit(db, (tx) => tx.insert("rows", {})).commit.ts;
    now += 3_600_000;
    expect(db.beginQuery(first).count("rows")).toBe(1);
    mutate(db, (tx) => tx.insert("rows", {}));
    now += 29_000;
    mutate(db, (tx) => tx.insert("rows", {}));
    expect(db.beginQuery(first).count("rows")).toBe(1);
    now += 2_000;
    mutate(db, (tx) => tx.insert("rows", {}));
    expect(() => db.beginQuery(first)).toThrow("too old");
    expect(() => db.beginQuery(db.latest() + 1n)).toThrow("in the future");
    expect(db.beginQuery(db.latest()).count("rows")).toBe(4);
  });

  test("keeps neither parsed values nor index keys, which are larger than the text", () => {
    using data = testDatabase();
    data.db.close();
    const sql = openFile(data.dir);
    const table = openCatalog(sql).namespace("").table("rows");
    const key = new Uint8Array(8);
    const before = { id: "a", table, key, size: 2, text: "{}", row: 1, pending: false, value: {}, keys: new Map([[1, key]]) };
    const history = new History(1n);
    history.add(2n, [{ id: "a", table, before, after: null }]);
    expect(history.overlayAt(1n, 2n).get("a")?.after).toMatchObject({ text: "{}", value: null, keys: null });
    sql.close();
  });

  test("is removed by the next checkpoint without further commits", { tags: "@idle-history" }, () => {
    let now = START;
    using data = testDatabase({ now: () => now });
    const { db } = data;
    for (let i = 0; i < 10; i++) mutate(db, (tx) => tx.insert("rows", { i }));
    now += 29_000;
    db.checkpoint();
    expect(db.sizes()["history_commits"]).toBe(10);
    now += 2_000;
    db.checkpoint();
    expect(db.sizes()["history_commits"]).toBe(0);
  });

  test("is removed early when many documents are overwritten", () => {
    using data = testDatabase();
    const { db } = data;
    const id = mutate(db, (tx) => tx.insert("rows", { text: "x".repeat(1_000_000) }));
    const then = db.latest();
    for (let i = 0; i < 40; i++) mutate(db, (tx) => tx.shallowMerge({ id, value: { i } }));
    expect(get(db.beginQuery(then), id)).not.toHaveProperty("i");
    for (let i = 0; i < 40; i++) mutate(db, (tx) => tx.shallowMerge({ id, value: { j: i } }));
    expect(() => db.beginQuery(then)).toThrow("too old");
  });
});
