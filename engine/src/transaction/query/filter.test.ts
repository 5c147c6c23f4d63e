import { compareValues, jsonToConvex } from "convex/values";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonOf, values } from "../../values/testing.ts";
import type { Json } from "../../values/types.ts";
import { compileFilter } from "./filter.ts";

const literal = (value: Json): Json => ({ $literal: value });
const field = (path: string): Json => ({ $field: path });
const integer = (value: bigint): Json => jsonOf(value);
const passes = (filter: Json, document: Json = {}): boolean => compileFilter(filter)(document);

describe("a filter", () => {
  test("compares in value order with a missing field first", () => {
    const maybe = fc.option(values, { nil: undefined });
    fc.assert(
      fc.property(maybe, maybe, (a, b) => {
        const document: Json = a === undefined ? {} : { a: jsonOf(a) };
        const order = compareValues(a, b);
        const against = (operator: string): boolean =>
          passes({ [operator]: [field("a"), literal(b === undefined ? { $undefined: null } : jsonOf(b))] }, document);
        expect(against("$eq")).toBe(order === 0);
        expect(against("$neq")).toBe(order !== 0);
        expect(against("$lt")).toBe(order < 0);
        expect(against("$lte")).toBe(order <= 0);
        expect(against("$gt")).toBe(order > 0);
        expect(against("$gte")).toBe(order >= 0);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["$add", 7, 3, 10],
    ["$sub", 7, 3, 4],
    ["$mul", 7, 3, 21],
    ["$div", 7, 2, 3.5],
    ["$mod", 7, 3, 1],
    ["$mod", -7, 3, -1],
    ["$div", 1, 0, Infinity],
    ["$add", 7n, 3n, 10n],
    ["$sub", 3n, 7n, -4n],
    ["$mul", 7n, 3n, 21n],
    ["$div", 7n, 2n, 3n],
    ["$mod", -7n, 3n, -1n],
  ] as const)("calculates %s of %s and %s", (operator, a, b, result) => {
    expect(passes({ $eq: [{ [operator]: [literal(jsonOf(a)), literal(jsonOf(b))] }, literal(jsonOf(result))] })).toBe(true);
  });

  test("negates", () => {
    expect(passes({ $eq: [{ $neg: field("n") }, literal(-5)] }, { n: 5 })).toBe(true);
    expect(passes({ $eq: [{ $neg: field("n") }, literal(integer(-5n))] }, { n: integer(5n) })).toBe(true);
    expect(passes({ $eq: [{ $neg: literal(0) }, literal(jsonOf(-0))] })).toBe(true);
  });

  test("rejects non-numbers, mixed types and int64 overflow", () => {
    expect(() => passes({ $add: [literal(1), literal(integer(1n))] })).toThrow("different or non-numeric types");
    expect(() => passes({ $mul: [field("none"), literal(1)] })).toThrow("different or non-numeric types");
    expect(() => passes({ $div: [literal(integer(1n)), literal(integer(0n))] })).toThrow("by zero");
    expect(() => passes({ $add: [literal(integer(2n ** 63n - 1n)), literal(integer(1n))] })).toThrow("Integer overflow");
  });

  test("combines conditions with and, or and not", () => {
    const [yes, no] = [literal(true), literal(false)];
    expect(passes({ $and: [] })).toBe(true);
    expect(passes({ $and: [yes, yes] })).toBe(true);
    expect(passes({ $and: [yes, no] })).toBe(false);
    expect(passes({ $or: [] })).toBe(false);
    expect(passes({ $or: [no, yes] })).toBe(true);
    expect(passes({ $not: no })).toBe(true);
    expect(passes({ $not: { $not: field("done") } }, { done: true })).toBe(true);
    expect(passes(field("done"), { done: "yes" })).toBe(false);
    expect(passes(field("done"))).toBe(false);
  });

  test("reads nested fields by path", () => {
    expect(passes({ $eq: [field("a.b"), literal(1)] }, { a: { b: 1 } })).toBe(true);
    expect(passes({ $eq: [field("a.b"), literal({ $undefined: null })] }, { a: [1] })).toBe(true);
    expect(jsonToConvex(jsonOf(1n))).toBe(1n);
  });

  test.each<Json>([null, {}, { $eq: [1] }, { $field: 1 }, { $like: [] }, { $and: true }, { $eq: [literal(1), literal(1)], $or: [] }])(
    "refuses %j",
    (filter) => {
      expect(() => compileFilter(filter)).toThrow("Unknown filter expression");
    },
  );
});
