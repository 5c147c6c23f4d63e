import { searchPrefix } from "../../search/text-index.ts";
import type { JsonObject } from "../../values/canonical.ts";
import { FunctionError } from "../../values/errors.ts";
import { compareKeys, encodeKey, keyAfterPrefix } from "../../values/keys.ts";
import { MAX_SEARCH_RESULTS } from "../../values/limits.ts";
import { parseDocument } from "../document.ts";
import type { Overlay } from "../overlay.ts";
import type { Operator, Plan, RangeSource, SearchSource } from "./plan.ts";
import type { Reads } from "../reads.ts";
import { Scan, type Entry, type Range } from "./scan.ts";
import { searchResults, type SearchContext } from "./search.ts";
import type { Meter } from "../usage.ts";

export type Stream = { next(): { entry: Entry; passes: boolean } | null };

export type Reader = { context: SearchContext; overlay: Overlay; reads: Reads; meter: Meter };

export function openStream({ source, operators }: Plan, reader: Reader, between?: Range): Stream {
  const pipeline = new Pipeline(operators);
  const next = source.kind === "search" ? startSearch(source, reader, between) : startScan(source, operators, reader, between);
  return {
    next: () => {
      const entry = pipeline.isExhausted ? null : next();
      if (entry === null) return null;
      reader.meter.read(entry.size);
      return { entry, passes: pipeline.passes(entry.text) };
    },
  };
}

function startScan(
  { index, range, order }: RangeSource,
  operators: Operator[],
  { context, overlay, reads }: Reader,
  between: Range = range,
): () => Entry | null {
  const scan = new Scan(context.store, overlay, index, between, order, expected(operators));
  const walk = reads.walk(index.id, between.low, between.high, order);
  return () => {
    const entry = scan.next();
    if (entry === null) walk.ended();
    else walk.passed(entry.key);
    return entry;
  };
}

function startSearch(source: SearchSource, { context, overlay, reads }: Reader, between?: Range): () => Entry | null {
  const prefix = searchPrefix(source.index, source.equal);
  reads.all(source.index.id, prefix, keyAfterPrefix(prefix));
  const { rows, hasMore, entryAt } = searchResults(source, overlay, context);
  const low = between ? placeAtOrAfter(between.low, rows.length) : 0;
  const high = between ? placeAtOrAfter(between.high, rows.length + 1) : rows.length + 1;
  let place = low;
  return () => {
    if (place < Math.min(high, rows.length)) return entryAt(place++);
    if (hasMore && high > rows.length) throw tooManyResults();
    return null;
  };
}

/** Returns the position of a key in search results. The keys of search results are ranks, because relevance has no key. */
function placeAtOrAfter(key: Uint8Array, most: number): number {
  let place = 0;
  while (place < most && compareKeys(encodeKey([place]), key) < 0) place++;
  return place;
}

const tooManyResults = () =>
  new FunctionError(
    `Search query scanned too many documents (limit: ${MAX_SEARCH_RESULTS}). Take fewer results, or narrow the search with filter fields.`,
  );

class Pipeline {
  private readonly operators: Operator[];
  private readonly left: number[];

  constructor(operators: Operator[]) {
    this.operators = operators;
    this.left = operators.map((operator) => (operator.kind === "limit" ? operator.limit : Infinity));
  }

  get isExhausted(): boolean {
    return this.left.includes(0);
  }

  passes(text: string): boolean {
    let value: JsonObject | undefined;
    for (const [i, operator] of this.operators.entries()) {
      if (operator.kind === "limit") this.left[i] = (this.left[i] ?? 0) - 1;
      else if (!operator.passes((value ??= parseDocument(text)))) return false;
    }
    return true;
  }
}

function expected(operators: Operator[]): number | undefined {
  let least: number | undefined;
  for (const operator of operators) {
    if (operator.kind === "filter") return undefined;
    least = Math.min(least ?? Infinity, operator.limit);
  }
  return least;
}
