import type { GenericDatabaseReader, GenericTableInfo, IndexRange } from "convex/server";
import { ConvexError, type GenericId, type Value } from "convex/values";
import { type Index, planRead, type Range, type SortBy } from "./adapterPlan";
import { type FilterClause, compare, matchesFilters } from "./adapterFilters";

export type Row = { _id: GenericId<string>; _creationTime: number; [field: string]: Value };

export type StoreModel = Record<string, Omit<GenericTableInfo, "document"> & { document: Row }>;

export type Tables = Record<string, Index[]>;

export type Read = {
  model: string;
  where: FilterClause[];
  sortBy?: SortBy;
  limit?: number;
  offset?: number;
  /** Allows a read without conditions and index, which returns any `limit` rows. */
  anyRows?: boolean;
};

/** Throws for a `where` without an index unless `scans`: a full scan fails with many users. */
export async function readRows(
  db: GenericDatabaseReader<StoreModel>,
  tables: Tables,
  { model, where, sortBy, limit = Number.POSITIVE_INFINITY, offset = 0, anyRows = false }: Read,
  scans: boolean,
): Promise<Row[]> {
  const indexes = tables[model];
  if (!indexes) throw new ConvexError({ code: "invalid", message: `There is no table ${model}` });
  const bounded = anyRows && where.length === 0 && !sortBy;
  const plan = planRead(where, indexes, sortBy);
  if (!plan && !bounded && !scans) {
    const fields = where.map((c) => `${c.field} ${c.operator}`).join(", ");
    throw new ConvexError({ code: "invalid", message: `No index of ${model} supports a query by ${fields || "nothing"}` });
  }

  const { ranges, ordered } = plan ?? { ranges: [null], ordered: !sortBy };
  const enough = ordered ? offset + limit : Number.POSITIVE_INFINITY;
  const found = new Map<string, Row>();
  for (const range of ranges) {
    const query = range ? inRange(db, model, range) : db.query(model);
    for await (const row of query.order(ordered ? (sortBy?.direction ?? "asc") : "asc")) {
      if (found.size >= enough) break;
      if (matchesFilters(row, where)) found.set(row._id, row);
    }
  }
  const rows = [...found.values()];
  if (sortBy && !ordered) rows.sort((a, b) => compare(a[sortBy.field], b[sortBy.field]) * (sortBy.direction === "asc" ? 1 : -1));
  return rows.slice(offset, offset + limit);
}

export async function isTaken(
  db: GenericDatabaseReader<StoreModel>,
  model: string,
  index: Index,
  row: Omit<Row, "_id" | "_creationTime">,
  except?: string,
) {
  const equal: Range["equal"] = [];
  for (const field of index.fields) {
    const value = row[field];
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
    equal.push([field, value]);
  }
  const first = await inRange(db, model, { index: index.name, equal }).first();
  return first !== null && first._id !== except;
}

/** Convex types index fields one by one; here the index is known only at run time. */
interface AnyRange extends IndexRange {
  eq(field: string, value: Value): AnyRange;
  gt(field: string, value: Value): AnyRange;
  gte(field: string, value: Value): AnyRange;
  lt(field: string, value: Value): AnyRange;
  lte(field: string, value: Value): AnyRange;
}

function inRange(db: GenericDatabaseReader<StoreModel>, model: string, { index, equal, next }: Range) {
  return db.query(model).withIndex(index, (builder) => {
    let range = builder as unknown as AnyRange;
    for (const [field, value] of equal) range = range.eq(field, value);
    if (next?.lower) range = next.lower.inclusive ? range.gte(next.field, next.lower.value) : range.gt(next.field, next.lower.value);
    if (next?.upper) range = next.upper.inclusive ? range.lte(next.field, next.upper.value) : range.lt(next.field, next.upper.value);
    return range;
  });
}
