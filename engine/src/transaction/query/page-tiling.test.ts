import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idOf } from "../document.ts";
import { collect, mutate, page, range, testDatabase, useSchema } from "../testing.ts";

const schema = defineSchema({ rows: defineTable(v.any()).index("by_a_b", ["a", "b"]) });

describe("pages", () => {
  const change = fc.oneof(
    fc.record({ do: fc.constant("insert" as const), a: fc.nat(9) }),
    fc.record({ do: fc.constant("remove" as const), which: fc.nat(50) }),
  );

  test("have no overlap or gap while rows are inserted and removed", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { maxLength: 40 }),
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom("asc" as const, "desc" as const),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
        (initial, changes, pageSize, order, maximumRowsRead) => {
          using data = testDatabase();
          useSchema(data.db, schema);
          const there = mutate(data.db, (tx) => initial.map((a) => tx.insert("rows", { a })));
          const removed = new Set<string>();
          const query = range("rows.by_a_b", [], order, [{ filter: { $neq: [{ $field: "a" }, { $literal: 5 }] } }]);
          const pages: { cursor: string | null; endCursor: string; ids: string[] }[] = [];
          let cursor: string | null = null;
          for (let turn = 0; ; turn++) {
            const taken = page(data.db.beginQuery(), query, { cursor, pageSize, maximumRowsRead });
            pages.push({ cursor, endCursor: taken.continueCursor, ids: taken.page.map(idOf) });
            cursor = taken.continueCursor;
            if (taken.isDone) break;
            mutate(data.db, (tx) => {
              for (const change of changes[turn] ?? []) {
                if (change.do === "insert") tx.insert("rows", { a: change.a });
                const id = change.do === "remove" ? there[change.which % Math.max(there.length, 1)] : undefined;
                if (id === undefined || removed.has(id)) continue;
                tx.remove({ id });
                removed.add(id);
              }
            });
          }
          expect(maximumRowsRead !== null || pages.slice(0, -1).every(({ ids }) => ids.length === pageSize)).toBe(true);
          const seen = pages.flatMap(({ ids }) => ids);
          expect(new Set(seen).size).toBe(seen.length);
          const remained = there.filter((id, i) => !removed.has(id) && initial[i] !== 5);
          expect(remained.filter((id) => !seen.includes(id))).toEqual([]);

          const again = pages.flatMap(({ cursor, endCursor }) => {
            const taken = page(data.db.beginQuery(), query, { cursor, endCursor, pageSize });
            expect(taken.continueCursor).toBe(endCursor);
            return taken.page;
          });
          expect(again).toEqual(collect(data.db.beginQuery(), query));
        },
      ),
      { numRuns: 40 },
    );
  });
});
