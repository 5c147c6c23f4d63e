import { convexToJson, type Value } from "convex/values";
import * as fc from "fast-check";
import type { Json } from "./types.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.constantFrom("\0", "\u0001", "a", "b", "\u007f", "é", "￿", "𐀀"), maxLength: 4 }),
);
const float = fc.oneof(fc.double(), fc.integer({ min: -3, max: 3 }), fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 5e-324, -5e-324));
const integer = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -3n, max: 3n }));
const bytes = fc.uint8Array({ maxLength: 6 }).map((array) => new Uint8Array(array).buffer);
const fieldName = fc.oneof(fc.constantFrom("a", "b", "aa", "A", "_x", "1", "10", "9"), fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,3}$/));

export const values: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    float,
    integer,
    text,
    bytes,
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(fieldName, tie("value")), { selector: ([name]) => name, maxLength: 4 })
      .map((fields) => Object.fromEntries(fields)),
  ),
})).value;

export function jsonOf(value: Value): Json {
  return convexToJson(value);
}
