import { describe, expect, it } from "vitest";
import { type FilterClause, compare, matchesFilters } from "./adapterFilters";

const is = (field: string, value: FilterClause["value"], more: Partial<FilterClause> = {}): FilterClause => ({
  field,
  value,
  operator: "eq",
  connector: "AND",
  mode: "sensitive",
  ...more,
});

const ada = { name: "Ada", age: 36, image: null };

describe("matchesFilters", () => {
  it("requires every AND condition and at least one OR condition", () => {
    expect(matchesFilters(ada, [is("name", "Ada"), is("age", 36)])).toBe(true);
    expect(matchesFilters(ada, [is("name", "Ada"), is("age", 37)])).toBe(false);
    expect(matchesFilters(ada, [is("name", "Eve", { connector: "OR" }), is("age", 36, { connector: "OR" })])).toBe(true);
    expect(matchesFilters(ada, [is("name", "Ada"), is("age", 1, { connector: "OR" })])).toBe(false);
    expect(matchesFilters(ada, [])).toBe(true);
  });

  it("treats a missing field as null", () => {
    expect(matchesFilters(ada, [is("image", null), is("missing", null)])).toBe(true);
    expect(matchesFilters(ada, [is("missing", null, { operator: "ne" })])).toBe(false);
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
    expect(matchesFilters(ada, [is("age", typeof value === "object" && value ? [...value] : value, { operator })])).toBe(expected);
  });

  it.each([
    ["contains", "d", true],
    ["contains", ".", false],
    ["starts_with", "Ad", true],
    ["starts_with", "ad", false],
    ["ends_with", "da", true],
    ["ends_with", "Ad", false],
  ] as const)("name %s %s: %j", (operator, value, expected) => {
    expect(matchesFilters(ada, [is("name", value, { operator })])).toBe(expected);
  });

  it("ignores case when requested", () => {
    expect(matchesFilters(ada, [is("name", "ADA", { mode: "insensitive" })])).toBe(true);
    expect(matchesFilters(ada, [is("name", ["EVE", "aDa"], { operator: "in", mode: "insensitive" })])).toBe(true);
    expect(matchesFilters(ada, [is("name", "DA", { operator: "ends_with", mode: "insensitive" })])).toBe(true);
  });

  it("never matches text in other types", () => {
    expect(matchesFilters(ada, [is("image", "", { operator: "contains" })])).toBe(false);
    expect(matchesFilters(ada, [is("age", "3", { operator: "starts_with" })])).toBe(false);
  });
});

it("sorts null first, then by value", () => {
  expect([3, null, 1, undefined, 2].toSorted(compare).filter((x) => x !== undefined)).toEqual([null, 1, 2, 3]);
  expect(["b", "a"].toSorted(compare)).toEqual(["a", "b"]);
});
