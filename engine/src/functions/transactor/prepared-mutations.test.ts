import { DatabaseSync } from "node:sqlite";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../values/canonical.ts";
import { idOf } from "../../transaction/document.ts";
import { collect, eq, range, scan, testDatabase, useSchema, type TestDatabase } from "../../transaction/testing.ts";
import type { Commit, Transaction } from "../../transaction/types.ts";
import { PreparedMutations } from "./prepared-mutations.ts";
import type { WireRun } from "./transactor-protocol.ts";

const schema = defineSchema({ rows: defineTable({ key: v.number(), value: v.number() }).index("by_key", ["key"]) });

let data: TestDatabase;
let prepared: PreparedMutations;
let ids: number;
beforeEach(() => {
  data = testDatabase();
  useSchema(data.db, schema);
  prepared = new PreparedMutations(data.db);
  ids = 0;
});
afterEach(() => data[Symbol.dispose]());

const run = (): WireRun => ({
  outcome: { ok: true, text: "null", logLines: [] },
  metadata: { path: "rows:write", type: "mutation", startedAt: 0, durationMs: 0, readIdentity: false, journal: null, requestId: null },
  ts: data.db.latest(),
});

function prepare(work: (tx: Transaction) => void): number {
  const transaction = data.db.beginMutation();
  work(transaction);
  prepared.add(++ids, { run: run(), transaction, execution: null, hooks: {} });
  return ids;
}

function commit(id: number): Commit | null {
  const mutation = prepared.take(id);
  if (mutation.conflict) return null;
  const committed = data.db.commitSuspended(mutation.transaction, mutation.token);
  prepared.invalidate(committed, mutation.transaction, "rows:write");
  return committed;
}

type Write = { key: number; low: number; high: number };

function write(tx: Transaction, { key, low, high }: Write): void {
  const bounds = [
    { type: "Gte" as const, fieldPath: "key", value: low },
    { type: "Lte" as const, fieldPath: "key", value: high },
  ];
  const value = sumOf(collect(tx, range("rows.by_key", bounds))) + 1;
  const [row] = collect(tx, range("rows.by_key", [eq("key", key)]));
  if (row) tx.shallowMerge({ id: idOf(row), value: { value } });
  else tx.insert("rows", { key, value });
}

const sumOf = (rows: JsonObject[]): number => rows.reduce((sum, { value }) => sum + Number(value), 0);

const key = fc.nat(5);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ key, low: key, high: key }) },
    { weight: 2, arbitrary: fc.record({ commit: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ at: key }) },
  ),
  { maxLength: 60 },
);

test("committed mutations have the result of running them one after the other", () => {
  fc.assert(
    fc.property(steps, (steps) => {
      for (const row of collect(data.db.beginQuery(), scan("rows"))) {
        const tx = data.db.beginMutation();
        tx.remove({ id: idOf(row) });
        data.db.commit(tx);
      }
      const model = new Map<number, number>();
      const pending: { id: number; write: Write }[] = [];
      const apply = ({ key, low, high }: Write) =>
        model.set(
          key,
          [...model].reduce((sum, [at, value]) => (low <= at && at <= high ? sum + value : sum), 1),
        );
      for (const step of steps) {
        if ("low" in step) {
          pending.push({ id: prepare((tx) => write(tx, step)), write: step });
        } else if ("at" in step) {
          data.db.flush();
        } else {
          const [next] = pending.splice(step.commit % Math.max(pending.length, 1), 1);
          if (next && commit(next.id)) apply(next.write);
        }
      }
      for (const { id, write } of pending) if (commit(id)) apply(write);
      const rows = collect(data.db.beginQuery(), range("rows.by_key"));
      expect(rows.map(({ key, value }) => [key, value])).toEqual([...model].toSorted(([a], [b]) => a - b));
    }),
    { numRuns: 300 },
  );
});

test("waiting mutations conflict after a failed write", () => {
  const base = prepare((tx) => write(tx, { key: 1, low: 0, high: 0 }));
  expect(commit(base)).not.toBeNull();
  const reader = prepare((tx) => write(tx, { key: 2, low: 1, high: 1 }));
  const sql: unknown = Reflect.get(data.db, "sql");
  if (!(sql instanceof DatabaseSync)) throw new TypeError("The connection is not where this test looks for it.");
  sql.exec("ROLLBACK");
  expect(() => data.db.settings.set("a", "b")).toThrow("SQLite rolled back the batch");
  expect(() => data.db.flush()).toThrow("Writing failed");
  prepared.clear();
  expect(prepared.take(reader)).toEqual({ conflict: {} });
  expect(collect(data.db.beginQuery(), scan("rows"))).toEqual([]);
  expect(data.db.sizes()["subscriptions"]).toBe(0);
});
