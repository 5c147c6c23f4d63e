import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFile } from "./file.ts";
import { openIdempotencyRecords } from "./idempotency-records.ts";

let dir = "";
let sql: DatabaseSync;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "records-"));
  sql = openFile(dir);
});

afterEach(() => {
  sql.close();
  rmSync(dir, { recursive: true });
});

test("finds a record of an earlier process", () => {
  openIdempotencyRecords(sql).insert({ sessionId: "a", requestId: 7, result: '"stored"' }, 5n);
  const records = openIdempotencyRecords(sql);
  expect(records.find("a", 7)).toEqual({ ts: 5n, result: '"stored"' });
  expect(records.find("a", 6)).toBeUndefined();
  expect(records.find("a", 8)).toBeUndefined();
  expect(records.find("b", 7)).toBeUndefined();
});

test("finds the records of a session out of order", () => {
  const records = openIdempotencyRecords(sql);
  for (const requestId of [3, 1, 2]) records.insert({ sessionId: "a", requestId, result: `${requestId}` }, 5n);
  expect([1, 2, 3].map((request) => records.find("a", request)?.result)).toEqual(["1", "2", "3"]);
});

test("finds a record that an earlier build stored with its session id", () => {
  sql.exec("INSERT INTO answers (session, request, ts, result) VALUES ('a', 1, 5, '9')");
  expect(openIdempotencyRecords(sql).find("a", 1)).toEqual({ ts: 5n, result: "9" });
});

test("finds the records of more sessions than it keeps keys for", () => {
  const records = openIdempotencyRecords(sql);
  const ids = Array.from({ length: 5_000 }, (_, index) => `session ${index}`);
  sql.exec("BEGIN");
  for (const sessionId of ids) records.insert({ sessionId, requestId: 0, result: `"${sessionId}"` }, 5n);
  sql.exec("COMMIT");
  for (const id of ids) expect(records.find(id, 0)?.result).toBe(`"${id}"`);
});

test("encrypts equal results differently, and without their text", () => {
  const records = openIdempotencyRecords(sql);
  sql.exec("BEGIN");
  for (let requestId = 0; requestId < 3_000; requestId++) records.insert({ sessionId: "a", requestId, result: '"secret text"' }, 5n);
  sql.exec("COMMIT");
  const stored = sql
    .prepare("SELECT result FROM answers")
    .all()
    .map(({ result }) => String(result));
  expect(new Set(stored).size).toBe(3_000);
  expect(new Set(stored.map((text) => Buffer.from(text.slice(1), "base64").subarray(0, 12).toString("hex"))).size).toBe(3_000);
  expect(stored.some((text) => text.includes("secret"))).toBe(false);
});
