import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collect, mutate, names, scan, testDatabase, type TestDatabase } from "../testing.ts";
import type { Database } from "../types.ts";
import { checkIntegrity } from "./integrity.ts";

const ROWS = 2_500;
const TEXT = "some text ".repeat(850);
const KEPT_EVERY = 50;
const AT_ONCE = 250;

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
});
afterEach(() => data[Symbol.dispose]());

const path = () => join(data.dir, "deployment.sqlite3");

function fill(db: Database, { rows = ROWS, text = TEXT } = {}): string[] {
  const ids: string[] = [];
  for (let from = 0; from < rows; from += AT_ONCE)
    mutate(db, (tx) => {
      for (let n = from; n < from + AT_ONCE; n += 1) ids.push(tx.insert("rows", { name: `row ${n}`, text }));
    });
  return ids;
}

function removeMost(db: Database, ids: string[]): void {
  const removed = ids.filter((_, n) => n % KEPT_EVERY !== 0);
  for (let from = 0; from < removed.length; from += AT_ONCE)
    mutate(db, (tx) => {
      for (const id of removed.slice(from, from + AT_ONCE)) tx.remove({ id });
    });
}

function upkeep(db: Database): number {
  let steps = 0;
  for (let isDue = db.checkpoint(); isDue; steps += 1) isDue = db.clearDeleted();
  return steps;
}

const pragma = (sql: DatabaseSync, name: string): number => Number(sql.prepare(`PRAGMA ${name}`).get()?.[name]);

describe("a database with many free pages", () => {
  test("shrinks while it is open, in slices between which it can be written", { tags: "@compaction" }, () => {
    const { db } = data;
    const ids = fill(db);
    upkeep(db);
    const before = statSync(path()).size;
    removeMost(db, ids);
    const kept = names(collect(db.beginQuery(), scan("rows")));
    let inserted = 0;
    let steps = 0;
    for (let isDue = db.checkpoint(); isDue; steps += 1) {
      isDue = db.clearDeleted();
      if (steps % 3 === 0) mutate(db, (tx) => tx.insert("others", { name: `other ${inserted++}` }));
    }
    expect(steps).toBeGreaterThan(3);
    upkeep(db);
    expect(statSync(path()).size).toBeLessThan(before / 4);
    expect(names(collect(db.beginQuery(), scan("rows")))).toEqual(kept);
    expect(collect(db.beginQuery(), scan("others"))).toHaveLength(inserted);
    db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("keeps its free pages for new data if they are few", { tags: "@compaction-few" }, () => {
    const { db } = data;
    const ids = fill(db);
    upkeep(db);
    const before = statSync(path()).size;
    mutate(db, (tx) => tx.remove({ id: ids[0] ?? "" }));
    upkeep(db);
    expect(statSync(path()).size).toBe(before);
  });

  test("keeps the pages that map pointers when unused bytes are cleared", { tags: "@compaction-pointer-map" }, () => {
    const { db } = data;
    // Many small rows, because entries of pages without overflow look like B-tree pages.
    const ids = fill(db, { rows: 12_000, text: "x".repeat(200) });
    mutate(db, (tx) => tx.remove({ id: ids[0] ?? "" }));
    upkeep(db);
    db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("does not shrink while a backup reads the file", { tags: "@compaction-held" }, () => {
    const { db } = data;
    removeMost(db, fill(db));
    db.holdFile(true);
    const before = statSync(path()).size;
    expect(upkeep(db)).toBe(0);
    expect(statSync(path()).size).toBe(before);
    db.holdFile(false);
    upkeep(db);
    expect(statSync(path()).size).toBeLessThan(before / 4);
  });

  test("shrinks at the start if an earlier version created it", { tags: "@compaction-earlier" }, () => {
    const { db } = data;
    const ids = fill(db);
    db.close();
    const sql = new DatabaseSync(path());
    sql.exec("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
    expect(pragma(sql, "auto_vacuum")).toBe(0);
    sql.close();
    removeMost(data.reopen(), ids);
    upkeep(data.db);
    const before = statSync(path()).size;
    const kept = names(collect(data.db.beginQuery(), scan("rows")));
    expect(names(collect(data.reopen().beginQuery(), scan("rows")))).toEqual(kept);
    data.db.close();
    expect(statSync(path()).size).toBeLessThan(before / 4);
    expect(checkIntegrity(data.dir)).toEqual([]);
    const compacted = new DatabaseSync(path());
    expect(pragma(compacted, "auto_vacuum")).toBe(2);
    compacted.close();
  });
});
