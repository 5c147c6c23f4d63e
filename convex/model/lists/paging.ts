import type { PaginationOptions } from "convex/server";

const PAGE_SIZE = 200;

/** One more than a page, to show that a next page exists. */
export const LIST_LIMIT = PAGE_SIZE + 1;

/** The caller already has `given` rows of the page. */
export function pageOf(options: PaginationOptions, given = 0): PaginationOptions {
  return { ...options, numItems: Math.max(Math.min(Math.trunc(options.numItems), PAGE_SIZE) - given, 1) };
}
