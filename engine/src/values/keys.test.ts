import { compareValues, type Value } from "convex/values";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareJson, compareKeys, encodeKey, keyAfter, keyAfterPrefix, shortHigh, shortLow } from "./keys.ts";
import { jsonOf, values } from "./testing.ts";

const maybe = fc.option(values, { nil: undefined });
const json = (value: Value | undefined) => (value === undefined ? undefined : jsonOf(value));
const key = (tuple: (Value | undefined)[]) => encodeKey(tuple.map(json));

describe("the sortable encoding", () => {
  test("orders values as the client library does", () => {
    fc.assert(
      fc.property(maybe, maybe, (a, b) => {
        expect(Math.sign(compareJson(json(a), json(b)))).toBe(Math.sign(compareValues(a, b)));
      }),
      { numRuns: 5_000 },
    );
  });

  test("orders sequences by their first difference", () => {
    const tuple = fc.array(maybe, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(tuple, tuple, fc.nat(3), (a, other, shared) => {
        const b = [...a.slice(0, shared), ...other.slice(shared)];
        const expected = a.map((value, i) => Math.sign(compareValues(value, b[i]))).find((order) => order !== 0) ?? 0;
        expect(compareKeys(key(a), key(b))).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  test("keeps keys with a common prefix together", () => {
    fc.assert(
      fc.property(maybe, maybe, maybe, (a, b, c) => {
        const prefix = key([a]);
        const inside = compareKeys(key([b, c]), prefix) >= 0 && compareKeys(key([b, c]), keyAfterPrefix(prefix)) < 0;
        expect(inside).toBe(compareValues(a, b) === 0);
      }),
      { numRuns: 3_000 },
    );
  });

  test("has no key between a key and its successor", () => {
    const some = encodeKey(["a", 1]);
    expect(compareKeys(some, keyAfter(some))).toBe(-1);
    expect(keyAfter(some)).toEqual(Uint8Array.from([...some, 0]));
  });
});

test("shortens long bounds outwards", () => {
  const long = (end: number[]) =>
    Uint8Array.from([...Array.from({ length: 1_020 }, () => 0x41), ...end, ...Array.from({ length: 500 }, () => 0x42)]);
  for (const key of [long([1, 2, 3, 4]), long([1, 2, 0xff, 0xff]), new Uint8Array(2_000).fill(0xff)]) {
    expect(shortLow(key).length).toBe(1_024);
    expect(shortHigh(key).length).toBeLessThanOrEqual(1_024);
    expect(compareKeys(shortLow(key), key)).toBeLessThan(0);
  }
  expect(compareKeys(shortHigh(long([1, 2, 0xff, 0xff])), long([1, 2, 0xff, 0xff]))).toBeGreaterThan(0);
  const short = encodeKey(["a"]);
  expect([shortLow(short), shortHigh(short)]).toEqual([short, short]);
});
