import { LATER_PAGES, type ListPage } from "~/lib/data/pagination/pages";
import type { ShownNotification } from "./notification-text";

/** Must match convex/notices.ts, which returns one extra notice if there is a next page. */
const PAGE_SIZE = 100;

type PageStart = { id: string; at: number; read: boolean };

export function pageStartFrom(search: URLSearchParams): PageStart | null {
  const [, read, at, id] = /^([01])\.(\d{1,16})\.(\w{1,64})$/.exec(search.get(LATER_PAGES) ?? "") ?? [];
  return id === undefined ? null : { id, at: Number(at), read: read === "1" };
}

export function noticePage(notices: ShownNotification[], isFirst: boolean): ListPage<ShownNotification> {
  const rows = notices.slice(0, PAGE_SIZE);
  const last = notices.length > PAGE_SIZE ? rows.at(-1) : undefined;
  return { rows, isFirst, next: last ? `${last.read ? 1 : 0}.${last.at}.${last._id}` : null };
}
