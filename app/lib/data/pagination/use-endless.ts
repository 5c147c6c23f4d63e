import { type FunctionReference, getFunctionName, makeFunctionReference, type PaginationResult } from "convex/server";
import type { Value } from "convex/values";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useLocation } from "react-router";
import { connectedConvex } from "../connection/connection";
import { firstResults, useArrival } from "../first-result";
import { arrived, followPages, nameOf, type PageRange, rangesOf, storedPages, storePages } from "./later-pages";
import { type Listed, type ListPage, pageOf, sizeIn } from "./pages";
import type { Preload } from "../preload";
import { redirectOf, refusalOf } from "../error-responses";
import { useGradualRows } from "./gradual-rows";
import { useStableRows } from "./stable-rows";
import { useLive } from "../use-live";
import { useQueries } from "../use-queries";

export type Endless<Row> = ListPage<Row> & {
  pages: Row[][];
  more: (() => void) | undefined;
  loading: boolean;
};

const MOST_PAGES = 15;

/** Continues a list live, one query per page. Restores a history entry's pages before rendering, to keep the scroll position. */
export function useEndless<Row>(
  preloaded: Preload<Listed<Row>>,
  sibling?: FunctionReference<"query">,
  { remembers = true }: { remembers?: boolean } = {},
): Endless<Row> {
  const isWhole = Array.isArray(preloaded.value);
  const { key } = useLocation();
  // By name, because `api` returns a new object each time.
  const name = sibling ? getFunctionName(sibling) : preloaded.query;
  const reference = useMemo(() => makeFunctionReference<"query">(name), [name]);
  const listKey = JSON.stringify([preloaded.query, preloaded.args]);
  const [later, setLater] = useState(() => storedPages(remembers ? key : null, listKey));
  if (later.of !== listKey) setLater(storedPages(remembers ? key : null, listKey));
  const size = sizeIn(preloaded.args["paginationOpts"]);
  const argsAt = useMemo(() => {
    const { paginationOpts: _, ...rest } = preloaded.args;
    return ({ cursor, end }: PageRange) => ({
      ...rest,
      paginationOpts: { numItems: size, cursor, ...(end !== undefined && { endCursor: end }) },
    });
  }, [preloaded.args, size]);
  // Must precede all subscriptions, because a suspended component would never unsubscribe.
  useArrival(later, () => {
    const connected = connectedConvex();
    const returning = later.slots.flatMap(({ returning, ...slot }) => (returning ? [argsAt(slot)] : []));
    return connected ? firstResults(connected, reference, returning) : [];
  });
  const live = usePages(rangesOf(later), reference, argsAt);
  const answerAt = useCallback((range: PageRange) => pageIn<Row>(live[nameOf(range)]), [live]);
  useEffect(() => {
    if (remembers) storePages(key, later, answerAt);
  }, [remembers, key, later, answerAt]);
  // The first further page has the same rows as the first page and replaces its subscription.
  const [leading] = isWhole ? later.slots : [];
  const listed = useLive(preloaded, leading && live[nameOf(leading)]);
  const first = useMemo(() => pageOf(listed), [listed]);

  const { pages, next, ...shown } = useMemo(() => {
    const shown: ListPage<Row>[] = isWhole && later.slots.length > 0 ? [] : [first];
    for (const slot of later.slots) {
      const answer = answerAt(slot) ?? (slot.before && answerAt(slot.before));
      if (!answer) break;
      shown.push(pageOf(answer));
    }
    if (shown.length === 0) shown.push(first);
    const pages = shown.map(({ rows }) => rows);
    return { pages, rows: distinct(pages.flat()), next: shown.at(-1)?.next ?? null };
  }, [isWhole, first, later, answerAt]);
  const all = useStableRows(shown.rows);
  const rows = useGradualRows(all);

  const most = isWhole ? MOST_PAGES : MOST_PAGES - 1;
  const followed = arrived(followPages(later, isWhole ? null : first.next, answerAt, { size, most }));
  useEffect(() => {
    if (followed !== later) setLater(followed);
  }, [followed, later]);

  const more = () => setLater((now) => ({ ...now, pageCount: Math.max(now.slots.length + 1, isWhole ? 2 : 1) }));
  return {
    pages,
    rows,
    isFirst: first.isFirst,
    next,
    more: pages.length < MOST_PAGES ? more : undefined,
    loading: pages.length < later.pageCount + (isWhole ? 0 : 1) || rows.length < all.length,
  };
}

/** Unsubscribes on unmount, because a split page that stayed subscribed would keep growing. */
function usePages(ranges: PageRange[], reference: FunctionReference<"query">, argsAt: (range: PageRange) => Record<string, Value>) {
  const requests = Object.fromEntries(ranges.map((range) => [nameOf(range), { query: reference, args: argsAt(range) }]));
  return useQueries(requests, { keeps: false });
}

function pageIn<Row>(answer: PaginationResult<Row> | Error | undefined): PaginationResult<Row> | undefined {
  if (!(answer instanceof Error)) return answer;
  if (refusalOf(answer) || redirectOf(answer) !== null) return undefined;
  throw answer;
}

function distinct<Row>(rows: Row[]): Row[] {
  const ids = new Set<unknown>();
  return rows.filter((row) => {
    const id: unknown = Object(row)._id ?? row;
    return !ids.has(id) && ids.add(id);
  });
}
