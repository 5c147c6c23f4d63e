import { type Infer, v } from "convex/values";

const scalar = v.union(v.string(), v.number(), v.boolean(), v.null());

export const filterClause = v.object({
  field: v.string(),
  operator: v.union(
    v.literal("eq"),
    v.literal("ne"),
    v.literal("lt"),
    v.literal("lte"),
    v.literal("gt"),
    v.literal("gte"),
    v.literal("in"),
    v.literal("not_in"),
    v.literal("contains"),
    v.literal("starts_with"),
    v.literal("ends_with"),
  ),
  value: v.union(scalar, v.array(scalar)),
  connector: v.union(v.literal("AND"), v.literal("OR")),
  mode: v.union(v.literal("sensitive"), v.literal("insensitive")),
});
export type FilterClause = Infer<typeof filterClause>;

export function matchesFilters(row: Record<string, unknown>, where: FilterClause[]): boolean {
  const required = where.filter((c) => c.connector === "AND");
  const alternatives = where.filter((c) => c.connector === "OR");
  return required.every((c) => matches(row, c)) && (alternatives.length === 0 || alternatives.some((c) => matches(row, c)));
}

function matches(row: Record<string, unknown>, { field, operator, value, mode }: FilterClause): boolean {
  const fold = (x: unknown) => (mode === "insensitive" && typeof x === "string" ? x.toLowerCase() : x);
  const actual = fold(row[field] ?? null);
  const expected = Array.isArray(value) ? value.map(fold) : fold(value);
  switch (operator) {
    case "eq":
      return actual === expected;
    case "ne":
      return actual !== expected;
    case "in":
      return Array.isArray(expected) && expected.includes(actual);
    case "not_in":
      return !(Array.isArray(expected) && expected.includes(actual));
    case "lt":
      return ordered(actual, expected, (order) => order < 0);
    case "lte":
      return ordered(actual, expected, (order) => order <= 0);
    case "gt":
      return ordered(actual, expected, (order) => order > 0);
    case "gte":
      return ordered(actual, expected, (order) => order >= 0);
    case "contains":
      return text(actual, expected, (a, b) => a.includes(b));
    case "starts_with":
      return text(actual, expected, (a, b) => a.startsWith(b));
    case "ends_with":
      return text(actual, expected, (a, b) => a.endsWith(b));
  }
}

const text = (a: unknown, b: unknown, test: (a: string, b: string) => boolean) =>
  typeof a === "string" && typeof b === "string" && test(a, b);

/** Returns false for null and for values of different types, which are not comparable, as in SQL. */
const ordered = (a: unknown, b: unknown, test: (order: number) => boolean) =>
  a !== null && b !== null && typeof a === typeof b && test(compare(a, b));

export function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  return a < b ? -1 : 1;
}
