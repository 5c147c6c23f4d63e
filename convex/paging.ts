import type { PaginationOptions } from "convex/server";

/** How many rows a page of a list shows. */
const PAGE_SIZE = 200;

/** How many rows a list query answers at most: one more than a page, so that the page knows of a next one. What lies beyond comes by its paginated sibling. */
export const LIST_LIMIT = PAGE_SIZE + 1;

/** A page as the caller asked for it, within `PAGE_SIZE`; `given` rows of it come from elsewhere. */
export function pageOf(options: PaginationOptions, given = 0): PaginationOptions {
  return { ...options, numItems: Math.max(Math.min(Math.trunc(options.numItems), PAGE_SIZE) - given, 1) };
}
