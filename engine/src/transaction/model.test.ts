import { compareValues, jsonToConvex, type Value } from "convex/values";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldAt, type JsonObject } from "../values/canonical.ts";
import { jsonOf, values } from "../values/testing.ts";
import type { Json } from "../values/types.ts";
import { idOf } from "./document.ts";
import { checkIntegrity } from "./integrity/integrity.ts";
import { collect, get, mutate, page, range, scan, testDatabase, useSchema, type Bound } from "./testing.ts";
import type { Database, Transaction } from "./types.ts";

const schema = defineSchema({
  rows: defineTable(v.any()).index("by_a_b", ["a", "b"]).index("by_nested", ["a.x"]),
});
const INDEXES: { [name: string]: string[] } = { by_a_b: ["a", "b", "_creationTime"], by_nested: ["a.x", "_creationTime"] };

const few = fc.constantFrom<Value>(null, 1, 2, "x", "y", true, 1n, { x: 1 }, { x: "b" });
const some = fc.oneof({ weight: 3, arbitrary: few }, { weight: 1, arbitrary: values }).map(jsonOf);
const fields = fc.record({ a: some, b: some }, { requiredKeys: [] });

type Step =
  | { do: "insert"; value: JsonObject }
  | { do: "patch" | "replace"; which: number; value: JsonObject }
  | { do: "remove"; which: number }
  | { do: "savepoint" }
  | { do: "rollback" }
  | { do: "query"; index: string; order: "asc" | "desc"; equal: number; lower: Json | undefined; upper: Json | undefined; limit: number };

const which = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("insert" as const), value: fields }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("patch" as const, "replace" as const), which, value: fields }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), which }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: "savepoint" }, { do: "rollback" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("query" as const),
      index: fc.constantFrom(...Object.keys(INDEXES)),
      order: fc.constantFrom("asc" as const, "desc" as const),
      equal: fc.nat(2),
      lower: fc.option(some, { nil: undefined }),
      upper: fc.option(some, { nil: undefined }),
      limit: fc.integer({ min: 1, max: 30 }),
    }),
  },
);
const mutation = fc.record({ steps: fc.array(step, { maxLength: 12 }), commits: fc.boolean(), flushes: fc.boolean() });

const value = (document: JsonObject, field: string): Value | undefined => {
  const json = fieldAt(document, field.split("."));
  return json === undefined ? undefined : jsonToConvex(json);
};
const convex = (json: Json | undefined): Value | undefined => (json === undefined ? undefined : jsonToConvex(json));
const bound = (json: Json | undefined): Json => (json === undefined ? { $undefined: null } : json);

function sorted(rows: JsonObject[], paths: string[], order: "asc" | "desc"): JsonObject[] {
  const all = rows.toSorted((left, right) => {
    for (const path of [...paths, "_id"]) {
      const found = compareValues(value(left, path), value(right, path));
      if (found !== 0) return found;
    }
    return 0;
  });
  return order === "asc" ? all : all.toReversed();
}

function compareQuery(
  tx: Transaction,
  rows: JsonObject[],
  { index, order, equal, lower, upper, limit }: Extract<Step, { do: "query" }>,
): void {
  const paths = INDEXES[index] ?? [];
  const sample = rows[limit % Math.max(rows.length, 1)] ?? {};
  const equals = paths.slice(0, Math.min(equal, paths.length - 1)).map((path) => ({ path, json: fieldAt(sample, path.split(".")) }));
  const next = paths[equals.length] ?? "_creationTime";
  const bounds: Bound[] = equals.map(({ path, json }) => ({ type: "Eq", fieldPath: path, value: bound(json) }));
  if (lower !== undefined) bounds.push({ type: limit % 2 ? "Gt" : "Gte", fieldPath: next, value: lower });
  if (upper !== undefined) bounds.push({ type: limit % 3 ? "Lt" : "Lte", fieldPath: next, value: upper });

  const expected = sorted(rows, paths, order).filter((row) => {
    if (!equals.every(({ path, json }) => compareValues(value(row, path), convex(json)) === 0)) return false;
    const low = lower === undefined ? 1 : compareValues(value(row, next), convex(lower));
    const high = upper === undefined ? -1 : compareValues(value(row, next), convex(upper));
    return (limit % 2 ? low > 0 : low >= 0) && (limit % 3 ? high < 0 : high <= 0);
  });
  expect(collect(tx, range(`rows.${index}`, bounds, order, [{ limit }]))).toEqual(expected.slice(0, limit));
}

function run(tx: Transaction, rows: JsonObject[], steps: Step[]): JsonObject[] {
  let now = [...rows];
  let saved: { at: number; rows: JsonObject[] } | null = null;
  for (const step of steps) {
    const target = "which" in step ? now[step.which % Math.max(now.length, 1)] : undefined;
    const id = target === undefined ? "" : idOf(target);
    if (step.do === "insert") {
      const made = tx.insert("rows", step.value);
      now.push(get(tx, made) ?? {});
    } else if (step.do === "savepoint") {
      saved = { at: tx.savepoint(), rows: [...now] };
    } else if (step.do === "rollback") {
      if (saved === null) continue;
      tx.rollbackTo(saved.at);
      now = saved.rows;
      saved = null;
    } else if (step.do === "query") {
      compareQuery(tx, now, step);
    } else if (target === undefined) {
      continue;
    } else if (step.do === "remove") {
      tx.remove({ id });
      now = now.filter((row) => row !== target);
    } else {
      const kept = { _id: id, _creationTime: target["_creationTime"] ?? 0 };
      if (step.do === "patch") tx.shallowMerge({ id, value: step.value });
      else tx.replace({ id, value: step.value });
      now = now.map((row) => (row === target ? { ...(step.do === "patch" ? target : {}), ...step.value, ...kept } : row));
    }
  }
  return now;
}

function checkAll(db: Database, rows: JsonObject[], at?: bigint): void {
  const tx = db.beginQuery(at);
  expect(collect(tx, scan("rows"))).toEqual(sorted(rows, ["_creationTime"], "asc"));
  for (const [index, paths] of Object.entries(INDEXES)) {
    for (const order of ["asc", "desc"] as const)
      expect(collect(tx, range(`rows.${index}`, [], order))).toEqual(sorted(rows, paths, order));
  }
  expect(collect(tx, range("rows.by_id", [], "desc"))).toEqual(sorted(rows, ["_id"], "desc"));
  for (const row of rows) expect(get(tx, idOf(row))).toEqual(row);
}

describe("random writes", () => {
  test("give the reads of a sorted array, now and at every earlier time", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 8 }), (mutations) => {
        using data = testDatabase();
        mutate(data.db, (tx) => tx.insert("before", { a: 1 }));
        useSchema(data.db, schema);
        mutate(data.db, (tx) => [tx.insert("after", { a: 1 }), tx.system.insert("_storage", {})]);
        let rows: JsonObject[] = [];
        const states: { ts: bigint; rows: JsonObject[] }[] = [{ ts: data.db.latest(), rows }];
        for (const { steps, commits, flushes } of mutations) {
          const tx = data.db.beginMutation();
          const now = run(tx, rows, steps);
          if (!commits) {
            data.db.rollback(tx);
            continue;
          }
          const { ts } = data.db.commit(tx);
          if (flushes) data.db.flush();
          rows = now;
          states.push({ ts, rows });
          checkAll(data.db, rows);
        }
        for (const state of states) checkAll(data.db, state.rows, state.ts);
        checkAll(data.reopen(), rows);
        data.db.close();
        expect(checkIntegrity(data.dir)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("subscriptions", () => {
  test("are affected by every commit that changes their result", { timeout: 120_000 }, () => {
    const bounds = fc.constantFrom<Bound[]>(
      [],
      [{ type: "Eq", fieldPath: "a", value: 1 }],
      [
        { type: "Gte", fieldPath: "a", value: 1 },
        { type: "Lt", fieldPath: "a", value: "y" },
      ],
    );
    const question = fc.record({
      bounds,
      order: fc.constantFrom("asc" as const, "desc" as const),
      limit: fc.integer({ min: 1, max: 4 }),
      kind: fc.constantFrom("stream", "page", "get", "count"),
      filter: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        fc.array(question, { minLength: 1, maxLength: 6 }),
        (mutations, questions) => {
          using data = testDatabase();
          useSchema(data.db, schema);
          let rows: JsonObject[] = [];
          const ask = (which: number): { answer: string; tx: Transaction } => {
            const { bounds, order, limit, kind, filter } = questions[which] ?? {
              bounds: [],
              order: "asc",
              limit: 1,
              kind: "count",
              filter: false,
            };
            const tx = data.db.beginQuery();
            const filters: Json[] = filter ? [{ filter: { $eq: [{ $field: "b" }, { $literal: "x" }] } }] : [];
            const row = rows[limit % Math.max(rows.length, 1)];
            const answer =
              kind === "stream"
                ? collect(tx, range("rows.by_a_b", bounds, order, [...filters, { limit }]))
                : kind === "page"
                  ? page(tx, range("rows.by_a_b", bounds, order, filters), { pageSize: limit })
                  : kind === "get"
                    ? get(tx, row === undefined ? "0400000000000000000000000000248" : idOf(row))
                    : tx.count("rows");
            return { answer: JSON.stringify(answer), tx };
          };
          const missed: string[] = [];
          for (const { steps } of mutations) {
            const before = questions.map((_, i) => {
              const { answer, tx } = ask(i);
              data.db.subscribe(String(i), tx.readSet());
              return answer;
            });
            const requested = rows;
            const tx = data.db.beginMutation();
            const now = run(tx, rows, steps);
            const { affected } = data.db.commit(tx);
            data.db.flush();
            before.forEach((answer, i) => {
              rows = requested;
              if (ask(i).answer !== answer && !affected.includes(String(i))) missed.push(answer);
            });
            rows = now;
          }
          expect(missed).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });
});
