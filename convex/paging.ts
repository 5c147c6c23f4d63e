import type { PaginationOptions } from "convex/server";

/** How many rows a page of a list shows. */
const PAGE_SIZE = 200;

/** How many rows a list query answers at most: one more than a page, so that the page knows of a next one. What lies beyond comes by its paginated sibling. */
export const LIST_LIMIT = PAGE_SIZE + 1;

/** A page as the caller asked for it, within `PAGE_SIZE`. */
export function pageOf(options: PaginationOptions): PaginationOptions {
  return { ...options, numItems: Math.min(Math.max(Math.trunc(options.numItems), 1), PAGE_SIZE) };
}
