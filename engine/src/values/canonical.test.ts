import { getConvexSize } from "convex/values";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { argumentLimits, canonicalize, DOCUMENT_LIMITS, fieldAt } from "./canonical.ts";
import { jsonOf, values } from "./testing.ts";
import type { Json } from "./types.ts";

const unlimited = argumentLimits(Infinity);
const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);

describe("the canonical text", () => {
  test("round-trips values and counts sizes like the client library", () => {
    fc.assert(
      fc.property(values, (value) => {
        const json = jsonOf(value);
        const { text, size } = canonicalize(json, unlimited);
        expect(JSON.parse(text)).toEqual(json);
        expect(canonicalize(JSON.parse(text), unlimited).text).toBe(text);
        expect(size).toBe(getConvexSize(value));
      }),
      { numRuns: 3_000 },
    );
  });

  test("does not depend on the order of fields", () => {
    expect(canonicalize({ b: 1, a: { d: [], c: null } }, unlimited).text).toBe('{"a":{"c":null,"d":[]},"b":1}');
  });

  test("keeps fields named like inherited properties", () => {
    const text = '{"__proto__":{"constructor":1}}';
    expect(canonicalize(JSON.parse(text), unlimited).text).toBe(text);
  });

  test.each([
    [{ $integer: "AAAA" }, "expected 8 for $integer"],
    [{ $float: "AAAAAAAA8D8=" }, "Float 1 should be encoded as a number"],
    [{ $set: [] }, "starts with a '$', which is reserved"],
    [{ $a: 1, b: 2 }, "starts with a '$', which is reserved"],
    [{ $undefined: null }, "undefined is not a valid Convex value"],
    [{ "": 1 }, "Field names must be nonempty"],
    [{ naïve: 1 }, "Field names can only contain non-control ASCII characters"],
    [{ ["x".repeat(1025)]: 1 }, "exceeds maximum field name length 1024"],
    ["\ud800", "found a lone surrogate"],
  ] satisfies [Json, string][])("refuses %j", (value, message) => {
    expect(() => canonicalize(value, unlimited)).toThrow(message);
  });

  test("enforces Convex's limits exactly", () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));
    const fits = (value: Json) => () => canonicalize(value, DOCUMENT_LIMITS);
    expect(fits(Array(8192).fill(1))).not.toThrow();
    expect(fits(Array(8193).fill(1))).toThrow("Array length is too long (8193 > maximum length 8192)");
    expect(fits(fields(1024))).not.toThrow();
    expect(fits(fields(1025))).toThrow("Object has too many fields (1025 > maximum number 1024)");
    expect(fits(nested(16))).not.toThrow();
    expect(fits(nested(17))).toThrow("nested too deeply");
    expect(fits("x".repeat(1024 * 1024 - 2))).not.toThrow();
    expect(fits("x".repeat(1024 * 1024 - 1))).toThrow("Value is too large (1.00 MiB > maximum size 1 MiB)");
  });
});

test("resolves field paths through objects only", () => {
  const value: Json = { a: { b: [1], n: { $integer: "AAAAAAAAAAA=" } } };
  expect(fieldAt(value, ["a", "b"])).toEqual([1]);
  expect(fieldAt(value, ["a", "b", "0"])).toBeUndefined();
  expect(fieldAt(value, ["a", "n", "$integer"])).toBeUndefined();
  expect(fieldAt(value, ["a", "toString"])).toBeUndefined();
});
