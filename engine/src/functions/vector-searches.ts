import { BestResults, type VectorResult } from "../transaction/query/best-results.ts";
import type { VectorResults, VectorSliceRequest } from "../transaction/query/vector-search.ts";
import type { Json } from "../values/types.ts";
import type { ComponentPath } from "./paths.ts";
import { SystemError } from "./system-error.ts";

/** Convex's limit of concurrent operations in an action (https://docs.convex.dev/production/state/limits). */
const MAX_WAITING = 1_000;
const ATTEMPTS = 3;

type ReadSlice = (request: VectorSliceRequest) => Promise<VectorResults | null>;

/** Runs searches one at a time and in slices, so that other calls of the transactor wait for one slice at most. */
export class VectorSearches {
  readonly #read: ReadSlice;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(read: ReadSlice) {
    this.#read = read;
  }

  async run(query: Json, component: ComponentPath): Promise<VectorResult[]> {
    if (this.#waiting >= MAX_WAITING) throw new SystemError("Too many concurrent vector searches. Try again later.");
    this.#waiting += 1;
    const search = this.#last.then(() => searchVectors(this.#read, { query, component }));
    this.#last = search.catch(() => undefined);
    try {
      return await search;
    } finally {
      this.#waiting -= 1;
    }
  }
}

export async function searchVectors(
  read: ReadSlice,
  search: Pick<VectorSliceRequest, "query" | "component" | "count">,
): Promise<VectorResult[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const results = await tryToSearch(read, search);
    if (results !== null) return results;
  }
  throw new SystemError("The vector search took longer than its snapshot is kept. Try again.");
}

/** Returns null if the snapshot is no longer kept, for example after a push. */
async function tryToSearch(
  read: ReadSlice,
  search: Pick<VectorSliceRequest, "query" | "component" | "count">,
): Promise<VectorResult[] | null> {
  let slice = await read({ ...search, at: null, after: 0, floor: null });
  if (slice === null) return null;
  const best = new BestResults(slice.limit);
  for (;;) {
    for (const result of slice.results) best.add(result);
    if (slice.next === null) return best.list();
    slice = await read({ ...search, at: slice.at, after: slice.next, floor: best.floor });
    if (slice === null) return null;
  }
}
