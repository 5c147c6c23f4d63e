import { describe, expect, it } from "vitest";
import { planRead } from "./adapterPlan";
import type { FilterClause } from "./adapterFilters";

const indexes = [
  { name: "id", fields: ["id"] },
  { name: "userId", fields: ["userId", "expiresAt"] },
  { name: "expiresAt", fields: ["expiresAt"] },
];

const clause = (
  field: string,
  operator: FilterClause["operator"],
  value: FilterClause["value"],
  connector: FilterClause["connector"] = "AND",
): FilterClause => ({
  field,
  operator,
  value,
  connector,
  mode: "sensitive",
});

describe("planRead", () => {
  it("reads one row by id, whatever the other conditions", () => {
    expect(planRead([clause("token", "ne", "x"), clause("id", "eq", "a")], indexes)?.ranges).toEqual([
      { index: "id", equal: [["id", "a"]] },
    ]);
  });

  it("applies bounds to the next field of the index", () => {
    expect(planRead([clause("expiresAt", "gt", 5), clause("userId", "eq", "u")], indexes)?.ranges).toEqual([
      { index: "userId", equal: [["userId", "u"]], next: { field: "expiresAt", lower: { value: 5, inclusive: false } } },
    ]);
  });

  it("reads an index range if only a bound is given", () => {
    expect(planRead([clause("expiresAt", "lte", 9)], indexes)?.ranges).toEqual([
      { index: "expiresAt", equal: [], next: { field: "expiresAt", upper: { value: 9, inclusive: true } } },
    ]);
  });

  it("reads each value of a list once", () => {
    expect(planRead([clause("id", "in", ["a", "b", "a"])], indexes)?.ranges.map((range) => range.equal)).toEqual([
      [["id", "a"]],
      [["id", "b"]],
    ]);
    expect(planRead([clause("id", "in", [])], indexes)?.ranges).toEqual([]);
  });

  it("reads one range per alternative, or none if one has no index", () => {
    expect(planRead([clause("id", "eq", "a", "OR"), clause("userId", "eq", "u", "OR")], indexes)?.ranges).toHaveLength(2);
    expect(planRead([clause("id", "eq", "a", "OR"), clause("token", "eq", "t", "OR")], indexes)).toBeNull();
  });

  it.each([
    ["no condition", []],
    ["a field without an index", [clause("token", "eq", "t")]],
    ["the second field of an index alone", [clause("createdAt", "gt", 1)]],
    ["part of a text", [clause("id", "contains", "a")]],
    ["null, which a missing field is too", [clause("id", "eq", null)]],
    ["a text in any case", [{ ...clause("id", "eq", "A"), mode: "insensitive" as const }]],
  ])("returns null for %s", (_, where) => {
    expect(planRead(where, indexes)).toBeNull();
  });

  it("detects that the index has the requested order", () => {
    const sortBy = { field: "expiresAt", direction: "desc" as const };
    expect(planRead([clause("userId", "eq", "u")], indexes, sortBy)?.ordered).toBe(true);
    expect(planRead([clause("userId", "in", ["u", "w"])], indexes, sortBy)?.ordered).toBe(false);
    expect(planRead([clause("userId", "eq", "u")], indexes, { field: "createdAt", direction: "asc" })?.ordered).toBe(false);
    expect(planRead([], indexes, sortBy)).toEqual({ ranges: [{ index: "expiresAt", equal: [] }], ordered: true });
  });
});
