import { v, type GenericValidator } from "convex/values";
import { validate } from "convex-helpers/validators";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "./ids.ts";
import { jsonOf, values } from "./testing.ts";
import type { Json } from "./types.ts";
import { parseValidator } from "./validator-json.ts";
import { checkArguments, checkReturns, findFault } from "./validators.ts";

const users = newId(10_001);
const messages = newId(10_002);
const tables = { tableOf: (id: string) => ({ [users]: "users", [messages]: "messages" })[id] ?? null };

const exported = (validator: GenericValidator): Json => Reflect.get(validator, "json");
const fault = (validator: GenericValidator, value: Json) => findFault(parseValidator(exported(validator)), value, tables);

const validators: fc.Arbitrary<GenericValidator> = fc.letrec<{ any: GenericValidator }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<GenericValidator>(v.null(), v.boolean(), v.number(), v.int64(), v.string(), v.bytes(), v.any()),
    fc.constantFrom<GenericValidator>(v.literal("a"), v.literal(1), v.literal(true), v.literal(1n)),
    tie("any").map((element): GenericValidator => v.array(Object(element))),
    fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((members): GenericValidator => v.union(...members.map(Object))),
    tie("any").map((value): GenericValidator => v.record(v.string(), Object(value))),
    fc
      .array(fc.tuple(fc.constantFrom("a", "b", "aa"), tie("any"), fc.boolean()), { maxLength: 3 })
      .map((fields): GenericValidator =>
        v.object(Object.fromEntries(fields.map(([name, field, optional]) => [name, optional ? v.optional(Object(field)) : field]))),
      ),
  ),
})).any;

function holdsNonObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || value instanceof ArrayBuffer || Object.values(value).some(holdsNonObject);
}

describe("validators", () => {
  test("accept what the published helpers accept", () => {
    fc.assert(
      fc.property(validators, values, (validator, value) => {
        const accepted = fault(validator, jsonOf(value)) === null;
        // The client library also accepts arrays and bytes for objects without fields.
        expect(accepted).toBe(validate(validator, value) && (accepted || !holdsNonObject(value)));
      }),
      { numRuns: 5_000 },
    );
  });

  test("check the tables of ids", () => {
    expect(fault(v.id("users"), users)).toBeNull();
    expect(fault(v.id("users"), messages)).toBe(
      `Found ID "${messages}" from table \`messages\`, which does not match the table name in validator \`v.id("users")\`.`,
    );
    expect(fault(v.object({ user: v.id("users") }), { user: "me" })).toBe(
      'Value does not match validator.\nPath: .user\nValue: "me"\nValidator: v.id("users")',
    );
  });

  test("report the fault and its path in Convex's words", () => {
    const validator = v.object({ name: v.string(), tags: v.optional(v.array(v.object({ n: v.number() }))) });
    const shown = "v.object({name: v.string(), tags: v.optional(v.array(v.object({n: v.float64()})))})";
    expect(fault(validator, {})).toBe(
      `Object is missing the required field \`name\`. Consider wrapping the field validator in \`v.optional(...)\` if this is expected.\n\nObject: {}\nValidator: ${shown}`,
    );
    expect(fault(validator, { name: "a", more: 1 })).toBe(
      `Object contains extra field \`more\` that is not in the validator.\n\nObject: {more: 1.0, name: "a"}\nValidator: ${shown}`,
    );
    expect(fault(validator, { name: "a", tags: [{ n: 1 }, { n: "x" }] })).toBe(
      'Value does not match validator.\nPath: .tags[1].n\nValue: "x"\nValidator: v.float64()',
    );
    expect(fault(v.union(v.literal("a"), v.null(), v.int64()), { $integer: "AQAAAAAAAAA=" })).toBeNull();
    expect(fault(v.union(v.literal("a"), v.null()), 2)).toBe(
      'Value does not match validator.\nValue: 2.0\nValidator: v.union(v.literal("a"), v.null())',
    );
  });

  test("throw different errors for arguments and results", () => {
    expect(() => checkArguments(exported(v.object({})), { a: 1 }, tables)).toThrow(
      "ArgumentValidationError: Object contains extra field `a`",
    );
    expect(() => checkReturns(exported(v.null()), 1, tables)).toThrow("ReturnsValidationError: Value does not match validator.");
    expect(() => checkArguments({ type: "thing" }, {}, tables)).toThrow("Unknown validator");
  });

  test("accept an unresolved commit timestamp as an integer", () => {
    expect(fault(v.int64(), { $commitTs: null })).toBeNull();
    expect(fault(v.string(), { $commitTs: null })).not.toBeNull();
  });
});
