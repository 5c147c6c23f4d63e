import type { AnyIndex, Index, Namespace, SearchIndex, Table } from "../../storage/catalog.ts";
import { FunctionError } from "../../values/errors.ts";
import { encodeKey, FIRST_KEY, keyAfterPrefix, LAST_KEY } from "../../values/keys.ts";
import { MAX_DOCUMENT_BYTES } from "../../values/limits.ts";
import type { Json } from "../../values/types.ts";
import { compileFilter, queryValue, type Predicate } from "./filter.ts";
import type { Order, Range } from "./scan.ts";

/** `SerializedQuery` in `convex/src/server/impl/query_impl.ts` */
export type Plan = { source: RangeSource | SearchSource; operators: Operator[] };
export type RangeSource = { kind: "range"; table: Table; index: Index; range: Range; order: Order };
export type SearchSource = {
  kind: "search";
  table: Table;
  index: SearchIndex;
  text: string;
  equal: { path: string[]; value: Json | undefined }[];
};
export type Operator = { kind: "filter"; passes: Predicate } | { kind: "limit"; limit: number };

const MAX_OPERATORS = 256;

/** @throws FunctionError for a malformed query or an unknown index */
export function planQuery(query: Json, namespace: Pick<Namespace, "table">): Plan {
  const { source, operators } = objectOf(query);
  const { type, tableName, indexName, order, range, filters } = objectOf(source);
  if (!Array.isArray(operators)) throw malformed(query);
  if (operators.length > MAX_OPERATORS) throw new FunctionError(`Can't construct query with more than ${MAX_OPERATORS} operators`);
  return {
    source: planSource(),
    operators: operators.map(planOperator),
  };

  function planSource(): RangeSource | SearchSource {
    switch (type) {
      case "FullTableScan": {
        const table = namespace.table(textOf(tableName));
        return { kind: "range", table, index: table.byCreationTime, range: { low: FIRST_KEY, high: LAST_KEY }, order: orderOf(order) };
      }
      case "IndexRange": {
        const [table, name] = tableAndIndex(textOf(indexName), namespace);
        const index = table.indexes.get(name);
        if (index === undefined) throw new FunctionError(`Index ${table.name}.${name} not found.`);
        assertEnabled(index);
        return { kind: "range", table, index, range: indexRange(index, listOf(range)), order: orderOf(order) };
      }
      case "Search": {
        const [table, name] = tableAndIndex(textOf(indexName), namespace);
        const index = table.searchIndexes.get(name);
        if (index === undefined) throw new FunctionError(`Search index ${table.name}.${name} not found.`);
        assertEnabled(index);
        return { kind: "search", table, index, ...searchFilters(index, listOf(filters)) };
      }
      default:
        throw malformed(query);
    }
  }
}

export function assertEnabled({ table, name, staged }: AnyIndex): void {
  if (staged)
    throw new FunctionError(`Index ${table.name}.${name} is staged. Remove \`staged\` from its definition, then push, to use it.`);
}

function planOperator(json: Json): Operator {
  const { filter, limit } = objectOf(json);
  if (filter !== undefined) return { kind: "filter", passes: compileFilter(filter) };
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0) return { kind: "limit", limit };
  throw new FunctionError(`Unknown query operator: ${JSON.stringify(json)}`);
}

/** Parses a range (`index_range_builder.ts`). Every index ends with `_creationTime` and `_id`. */
function indexRange(index: Index, expressions: Json[]): Range {
  const fields = index.fields.at(-1) === "_id" ? index.fields : [...index.fields, "_id"];
  const equal: (Json | undefined)[] = [];
  let lower: { value: Json | undefined; inclusive: boolean } | undefined;
  let upper: { value: Json | undefined; inclusive: boolean } | undefined;

  for (const json of expressions) {
    const { type, fieldPath, value } = objectOf(json);
    const expected = fields[equal.length];
    if (fieldPath !== expected) {
      throw fieldsOutOfOrder(index, expressions, fieldPath);
    }
    const bound = shortened(queryValue(value));
    if (type === "Eq") {
      if (lower !== undefined || upper !== undefined) throw outOfOrder(index);
      equal.push(bound);
    } else if (type === "Gt" || type === "Gte") {
      if (lower !== undefined) throw outOfOrder(index);
      lower = { value: bound, inclusive: type === "Gte" };
    } else if (type === "Lt" || type === "Lte") {
      if (upper !== undefined) throw outOfOrder(index);
      upper = { value: bound, inclusive: type === "Lte" };
    } else {
      throw malformed(json);
    }
  }

  const prefix = encodeKey(equal);
  const low = lower && encodeKey([...equal, lower.value]);
  const high = upper && encodeKey([...equal, upper.value]);
  return {
    low: low === undefined ? prefix : lower?.inclusive ? low : keyAfterPrefix(low),
    high: high === undefined ? keyAfterPrefix(prefix) : upper?.inclusive ? keyAfterPrefix(high) : high,
  };
}

/** Shortens a long bound. Stored texts are shorter still, so the comparison has the same result. */
const shortened = (bound: Json | undefined): Json | undefined =>
  typeof bound === "string" && bound.length > MAX_DOCUMENT_BYTES ? bound.slice(0, MAX_DOCUMENT_BYTES + 1) : bound;

function fieldsOutOfOrder(index: Index, expressions: Json[], first: Json | undefined): FunctionError {
  const requested = new Set(expressions.map((json) => objectOf(json).fieldPath));
  const shown = (names: Iterable<Json | undefined>): string => `[${[...names].map((name) => JSON.stringify(name)).join(", ")}]`;
  return new FunctionError(
    [
      `Tried to query index ${index.table.name}.${index.name} but the query didn't use the index fields in order.`,
      `Index fields: ${shown(index.fields)}`,
      `Query fields: ${shown(requested)}`,
      `First incorrect field: ${JSON.stringify(first)}`,
    ].join("\n"),
  );
}

function outOfOrder(index: Index): FunctionError {
  return new FunctionError(
    `Malformed range on index ${index.table.name}.${index.name}: use .eq for the first fields, then at most one of .gt and .gte and one of .lt and .lte on the next.`,
  );
}

function searchFilters(index: SearchIndex, filters: Json[]): { text: string; equal: SearchSource["equal"] } {
  let text: string | undefined;
  const equal: SearchSource["equal"] = [];
  const name = `${index.table.name}.${index.name}`;
  for (const json of filters) {
    const { type, fieldPath, value } = objectOf(json);
    const field = textOf(fieldPath);
    if (type === "Search") {
      if (text !== undefined) throw new FunctionError(`Search index ${name}: only one .search() is allowed per query.`);
      if (field !== index.searchField) {
        throw new FunctionError(`Search query against ${name} must search the field "${index.searchField}", got "${field}".`);
      }
      text = textOf(value);
    } else if (type === "Eq") {
      if (!index.filterFields.includes(field)) {
        throw new FunctionError(`Search query against ${name} filters by "${field}", which is not one of its filterFields.`);
      }
      equal.push({ path: field.split("."), value: queryValue(value) });
    } else {
      throw malformed(json);
    }
  }
  if (text === undefined) throw new FunctionError(`Search query against ${name} has no .search() filter.`);
  return { text, equal };
}

function tableAndIndex(name: string, namespace: Pick<Namespace, "table">): [Table, string] {
  const dot = name.indexOf(".");
  if (dot < 0) throw new FunctionError(`Index names are "table.index", got "${name}".`);
  return [namespace.table(name.slice(0, dot)), name.slice(dot + 1)];
}

function orderOf(order: Json | undefined): Order {
  if (order === undefined || order === null || order === "asc") return "asc";
  if (order === "desc") return "desc";
  throw new FunctionError(`Unknown order: ${JSON.stringify(order)}`);
}

function objectOf(json: Json | undefined): { [key: string]: Json | undefined } {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw malformed(json);
  return json;
}

function listOf(json: Json | undefined): Json[] {
  if (!Array.isArray(json)) throw malformed(json);
  return json;
}

function textOf(json: Json | undefined): string {
  if (typeof json !== "string") throw malformed(json);
  return json;
}

function malformed(json: Json | undefined): FunctionError {
  return new FunctionError(`Malformed query: ${JSON.stringify(json) ?? "undefined"}`);
}
