import { compareValues, type Value } from "convex/values";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareJson, compareKeys, encodeKey, keyAfter, keyAfterPrefix } from "./keys.ts";
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

  test("keeps keys that start alike together", () => {
    fc.assert(
      fc.property(maybe, maybe, maybe, (a, b, c) => {
        const prefix = key([a]);
        const inside = compareKeys(key([b, c]), prefix) >= 0 && compareKeys(key([b, c]), keyAfterPrefix(prefix)) < 0;
        expect(inside).toBe(compareValues(a, b) === 0);
      }),
      { numRuns: 3_000 },
    );
  });

  test("has nothing between a key and the one after it", () => {
    const some = encodeKey(["a", 1]);
    expect(compareKeys(some, keyAfter(some))).toBe(-1);
    expect(keyAfter(some)).toEqual(Uint8Array.from([...some, 0]));
  });
});
