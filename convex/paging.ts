import type { PaginationOptions } from "convex/server";

/** How many rows a list query answers at most; what lies beyond comes by its paginated sibling. */
export const LIST_LIMIT = 200;

/** A page as the caller asked for it, within `LIST_LIMIT`. */
export function pageOf(options: PaginationOptions): PaginationOptions {
  return { ...options, numItems: Math.min(Math.max(Math.trunc(options.numItems), 1), LIST_LIMIT) };
}
