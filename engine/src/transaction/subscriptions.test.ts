import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collect, eq, get, mutate, mutateWithCommit, page, range, testDatabase, useSchema, type TestDatabase } from "./testing.ts";
import type { Transaction } from "./types.ts";

let data: TestDatabase;
let ids: string[];
beforeEach(() => {
  data = testDatabase();
  useSchema(data.db, defineSchema({ tasks: defineTable({ list: v.string(), n: v.number() }).index("by_list", ["list", "n"]) }));
  ids = mutate(data.db, (tx) => [1, 2, 3, 4].map((n) => tx.insert("tasks", { list: "x", n })));
});
afterEach(() => data[Symbol.dispose]());

const listX = [eq("list", "x")];
const watch = (token: string, read: (tx: Transaction) => unknown) => {
  const tx = data.db.beginQuery();
  read(tx);
  data.db.subscribe(token, tx.readSet());
};
const affectedBy = (work: (tx: Transaction) => unknown) => mutateWithCommit(data.db, work).commit.affected.toSorted();
const id = (n: number) => ids[n - 1] ?? "";

describe("a subscription", () => {
  test("is notified once by a write into its reads, and by no other write", () => {
    watch("x", (tx) => collect(tx, range("tasks.by_list", listX)));
    expect(affectedBy((tx) => tx.insert("tasks", { list: "y", n: 1 }))).toEqual([]);
    expect(affectedBy((tx) => tx.insert("tasks", { list: "x", n: 9 }))).toEqual(["x"]);
    expect(affectedBy((tx) => tx.insert("tasks", { list: "x", n: 9 }))).toEqual([]);
  });

  test("is affected only by its document", () => {
    watch("one", (tx) => get(tx, id(1)));
    expect(affectedBy((tx) => tx.shallowMerge({ id: id(2), value: { n: 5 } }))).toEqual([]);
    expect(affectedBy((tx) => tx.shallowMerge({ id: id(1), value: { n: 1 } }))).toEqual([]);
    expect(affectedBy((tx) => tx.shallowMerge({ id: id(1), value: { n: 5 } }))).toEqual(["one"]);
  });

  test("ignores changes after the last row that it read", () => {
    const first = (order: "asc" | "desc") => (tx: Transaction) => collect(tx, range("tasks.by_list", listX, order, [{ limit: 2 }]));
    watch("asc", first("asc"));
    watch("desc", first("desc"));
    expect(affectedBy((tx) => tx.insert("tasks", { list: "x", n: 2.5 }))).toEqual([]);
    expect(affectedBy((tx) => tx.remove({ id: id(2) }))).toEqual(["asc"]);
    expect(affectedBy((tx) => tx.remove({ id: id(3) }))).toEqual(["desc"]);
  });

  test("includes the row that shows whether a page has more", () => {
    watch("page", (tx) => page(tx, range("tasks.by_list", listX), { pageSize: 2 }));
    expect(affectedBy((tx) => tx.insert("tasks", { list: "x", n: 3.5 }))).toEqual([]);
    expect(affectedBy((tx) => tx.remove({ id: id(3) }))).toEqual(["page"]);
  });

  test("is affected by the creation of a missing table", () => {
    watch("none", (tx) => collect(tx, range("later.by_creation_time")));
    expect(affectedBy((tx) => tx.insert("later", {}))).toEqual(["none"]);
  });

  test("ends when it is dropped", () => {
    watch("x", (tx) => get(tx, id(1)));
    data.db.unsubscribe("x");
    expect(affectedBy((tx) => tx.remove({ id: id(1) }))).toEqual([]);
  });

  test("is affected once per batch and can be renewed within it", () => {
    const { db } = data;
    watch("x", (tx) => get(tx, id(1)));
    const patch = (n: number) => {
      const tx = db.beginMutation();
      tx.shallowMerge({ id: id(1), value: { n } });
      return db.commit(tx).affected;
    };
    expect(patch(10)).toEqual(["x"]);
    expect(patch(11)).toEqual([]);
    watch("x", (tx) => get(tx, id(1)));
    expect(patch(12)).toEqual(["x"]);
    watch("x", (tx) => get(tx, id(1)));
    db.flush();
    expect(patch(13)).toEqual(["x"]);
    db.flush();
  });
});
