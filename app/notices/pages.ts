import { LATER_PAGES, type ListPage } from "~/data/pages";
import type { ShownNotice } from "./words";

/** As in convex/notices.ts, which answers one more, if there is one. */
const PAGE_SIZE = 100;

type Place = { id: string; at: number; read: boolean };

/** The notice after which a page begins, as the page's address says it; null: it is the first page. */
export function placeFrom(search: URLSearchParams): Place | null {
  const [, read, at, id] = /^([01])\.(\d{1,16})\.(\w{1,64})$/.exec(search.get(LATER_PAGES) ?? "") ?? [];
  return id === undefined ? null : { id, at: Number(at), read: read === "1" };
}

/** A page of notices, of what the query answered. */
export function noticePage(notices: ShownNotice[], isFirst: boolean): ListPage<ShownNotice> {
  const rows = notices.slice(0, PAGE_SIZE);
  const last = notices.length > PAGE_SIZE ? rows.at(-1) : undefined;
  return { rows, isFirst, next: last ? `${last.read ? 1 : 0}.${last.at}.${last._id}` : null };
}
