import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FunctionError } from "../values/errors.ts";
import { collect, mutate, scan, testDatabase, type TestDatabase } from "./testing.ts";
import type { Transaction } from "./types.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
});
afterEach(() => data[Symbol.dispose]());

const inMutation = (work: (tx: Transaction) => void) => {
  const tx = data.db.beginMutation();
  try {
    work(tx);
  } finally {
    data.db.rollback(tx);
  }
};
const times = (count: number, work: () => void) => {
  for (let i = 0; i < count; i++) work();
};

describe("a transaction", () => {
  test("writes at most 16,000 documents", () => {
    inMutation((tx) => {
      times(16_000, () => tx.insert("rows", {}));
      expect(() => tx.insert("rows", {})).toThrow("Too many writes in a single function execution (limit: 16000)");
    });
  });

  test("writes at most 16 MiB", () => {
    inMutation((tx) => {
      const half = "x".repeat(512 * 1024 - 200);
      times(32, () => tx.insert("rows", { half }));
      expect(() => tx.insert("rows", { half })).toThrow("Too many bytes written in a single function execution (limit: 16777216 bytes)");
    });
  });

  test("reads at most 32,000 documents, with advice in the error", () => {
    for (let i = 0; i < 3; i++) mutate(data.db, (tx) => times(12_000, () => tx.insert("rows", {})));
    expect(() => collect(data.db.beginQuery(), scan("rows"))).toThrow(
      new FunctionError(
        "Too many documents read in a single function execution (limit: 32000). Consider using smaller limits in your queries, paginating your queries, or using indexed queries with a selective index range expressions.",
      ),
    );
    expect(collect(data.db.beginQuery(), scan("rows", "desc", [{ limit: 31_000 }]))).toHaveLength(31_000);
  });

  test("reads at most 16 MiB", () => {
    const half = "x".repeat(512 * 1024);
    for (let i = 0; i < 2; i++) mutate(data.db, (tx) => times(17, () => tx.insert("rows", { half })));
    expect(() => collect(data.db.beginQuery(), scan("rows"))).toThrow(
      "Too many bytes read in a single function execution (limit: 16777216 bytes).",
    );
  });

  test("reads at most 4,096 index ranges", () => {
    const id = mutate(data.db, (tx) => tx.insert("rows", {}));
    const tx = data.db.beginQuery();
    times(4_096, () => tx.get({ id, isSystem: false }));
    expect(() => tx.get({ id, isSystem: false })).toThrow("Too many reads in a single function execution (limit: 4096).");
  });

  test("schedules at most 1,000 functions", () => {
    inMutation((tx) => {
      const job = { name: "a:b", args: [{}], scheduledTime: 0, state: { kind: "pending" } };
      times(1_000, () => tx.system.insert("_scheduled_functions", job));
      expect(tx.usage().scheduled).toBe(1_000);
      expect(() => tx.system.insert("_scheduled_functions", job)).toThrow("Too many functions scheduled by this mutation (limit: 1000)");
    });
  });

  test("rejects a document above 1 MiB and stores nothing of it", () => {
    inMutation((tx) => {
      expect(() => tx.insert("rows", { text: "x".repeat(1024 * 1024) })).toThrow("Value is too large (1.00 MiB > maximum size 1 MiB)");
      expect(collect(tx, scan("rows"))).toEqual([]);
    });
  });
});
