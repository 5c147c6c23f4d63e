import type { PaginationOptions, PaginationResult } from "convex/server";
import type { Value } from "convex/values";
import type { Preload } from "../preload";

/** Must match convex/model/lists/paging.ts. A list query returns one extra row if there is a next page. */
const PAGE_SIZE = 200;

/** The search parameter with the previous page's cursor, or `first` for the page after the first. */
export const LATER_PAGES = "after";
const AFTER_FIRST_PAGE = "first";

export type Listed<Row> = Row[] | PaginationResult<Row>;

export function firstPageOf({ pathname, searchParams }: URL): string | null {
  if (!searchParams.has(LATER_PAGES)) return null;
  const params = new URLSearchParams(searchParams);
  params.delete(LATER_PAGES);
  return params.size === 0 ? pathname : `${pathname}?${params}`;
}

type PageQueries<Row> = {
  first: () => Promise<Preload<Row[]>>;
  later: (paginationOpts: PaginationOptions) => Promise<Preload<PaginationResult<Row>>>;
};

export async function preloadPage<Row>(url: URL, { first, later }: PageQueries<Row>): Promise<Preload<Listed<Row>>> {
  const after = url.searchParams.get(LATER_PAGES);
  if (after === null) return first();
  const pageAfter = (cursor: string | null) => later({ numItems: PAGE_SIZE, cursor });
  return pageAfter(after === AFTER_FIRST_PAGE ? (await pageAfter(null)).value.continueCursor : after);
}

export function sizeIn(paginationOpts: Value | undefined): number {
  const size =
    typeof paginationOpts === "object" && paginationOpts !== null && "numItems" in paginationOpts ? paginationOpts.numItems : null;
  return typeof size === "number" ? size : PAGE_SIZE;
}

export type ListPage<Row> = { rows: Row[]; isFirst: boolean; next: string | null };

export function pageOf<Row>(listed: Listed<Row>): ListPage<Row> {
  if (Array.isArray(listed)) {
    const rows = listed.length > PAGE_SIZE ? listed.slice(0, PAGE_SIZE) : listed;
    return { rows, isFirst: true, next: rows === listed ? null : AFTER_FIRST_PAGE };
  }
  return { rows: listed.page, isFirst: false, next: listed.isDone ? null : listed.continueCursor };
}
