import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DiskFullError } from "../../values/errors.ts";
import { checkIntegrity } from "./integrity.ts";
import { collect, get, mutate, names, scan, testDatabase, type TestDatabase } from "../testing.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
});
afterEach(() => data[Symbol.dispose]());

/** Simulates a full disk by a page limit: both raise SQLITE_FULL. */
function allowPages(more: number): void {
  const sql: unknown = Reflect.get(data.db, "sql");
  if (!(sql instanceof DatabaseSync)) throw new TypeError("The connection is not where this test looks for it.");
  const pages = Number(sql.prepare("PRAGMA page_count").get()?.["page_count"]);
  sql.exec(`PRAGMA max_page_count = ${pages + more}`);
}

describe("a full disk", () => {
  test("fails the whole batch but nothing before it", () => {
    const { db } = data;
    const kept = mutate(db, (tx) => tx.insert("rows", { name: "kept" }));
    const durable = db.latest();
    const reader = db.beginQuery();
    get(reader, kept);
    db.subscribe("reader", reader.readSet());
    allowPages(40);

    const insert = (name: string, text: string) => {
      const tx = db.beginMutation();
      tx.insert("rows", { name, text });
      return db.commit(tx, { sessionId: "s", requestId: 1, result: name });
    };
    const tx = db.beginMutation();
    tx.shallowMerge({ id: kept, value: { name: "changed" } });
    expect(db.commit(tx).affected).toEqual(["reader"]);
    insert("small", "x");
    expect(() => insert("large", "x".repeat(500_000))).toThrow("Writing failed, nothing since the last flush was kept");
    expect(() => insert("next", "x")).toThrow(DiskFullError);
    expect(() => db.settings.set("a", "b")).toThrow("Writing failed");
    expect(() => db.flush()).toThrow("Writing failed");

    expect(db.latest()).toBe(durable);
    expect(names(collect(db.beginQuery(), scan("rows")))).toEqual(["kept"]);
    expect(db.recorded("s", 1)).toBeUndefined();
    allowPages(10_000);
    const again = db.beginMutation();
    again.shallowMerge({ id: kept, value: { name: "at last" } });
    expect(db.commit(again).affected).toEqual(["reader"]);
    insert("after", "x");
    db.flush();
    expect(names(collect(data.reopen().beginQuery(), scan("rows")))).toEqual(["at last", "after"]);
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("drops the batch's tables but keeps their numbers for subscriptions", () => {
    const { db } = data;
    const waiting = db.beginQuery();
    collect(waiting, scan("later"));
    db.subscribe("waiting", waiting.readSet());
    allowPages(5);
    const insert = (text: string) => {
      const tx = db.beginMutation();
      tx.insert("later", { text });
      return db.commit(tx);
    };
    expect(insert("x").affected).toEqual(["waiting"]);
    expect(() => insert("x".repeat(500_000))).toThrow("Writing failed");
    expect(() => db.flush()).toThrow("Writing failed");
    expect(db.tables().map(({ name }) => name)).not.toContain("later");
    allowPages(10_000);
    expect(insert("x").affected).toEqual(["waiting"]);
    db.flush();
    expect(db.tables().map(({ name }) => name)).toContain("later");
  });
});

test("the check finds a missing entry and a wrong size", () => {
  mutate(data.db, (tx) => tx.insert("rows", { name: "a" }));
  mutate(data.db, (tx) => tx.insert("rows", { name: "b" }));
  data.db.close();
  const path = `${data.dir}/deployment.sqlite3`;
  const meddle = (statement: string) => {
    const sql = new DatabaseSync(path);
    sql.exec(statement);
    sql.close();
  };
  expect(checkIntegrity(data.dir)).toEqual([]);
  meddle("DELETE FROM entries WHERE key = (SELECT max(key) FROM entries)");
  expect(checkIntegrity(data.dir)).toEqual([
    expect.stringMatching(/^Document \w+: index by_creation_time has no entry for it\.$/),
    "Index rows.by_creation_time has 1 entries for 2 documents.",
  ]);
  meddle("UPDATE documents SET size = size + 1 WHERE row = 1");
  expect(checkIntegrity(data.dir).join("\n")).toMatch(/its size is wrong/);
});
