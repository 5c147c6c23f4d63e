import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { damageIn } from "../../storage/damage.ts";
import type { Transaction } from "../types.ts";
import { collect, mutate, scan, testDatabase, type TestDatabase } from "../testing.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
});
afterEach(() => {
  data[Symbol.dispose]();
});

function damage(statement: string): void {
  const sql: unknown = Reflect.get(data.db, "sql");
  if (!(sql instanceof DatabaseSync)) throw new TypeError("The connection is not where this test looks for it.");
  sql.exec(statement);
}

const insert = (name: string) => mutate(data.db, (tx) => tx.insert("rows", { name }));

test.each<[string, string, (tx: Transaction, id: string) => void]>([
  ["an index lacks the entry of a document that is deleted", "DELETE FROM entries", (tx, id) => tx.remove({ id })],
  ["the changed document is missing", "DELETE FROM documents", (tx, id) => tx.shallowMerge({ id, value: { name: "two" } })],
])("stops writes when %s", (_what, statement, write) => {
  const id = insert("one");
  const damaged = () =>
    mutate(data.db, (tx) => {
      write(tx, id);
      damage(statement);
    });
  expect(damaged).toThrow("The data is damaged (an index and its table have different entries). Nothing more is written.");
  expect(() => data.db.flush()).toThrow("The data is damaged");
  expect(() => insert("after")).toThrow("The data is damaged");
});

test("stops writes when an index entry has no document", () => {
  insert("one");
  damage("DELETE FROM documents WHERE json LIKE '%one%'");
  const read = () => collect(data.db.beginQuery(), scan("rows"));
  expect(read).toThrow("The data is damaged (the data file has null instead of a number). Nothing more is written.");
});

test("does not treat a full disk or busy file as damage", () => {
  const error = (errcode: number) => Object.assign(new Error("sqlite"), { errcode });
  expect([5, 13, 19, 778, 2067].map((code) => damageIn(error(code)))).toEqual([null, null, null, null, null]);
  expect([11, 267, 26, 266, 522, 1034].map((code) => damageIn(error(code))?.name)).toEqual(Array(6).fill("DamagedDataError"));
  expect(damageIn(new Error("outer", { cause: error(11) }))?.name).toBe("DamagedDataError");
});
