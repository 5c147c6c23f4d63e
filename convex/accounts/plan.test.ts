import { describe, expect, it } from "vitest";
import { plan } from "./plan";
import { type Clause } from "./where";

const indexes = [
  { name: "id", fields: ["id"] },
  { name: "userId", fields: ["userId", "expiresAt"] },
  { name: "expiresAt", fields: ["expiresAt"] },
];

const clause = (field: string, operator: Clause["operator"], value: Clause["value"], connector: Clause["connector"] = "AND"): Clause => ({
  field,
  operator,
  value,
  connector,
  mode: "sensitive",
});

describe("plan", () => {
  it("reads one row by its id, whatever else is asked", () => {
    expect(plan([clause("token", "ne", "x"), clause("id", "eq", "a")], indexes)?.ranges).toEqual([{ index: "id", equal: [["id", "a"]] }]);
  });

  it("goes on into the next field of the index with bounds", () => {
    expect(plan([clause("expiresAt", "gt", 5), clause("userId", "eq", "u")], indexes)?.ranges).toEqual([
      { index: "userId", equal: [["userId", "u"]], next: { field: "expiresAt", lower: { value: 5, inclusive: false } } },
    ]);
  });

  it("reads a stretch for a bound alone", () => {
    expect(plan([clause("expiresAt", "lte", 9)], indexes)?.ranges).toEqual([
      { index: "expiresAt", equal: [], next: { field: "expiresAt", upper: { value: 9, inclusive: true } } },
    ]);
  });

  it("reads each value of a list once", () => {
    expect(plan([clause("id", "in", ["a", "b", "a"])], indexes)?.ranges.map((range) => range.equal)).toEqual([
      [["id", "a"]],
      [["id", "b"]],
    ]);
    expect(plan([clause("id", "in", [])], indexes)?.ranges).toEqual([]);
  });

  it("reads one stretch for each alternative, or none at all if one of them has no index", () => {
    expect(plan([clause("id", "eq", "a", "OR"), clause("userId", "eq", "u", "OR")], indexes)?.ranges).toHaveLength(2);
    expect(plan([clause("id", "eq", "a", "OR"), clause("token", "eq", "t", "OR")], indexes)).toBeNull();
  });

  it.each([
    ["no condition", []],
    ["a field without an index", [clause("token", "eq", "t")]],
    ["the second field of an index alone", [clause("createdAt", "gt", 1)]],
    ["part of a text", [clause("id", "contains", "a")]],
    ["null, which a missing field is too", [clause("id", "eq", null)]],
    ["a text in any case", [{ ...clause("id", "eq", "A"), mode: "insensitive" as const }]],
  ])("has no answer for %s", (_, where) => {
    expect(plan(where, indexes)).toBeNull();
  });

  it("knows when the index gives the wanted order", () => {
    const sortBy = { field: "expiresAt", direction: "desc" as const };
    expect(plan([clause("userId", "eq", "u")], indexes, sortBy)?.ordered).toBe(true);
    expect(plan([clause("userId", "in", ["u", "w"])], indexes, sortBy)?.ordered).toBe(false);
    expect(plan([clause("userId", "eq", "u")], indexes, { field: "createdAt", direction: "asc" })?.ordered).toBe(false);
    expect(plan([], indexes, sortBy)).toEqual({ ranges: [{ index: "expiresAt", equal: [] }], ordered: true });
  });
});
