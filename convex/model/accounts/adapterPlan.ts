import type { FilterClause } from "./adapterFilters";

export type Index = { name: string; fields: string[] };

type Bound = { value: string | number | boolean; inclusive: boolean };

export type Range = {
  index: string;
  equal: [field: string, value: string | number | boolean][];
  next?: { field: string; lower?: Bound; upper?: Bound };
};

/** `ranges` contain every possible match; `ordered` means already sorted. */
export type ReadPlan = { ranges: Range[]; ordered: boolean };

export type SortBy = { field: string; direction: "asc" | "desc" };

/** Returns null if only a full scan finds the rows. Rows must still be filtered by the conditions that the index does not cover. */
export function planRead(where: FilterClause[], indexes: Index[], sortBy?: SortBy): ReadPlan | null {
  const required = where.filter((c) => c.connector === "AND");
  const alternatives = where.filter((c) => c.connector === "OR");
  const chosen = best(required, indexes, sortBy);
  if (chosen) return finish(chosen, indexes, sortBy);
  if (alternatives.length > 0) {
    const each = alternatives.map((c) => best([c], indexes));
    return each.every((ranges) => ranges !== null) ? finish(each.flat(), indexes, sortBy) : null;
  }
  const bySort = sortBy && indexes.find((index) => index.fields[0] === sortBy.field);
  return where.length === 0 && bySort ? { ranges: [{ index: bySort.name, equal: [] }], ordered: true } : null;
}

function best(clauses: FilterClause[], indexes: Index[], sortBy?: SortBy): Range[] | null {
  let found: { ranges: Range[]; score: number } | null = null;
  for (const index of indexes) {
    const candidate = cover(index, clauses);
    if (!candidate) continue;
    const sorts = sortBy !== undefined && index.fields[candidate.prefix] === sortBy.field;
    const score = candidate.prefix * 4 + (candidate.bounded ? 2 : 0) + (sorts ? 1 : 0);
    if (!found || score > found.score) found = { ranges: candidate.ranges, score };
  }
  return found?.ranges ?? null;
}

function cover(index: Index, clauses: FilterClause[]): { ranges: Range[]; prefix: number; bounded: boolean } | null {
  let ranges: Range[] = [{ index: index.name, equal: [] }];
  let prefix = 0;
  for (const field of index.fields) {
    const values = equalValues(clauses, field);
    if (!values) break;
    ranges = ranges.flatMap((range) =>
      values.map((value) => ({ ...range, equal: [...range.equal, [field, value] satisfies [string, unknown]] })),
    );
    prefix += 1;
  }
  const field = index.fields[prefix];
  const next = field === undefined ? undefined : bounds(clauses, field);
  if (next) ranges = ranges.map((range) => ({ ...range, next }));
  return prefix > 0 || next ? { ranges, prefix, bounded: next !== undefined } : null;
}

function equalValues(clauses: FilterClause[], field: string): (string | number | boolean)[] | null {
  for (const { field: name, operator, value, mode } of clauses) {
    if (name !== field || (operator !== "eq" && operator !== "in")) continue;
    const values = [value].flat();
    const exact = values.filter((x) => x !== null && (mode === "sensitive" || typeof x !== "string"));
    if (exact.length === values.length) return [...new Set(exact)].filter((x) => x !== null);
  }
  return null;
}

function bounds(clauses: FilterClause[], field: string): Range["next"] {
  const next: NonNullable<Range["next"]> = { field };
  for (const { field: name, operator, value, mode } of clauses) {
    if (name !== field || value === null || Array.isArray(value) || (typeof value === "string" && mode === "insensitive")) continue;
    if (operator === "gt" || operator === "gte") next.lower ??= { value, inclusive: operator === "gte" };
    if (operator === "lt" || operator === "lte") next.upper ??= { value, inclusive: operator === "lte" };
  }
  return next.lower || next.upper ? next : undefined;
}

function finish(ranges: Range[], indexes: Index[], sortBy?: SortBy): ReadPlan {
  const [only, ...others] = ranges;
  const fields = indexes.find((index) => index.name === only?.index)?.fields ?? [];
  const sorted = !sortBy || only?.equal.some(([field]) => field === sortBy.field) || fields[only?.equal.length ?? 0] === sortBy.field;
  return { ranges, ordered: sortBy === undefined || (others.length === 0 && sorted) };
}
