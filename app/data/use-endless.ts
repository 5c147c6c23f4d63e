import { useQueries } from "convex-helpers/react/cache";
import { type FunctionReference, makeFunctionReference, type PaginationResult } from "convex/server";
import { use, useCallback, useEffect, useMemo, useState } from "react";
import { useLocation } from "react-router";
import { connectedConvex } from "./connection";
import { firstAnswer } from "./first-answer";
import { arrived, followPages, rememberedPages, rememberPages } from "./later-pages";
import { type Listed, type ListPage, pageOf, sizeIn } from "./pages";
import type { Preload } from "./preload";
import { redirectOf, refusalOf } from "./refusals";
import { useLive } from "./use-live";

/** A list that goes on, as far as it is shown. */
export type Endless<Row> = ListPage<Row> & {
  /** The rows page by page, as they are answered; `rows` has them all. */
  pages: Row[][];
  /** Has the next page come after those that are shown. Undefined where it would be too much for one page: `next` then leads on. */
  more: (() => void) | undefined;
  /** Whether it is on its way. */
  loading: boolean;
};

/** As many pages as one document shows: what is out of sight costs no painting, but each row stands in the document. */
const MOST_PAGES = 15;

/**
 * Continues a list live beyond its first page: each further page is a query of its own, so that a change costs the page that it is on. On the way
 * back to a list as many pages are there as when it was left, before it is shown, so that the scroll position is found again.
 * @param sibling the paginated query of the same rows, where the first is none itself
 */
export function useEndless<Row>(preloaded: Preload<Listed<Row>>, sibling?: FunctionReference<"query">): Endless<Row> {
  const listed = useLive(preloaded);
  const first = useMemo(() => pageOf(listed), [listed]);
  const isWhole = Array.isArray(preloaded.value);
  const { key } = useLocation();
  const reference = useMemo(() => sibling ?? makeFunctionReference<"query">(preloaded.query), [sibling, preloaded.query]);
  const of = JSON.stringify([preloaded.query, preloaded.args]);
  const [later, setLater] = useState(() => rememberedPages(key, of));
  if (later.of !== of) setLater(rememberedPages(key, of));
  useEffect(() => rememberPages(key, later), [key, later]);

  const argsAfter = useMemo(() => {
    const { paginationOpts, ...rest } = preloaded.args;
    const numItems = sizeIn(paginationOpts);
    return (cursor: string | null) => ({ ...rest, paginationOpts: { numItems, cursor } });
  }, [preloaded.args]);
  const cursors = later.slots.flatMap(({ cursor, before }) => (before === undefined ? [cursor] : [cursor, before]));
  const live = useQueries(Object.fromEntries(cursors.map((cursor) => [nameOf(cursor), { query: reference, args: argsAfter(cursor) }])));
  const answerAfter = useCallback((cursor: string | null) => pageIn<Row>(live[nameOf(cursor)]), [live]);

  const connected = connectedConvex();
  for (const { cursor, returning } of later.slots)
    if (returning && connected && !answerAfter(cursor)) use(firstAnswer(connected, reference, argsAfter(cursor)));

  const { pages, rows, next } = useMemo(() => {
    const shown: ListPage<Row>[] = isWhole && later.slots.length > 0 ? [] : [first];
    for (const { cursor, before } of later.slots) {
      const answer = answerAfter(cursor) ?? (before === undefined ? undefined : answerAfter(before));
      if (!answer) break;
      shown.push(pageOf(answer));
    }
    // The first of the further pages has the same rows as the first one, which stands until it is there.
    if (shown.length === 0) shown.push(first);
    const pages = shown.map(({ rows }) => rows);
    return { pages, rows: distinct(pages.flat()), next: shown.at(-1)?.next ?? null };
  }, [isWhole, first, later, answerAfter]);

  const followed = arrived(followPages(later, isWhole ? null : first.next, answerAfter));
  useEffect(() => {
    if (followed !== later) setLater(followed);
  }, [followed, later]);

  const more = () => setLater((now) => ({ ...now, wanted: Math.max(now.slots.length + 1, isWhole ? 2 : 1) }));
  return {
    pages,
    rows,
    isFirst: first.isFirst,
    next,
    more: pages.length < MOST_PAGES ? more : undefined,
    loading: pages.length < later.wanted + (isWhole ? 0 : 1),
  };
}

/** A later page as it was answered. What ends the list as a whole is the first page's to tell. */
function pageIn<Row>(answer: PaginationResult<Row> | Error | undefined): PaginationResult<Row> | undefined {
  if (!(answer instanceof Error)) return answer;
  if (refusalOf(answer) || redirectOf(answer) !== null) return undefined;
  throw answer;
}

/** While a page moves on the one that stands for it may have a row that its neighbour has by now. */
function distinct<Row>(rows: Row[]): Row[] {
  const known = new Set<unknown>();
  return rows.filter((row) => {
    const id: unknown = Object(row)._id ?? row;
    return !known.has(id) && known.add(id);
  });
}

const nameOf = (cursor: string | null) => cursor ?? "start";
