import { describe, expect, it } from "vitest";
import { type Clause, compare, matches } from "./where";

const is = (field: string, value: Clause["value"], more: Partial<Clause> = {}): Clause => ({
  field,
  value,
  operator: "eq",
  connector: "AND",
  mode: "sensitive",
  ...more,
});

const ada = { name: "Ada", age: 36, image: null };

describe("matches", () => {
  it("asks for every AND condition and at least one OR condition", () => {
    expect(matches(ada, [is("name", "Ada"), is("age", 36)])).toBe(true);
    expect(matches(ada, [is("name", "Ada"), is("age", 37)])).toBe(false);
    expect(matches(ada, [is("name", "Eve", { connector: "OR" }), is("age", 36, { connector: "OR" })])).toBe(true);
    expect(matches(ada, [is("name", "Ada"), is("age", 1, { connector: "OR" })])).toBe(false);
    expect(matches(ada, [])).toBe(true);
  });

  it("takes a missing field for null", () => {
    expect(matches(ada, [is("image", null), is("missing", null)])).toBe(true);
    expect(matches(ada, [is("missing", null, { operator: "ne" })])).toBe(false);
  });

  it.each([
    ["gt", 35, true],
    ["gt", 36, false],
    ["gte", 36, true],
    ["lt", 36, false],
    ["lte", 36, true],
    ["gt", null, false],
    ["lt", null, false],
    ["lt", "99", false],
    ["in", [1, 36], true],
    ["not_in", [1, 36], false],
  ] as const)("age %s %j: %j", (operator, value, expected) => {
    expect(matches(ada, [is("age", typeof value === "object" && value ? [...value] : value, { operator })])).toBe(expected);
  });

  it.each([
    ["contains", "d", true],
    ["contains", ".", false],
    ["starts_with", "Ad", true],
    ["starts_with", "ad", false],
    ["ends_with", "da", true],
    ["ends_with", "Ad", false],
  ] as const)("name %s %s: %j", (operator, value, expected) => {
    expect(matches(ada, [is("name", value, { operator })])).toBe(expected);
  });

  it("ignores case where asked to", () => {
    expect(matches(ada, [is("name", "ADA", { mode: "insensitive" })])).toBe(true);
    expect(matches(ada, [is("name", ["EVE", "aDa"], { operator: "in", mode: "insensitive" })])).toBe(true);
    expect(matches(ada, [is("name", "DA", { operator: "ends_with", mode: "insensitive" })])).toBe(true);
  });

  it("never finds text in what is no text", () => {
    expect(matches(ada, [is("image", "", { operator: "contains" })])).toBe(false);
    expect(matches(ada, [is("age", "3", { operator: "starts_with" })])).toBe(false);
  });
});

it("orders null first, then as values go", () => {
  expect([3, null, 1, undefined, 2].toSorted(compare).filter((x) => x !== undefined)).toEqual([null, 1, 2, 3]);
  expect(["b", "a"].toSorted(compare)).toEqual(["a", "b"]);
});
