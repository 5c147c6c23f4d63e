import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../values/types.ts";
import { checkIntegrity } from "../integrity/integrity.ts";
import { collect, mutate, mutateWithCommit, names, page, search, testDatabase, useSchema, type TestDatabase } from "../testing.ts";
import type { Transaction } from "../types.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
  const notes = defineTable({ name: v.optional(v.any()), owner: v.optional(v.string()), pinned: v.optional(v.boolean()) });
  useSchema(data.db, defineSchema({ notes: notes.searchIndex("by_name", { searchField: "name", filterFields: ["owner", "pinned"] }) }));
});
afterEach(() => data[Symbol.dispose]());

const find = (text: string, equal: { [field: string]: Json } = {}, tx: Transaction = data.db.beginQuery()) =>
  names(collect(tx, search("notes.by_name", "name", text, equal)));
const best = (text: string, equal: { [field: string]: Json }) =>
  names(collect(data.db.beginQuery(), search("notes.by_name", "name", text, equal, [{ limit: 1 }])))[0];
const add = (...notes: { [field: string]: Json }[]) => mutate(data.db, (tx) => notes.map((note) => tx.insert("notes", note)));

describe("a text search", () => {
  test("finds any of the words, the last as a prefix, best match first", () => {
    add(
      { name: "a red house" },
      { name: "the red red barn" },
      { name: "Red-brick wall, RED roof" },
      { name: "blue sky" },
      { name: "redder" },
    );
    expect(find("blue")).toEqual(["blue sky"]);
    expect(find("BLUE")).toEqual(["blue sky"]);
    expect(find("barn sk")[0]).toBe("blue sky");
    expect(find("barn sk")).toHaveLength(2);
    expect(find("hou")).toEqual(["a red house"]);
    expect(find("hou red")).not.toContain("blue sky");
    expect(find("red house")[0]).toBe("a red house");
    expect(find("red x")).not.toContain("redder");
    expect(find("")).toEqual([]);
    expect(find("?!")).toEqual([]);
    expect(find('"')).toEqual([]);
    expect(find("red* AND NOT (house) OR name:")).toContain("the red red barn");
  });

  test("matches words of any script", () => {
    add({ name: "Ärger über Öl" }, { name: "cafe" }, { name: "café" }, { name: "москва 2024" });
    expect(find("ÖL")).toEqual(["Ärger über Öl"]);
    expect(find("café")).toEqual(["café"]);
    expect(find("Моск")).toEqual(["москва 2024"]);
  });

  test("ignores searched words over 32 bytes, like Convex", () => {
    const [longest, long] = ["b".repeat(32), "b".repeat(33)];
    add({ name: longest }, { name: long }, { name: `${long} sky` });
    expect(find(longest)).toContain(longest);
    expect(find(long)).toEqual([]);
    expect(find(`${long} sky`)).toEqual([`${long} sky`]);
    expect(find("é".repeat(17))).toEqual([]);
  });

  test("compares filter values exactly", () => {
    add(
      { name: "plan one", owner: "ann", pinned: true },
      { name: "plan two", owner: "bob" },
      { name: "plan three", owner: "ann" },
      { name: "plan four", owner: "ANN" },
    );
    expect(find("plan", { owner: "ann" }).map(String).toSorted()).toEqual(["plan one", "plan three"]);
    expect(find("plan", { owner: "ann", pinned: true })).toEqual(["plan one"]);
    expect(find("plan", { pinned: { $undefined: null } })).toHaveLength(3);
    expect(find("ann")).toEqual([]);
    expect(() => find("plan", { name: "x" })).toThrow("not one of its filterFields");
  });

  test("ignores documents whose field is not text", () => {
    add({ name: 5 }, { owner: "ann" }, { name: ["red"] }, { name: "red" });
    expect(find("red")).toEqual(["red"]);
  });

  test("includes a mutation's own writes", () => {
    const [first = "", second = ""] = add({ name: "red one", owner: "ann" }, { name: "red two", owner: "ann" });
    mutate(data.db, (tx) => {
      tx.shallowMerge({ id: first, value: { name: "green one" } });
      tx.remove({ id: second });
      tx.insert("notes", { name: "red three", owner: "ann" });
      expect(find("red", { owner: "ann" }, tx)).toEqual(["red three"]);
      expect(find("green", {}, tx)).toEqual(["green one"]);
    });
    expect(find("red")).toEqual(["red three"]);
    expect(find("one")).toEqual(["green one"]);
    const tx = data.db.beginMutation();
    tx.insert("notes", { name: "violet" });
    expect(find("violet", {}, tx)).toEqual(["violet"]);
    data.db.rollback(tx);
    expect(find("violet")).toEqual([]);
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("throws past 1,024 results, like Convex, and is paged by rank", () => {
    const insert = (count: number) =>
      mutate(data.db, (tx) => {
        for (let i = 0; i < count; i++) tx.insert("notes", { name: `same ${i}` });
      });
    insert(1_024);
    expect(find("same x")).toHaveLength(1_024);
    insert(76);
    const query = search("notes.by_name", "name", "same x");
    const limited = (limit: number) => search("notes.by_name", "name", "same x", {}, [{ limit }]);
    expect(() => find("same x")).toThrow("Search query scanned too many documents (limit: 1024)");
    expect(() => collect(data.db.beginQuery(), limited(1_025))).toThrow("scanned too many documents");
    expect(collect(data.db.beginQuery(), limited(1_024))).toHaveLength(1_024);
    const first = page(data.db.beginQuery(), query, { pageSize: 600 });
    const cursor = first.continueCursor;
    expect(() => page(data.db.beginQuery(), query, { pageSize: 600, cursor })).toThrow("scanned too many documents");
    const second = page(data.db.beginQuery(), query, { pageSize: 423, cursor });
    expect(second.isDone).toBe(false);
    expect(new Set(names([...first.page, ...second.page])).size).toBe(1_023);
    const again = page(data.db.beginQuery(), query, { pageSize: 423, cursor, endCursor: second.continueCursor });
    expect(again.page).toEqual(second.page);
    mutate(data.db, (tx) => {
      tx.insert("notes", { name: "same" });
      expect(() => find("same x", {}, tx)).toThrow("scanned too many documents");
    });
  });

  test("ranks rare words, more matches and shorter texts higher, then the newest", () => {
    add(
      { name: "logo old" },
      { name: "logo and a long story about it" },
      { name: "logo logo" },
      { name: "logo new" },
      { name: "the plan" },
    );
    expect(find("logo x")).toEqual(["logo logo", "logo new", "logo old", "logo and a long story about it"]);
    expect(find("plan logo x")[0]).toBe("the plan");
  });

  test("ranks by the current texts after changes, deletions and a rollback", { tags: "@cached-search-texts" }, () => {
    const [first = "", second = ""] = add({ name: "logo logo" }, { name: "logo new" }, { name: "the plan" });
    expect(find("logo x")).toEqual(["logo logo", "logo new"]);
    const before = data.db.latest();
    mutate(data.db, (tx) => {
      tx.shallowMerge({ id: first, value: { name: "logo and a long story about it" } });
      expect(find("logo x", {}, tx)).toEqual(["logo new", "logo and a long story about it"]);
    });
    expect(find("logo x")).toEqual(["logo new", "logo and a long story about it"]);
    expect(find("logo x", {}, data.db.beginQuery(before))).toEqual(["logo logo", "logo new"]);
    const undone = data.db.beginMutation();
    undone.remove({ id: second });
    expect(find("logo x", {}, undone)).toEqual(["logo and a long story about it"]);
    data.db.rollback(undone);
    expect(find("logo x")).toEqual(["logo new", "logo and a long story about it"]);
    mutate(data.db, (tx) => {
      tx.remove({ id: second });
      tx.insert("notes", { name: "a plan with the logo at last" });
    });
    expect(find("logo x")).toEqual(["a plan with the logo at last", "logo and a long story about it"]);
  });

  test("bounds the texts in memory", () => {
    for (let n = 0; n < 6; n++) add({ name: `same ${n} ${"x".repeat(900_000)}` });
    expect(find("same x")).toHaveLength(6);
    expect(data.db.sizes()["search_texts"]).toBe(4);
  });

  test("prefers documents with all words when one word is very common", () => {
    mutate(data.db, (tx) => {
      tx.insert("notes", { name: "the old one and only", owner: "ann" });
      tx.insert("notes", { name: "both and the old", owner: "ann" });
      for (let i = 0; i < 1_100; i++) tx.insert("notes", { name: `the ${i}`, owner: "ann" });
      for (let i = 0; i < 1_100; i++) tx.insert("notes", { name: `both ${i}`, owner: "ann" });
      for (let i = 0; i < 1_100; i++) tx.insert("notes", { name: `the ${i} both`, owner: "bob" });
    });
    expect(best("the only", { owner: "ann" })).toBe("the old one and only");
    expect(best("the both", { owner: "ann" })).toBe("both and the old");
    expect(best("the both", { owner: "bob" })).toMatch(/^the \d+ both$/);
  });

  test("is affected by changes to documents that match its filters", () => {
    const [ann = ""] = add({ name: "red", owner: "ann" }, { name: "red", owner: "bob" });
    const watch = (token: string, equal: { [field: string]: Json }) => {
      const tx = data.db.beginQuery();
      find("red", equal, tx);
      data.db.subscribe(token, tx.readSet());
    };
    watch("ann", { owner: "ann" });
    watch("all", {});
    const affected = (work: (tx: Transaction) => unknown) => mutateWithCommit(data.db, work).commit.affected.toSorted();
    expect(affected((tx) => tx.insert("notes", { name: "blue", owner: "bob" }))).toEqual(["all"]);
    watch("all", {});
    expect(affected((tx) => tx.shallowMerge({ id: ann, value: { owner: "bob" } }))).toEqual(["all", "ann"]);
    watch("ann", { owner: "ann" });
    expect(affected((tx) => tx.insert("notes", { name: "red", owner: "ann" }))).toEqual(["ann"]);
  });

  test("requires its search field exactly once", () => {
    const tx = data.db.beginQuery();
    expect(() => collect(tx, search("notes.by_name", "owner", "x"))).toThrow('must search the field "name"');
    const none: Json = { source: { type: "Search", indexName: "notes.by_name", filters: [] }, operators: [] };
    expect(() => collect(tx, none)).toThrow("has no .search() filter");
  });
});
