import { unitVector, vectorIndexEntry } from "../../search/vector-index.ts";
import { filterMark } from "../../search/filter-mark.ts";
import type { Table, VectorIndex } from "../../storage/catalog.ts";
import { isFields } from "../../values/canonical.ts";
import { DamagedDataError, FunctionError } from "../../values/errors.ts";
import { DEFAULT_VECTOR_RESULTS, MAX_VECTOR_FILTERS, MAX_VECTOR_RESULTS } from "../../values/limits.ts";
import type { Json, Timestamp } from "../../values/types.ts";
import { idInKey, valueOf } from "../document.ts";
import type { Overlay } from "../overlay.ts";
import type { StorageContext } from "../transaction.ts";
import { BestResults, type VectorResult } from "./best-results.ts";
import { queryValue } from "./filter.ts";
import { assertEnabled } from "./plan.ts";

/** Takes about 5 ms, so that other calls do not wait longer. */
const SLICE_BYTES = 2 * 1024 * 1024;

export type VectorSliceRequest = {
  component: string;
  /** `SerializedVectorQuery` in `convex/src/server/impl/vector_search_impl.ts` */
  query: Json;
  /** `at`: the snapshot; null takes the newest. `after`: the `next` of the slice before, or 0. */
  at: Timestamp | null;
  after: number;
  /** The worst result so far, once there are enough. Only better ones are returned. */
  floor: VectorResult | null;
  /** The number of vectors in the slice. Default: 2 MiB. */
  count?: number;
};

export type VectorResults = { at: Timestamp; limit: number; results: VectorResult[]; next: number | null };

type VectorPlan = { index: VectorIndex; vector: Float64Array; limit: number; marks: string[] | null };

export function searchSlice(
  { component, query, at, after, floor, count }: VectorSliceRequest & { at: Timestamp },
  overlay: Overlay,
  { catalog, store, vectorIndexes }: Pick<StorageContext, "catalog" | "store" | "vectorIndexes">,
): VectorResults {
  const { index, vector, limit, marks } = planVectorSearch(query, catalog.namespace(component));
  const { table, dimensions } = index;
  const best = new BestResults(limit, floor);
  const size = count ?? Math.max(1, Math.floor(SLICE_BYTES / (dimensions * Float32Array.BYTES_PER_ELEMENT)));
  const { rows, values, next } = vectorIndexes.read(index, marks, after, size);
  for (const [place, row] of rows.entries()) {
    const score = scoreAt(values, place * dimensions, vector);
    if (!best.accepts(score)) continue;
    const key = store.keyAt(row);
    if (key === null) throw new DamagedDataError("a vector index entry has no document");
    const id = idInKey(table, key);
    if (overlay.get(id) === undefined) best.add({ id, score });
  }
  if (next === null) {
    for (const { id, after: document, ...change } of overlay.all()) {
      const entry = change.table.number === table.number && document !== null ? vectorIndexEntry(index, valueOf(document)) : null;
      if (entry === null || (marks !== null && !entry.marks.some((mark) => marks.includes(mark)))) continue;
      best.add({ id, score: scoreAt(entry.vector, 0, vector) });
    }
  }
  return { at, limit, results: best.list(), next };
}

function scoreAt(values: Float32Array, start: number, vector: Float64Array): number {
  // Two sums take half the time of one, because each addition waits for the one before.
  let even = 0;
  let odd = 0;
  for (let i = 0; i < vector.length; i += 2) {
    even += (values[start + i] ?? 0) * (vector[i] ?? 0);
    if (i + 1 < vector.length) odd += (values[start + i + 1] ?? 0) * (vector[i + 1] ?? 0);
  }
  return Math.max(-1, Math.min(1, even + odd));
}

function planVectorSearch(json: Json, namespace: { find(name: string): Table | undefined }): VectorPlan {
  if (!isFields(json)) throw new FunctionError("A vector search needs an object with the index and the vector.");
  const { indexName: name, vector, limit = DEFAULT_VECTOR_RESULTS, expressions = null } = json;
  if (typeof name !== "string") throw new FunctionError("The index of a vector search must be a string.");
  const [tableName = "", descriptor = ""] = name.split(".");
  const index = namespace.find(tableName)?.vectorIndexes.get(descriptor);
  if (index === undefined) throw new FunctionError(`Vector index ${name} not found.`);
  assertEnabled(index);
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > MAX_VECTOR_RESULTS)
    throw new FunctionError(
      `The limit of a vector search must be an integer from 1 to ${MAX_VECTOR_RESULTS}; received ${JSON.stringify(limit)}.`,
    );
  const terms = expressions === null ? null : filterTerms(expressions);
  if (terms !== null && terms.length > MAX_VECTOR_FILTERS)
    throw new FunctionError(`A vector search can have at most ${MAX_VECTOR_FILTERS} filters; received ${terms.length}.`);
  const marks = terms && [...new Set(terms.map((term) => markOf(index, name, term)))];
  return { index, vector: queryVector(index, name, vector), limit, marks };
}

function queryVector({ dimensions }: VectorIndex, name: string, json: Json | undefined): Float64Array {
  if (!Array.isArray(json)) throw new FunctionError("The vector of a vector search must be an array of numbers.");
  if (json.length !== dimensions)
    throw new FunctionError(`The vector has ${json.length} elements, but the vector index ${name} has ${dimensions} dimensions.`);
  const vector = json.every((element) => typeof element === "number") ? unitVector(json) : null;
  if (vector === null) throw new FunctionError("The elements of the vector of a vector search must be finite numbers.");
  return vector;
}

type FilterTerm = { field: string; value: Json | undefined };

/** Reads `q.eq` and `q.or`, the only expressions of the client library's filter builder. */
function filterTerms(json: Json): FilterTerm[] {
  if (isFilter(json)) {
    const { $or: alternatives, $eq: operands } = json;
    if (Array.isArray(alternatives)) return alternatives.flatMap(filterTerms);
    if (Array.isArray(operands) && operands.length === 2) {
      const [left, right] = operands;
      const field = isFilter(left) ? left["$field"] : undefined;
      if (typeof field === "string" && isFilter(right) && right["$literal"] !== undefined)
        return [{ field, value: queryValue(right["$literal"]) }];
    }
  }
  throw new FunctionError("The filter of a vector search must be made of q.eq and q.or.");
}

const isFilter = (json: Json | undefined): json is { [operator: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json);

function markOf({ filterFields }: VectorIndex, name: string, { field, value }: FilterTerm): string {
  const place = filterFields.indexOf(field);
  if (place === -1) throw new FunctionError(`The field "${field}" is not a filter field of the vector index ${name}.`);
  return filterMark(place, value);
}
