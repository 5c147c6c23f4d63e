import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FILE_NAME } from "../../storage/file.ts";
import { openDatabase } from "../database.ts";
import { checkIntegrity } from "./integrity.ts";
import { collect, mutate, search, testDatabase, useSchema, type TestDatabase } from "../testing.ts";

const MARK = "qzxmark";
const NOTES = 3_000;

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
  const notes = defineTable({ name: v.string(), text: v.string() }).index("by_name", ["name"]);
  useSchema(data.db, defineSchema({ notes: notes.searchIndex("by_text", { searchField: "text" }) }));
});
afterEach(() => data[Symbol.dispose]());

const marked = (dir = data.dir) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString("latin1").split(MARK).length - 1])
    .filter(([, count]) => count !== 0);

function store(): string[] {
  const ids: string[] = [];
  for (let start = 0; start < NOTES; start += 100) {
    mutate(data.db, (tx) => {
      for (let number = start; number < start + 100; number++) {
        const isMarked = number % 3 === 0;
        const name = `${isMarked ? MARK : "other"}-${(number * 7_919) % NOTES}-${"n".repeat(number % 90)}`;
        const id = tx.insert("notes", {
          name,
          text: `word${number % 500} ${isMarked ? `${MARK}${number % 50}` : "plain"} ${"x".repeat(number % 400)}`,
        });
        if (isMarked) ids.push(id);
      }
    });
  }
  return ids;
}

function remove(ids: string[]): void {
  for (let start = 0; start < ids.length; start += 100)
    mutate(data.db, (tx) => {
      for (const id of ids.slice(start, start + 100)) tx.remove({ id });
    });
}

function clearAll(database = data.db): void {
  for (let due = database.checkpoint(); due;) due = database.clearDeleted();
}

test("deleted documents are erased from the files after a checkpoint", () => {
  const ids = store();
  remove(ids);
  expect(marked()).not.toEqual([]);
  clearAll();
  expect(marked()).toEqual([]);
  data.db.close();
  expect(checkIntegrity(data.dir)).toEqual([]);
});

test("deleted documents are erased from the files after a close", () => {
  remove(store());
  data.db.close();
  expect(marked()).toEqual([]);
});

test("documents deleted before a crash are cleared after the next start", () => {
  remove(store());
  const crashed = mkdtempSync(join(tmpdir(), "engine-crashed-"));
  cpSync(data.dir, crashed, { recursive: true });
  expect(marked(crashed)).not.toEqual([]);
  const database = openDatabase(crashed);
  clearAll(database);
  expect(marked(crashed)).toEqual([]);
  database.close();
  rmSync(crashed, { recursive: true });
});

test("stored results of mutations are unreadable without the id of their session", () => {
  const result = JSON.stringify({ name: MARK });
  const record = { sessionId: `${MARK}-session`, requestId: 1, result };
  mutate(data.db, (tx) => tx.insert("notes", { name: "n", text: "t" }), record);
  data.db.flush();
  expect(marked()).toEqual([]);
  expect(data.reopen().recorded(record.sessionId, 1)?.result).toBe(result);
});

test("results that earlier builds stored are found", () => {
  data.db.close();
  const sql = new DatabaseSync(join(data.dir, FILE_NAME));
  sql.prepare("INSERT INTO answers (session, request, ts, result) VALUES ('s', 1, 5, '\"x\"')").run();
  sql.close();
  expect(data.reopen().recorded("s", 1)).toEqual({ ts: 5n, result: '"x"' });
});

test("clearing deleted data keeps the other data", () => {
  const ids = store();
  remove(ids);
  clearAll();
  const found = collect(data.db.beginQuery(), search("notes.by_text", "text", "word7"));
  expect(found.length).toBeGreaterThan(0);
  expect(collect(data.db.beginQuery(), search("notes.by_text", "text", MARK))).toEqual([]);
});

function segments(): number {
  const copied = mkdtempSync(join(tmpdir(), "engine-copied-"));
  cpSync(data.dir, copied, { recursive: true });
  const sql = new DatabaseSync(join(copied, FILE_NAME));
  const table = String(sql.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%fts5%'").get()?.["name"]);
  const count = sql.prepare(`SELECT count(DISTINCT segid) AS count FROM ${table}_idx`).get()?.["count"];
  sql.close();
  rmSync(copied, { recursive: true });
  return Number(count);
}

test("a text index that grew in many commits has one segment after a checkpoint", () => {
  store();
  data.db.flush();
  expect(segments()).toBeGreaterThan(1);
  clearAll();
  expect(segments()).toBe(1);
});

test("nothing is rewritten while a backup holds the file", () => {
  store();
  data.db.holdFile(true);
  data.db.checkpoint();
  expect(data.db.clearDeleted()).toBe(false);
  expect(segments()).toBeGreaterThan(1);
  data.db.holdFile(false);
  clearAll();
  expect(segments()).toBe(1);
});

test("a file of format 1 is vacuumed and its text indexes are rebuilt", () => {
  const ids = store();
  data.db.close();
  const sql = new DatabaseSync(join(data.dir, FILE_NAME));
  const table = String(sql.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%fts5%'").get()?.["name"]);
  sql.exec(`PRAGMA secure_delete = OFF; CREATE TABLE old (text); DROP TABLE ${table}; PRAGMA user_version = 1;
    CREATE VIRTUAL TABLE ${table} USING fts5 (text, marks, content = '', contentless_delete = 1)`);
  sql.prepare("INSERT INTO old VALUES (?)").run(MARK.repeat(1_000));
  sql.exec("DELETE FROM old; DROP TABLE old");
  sql.close();
  const reopened = data.reopen();
  expect(collect(reopened.beginQuery(), search("notes.by_text", "text", "word7")).length).toBeGreaterThan(0);
  remove(ids);
  reopened.close();
  expect(marked()).toEqual([]);
});
