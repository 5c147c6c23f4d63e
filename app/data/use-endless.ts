import { useQueries } from "convex/react";
import { type FunctionReference, getFunctionName, makeFunctionReference, type PaginationResult } from "convex/server";
import type { Value } from "convex/values";
import { use, useCallback, useEffect, useMemo, useState } from "react";
import { useLocation } from "react-router";
import { connectedConvex } from "./connection";
import { firstAnswers } from "./first-answer";
import { arrived, followPages, nameOf, type Place, placesOf, rememberedPages, rememberPages } from "./later-pages";
import { type Listed, type ListPage, pageOf, sizeIn } from "./pages";
import type { Preload } from "./preload";
import { redirectOf, refusalOf } from "./refusals";
import { useSameRows } from "./same-rows";
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
  const isWhole = Array.isArray(preloaded.value);
  const { key } = useLocation();
  // By its name: what `api` gives is another object each time.
  const name = sibling ? getFunctionName(sibling) : preloaded.query;
  const reference = useMemo(() => makeFunctionReference<"query">(name), [name]);
  const of = JSON.stringify([preloaded.query, preloaded.args]);
  const [later, setLater] = useState(() => rememberedPages(key, of));
  if (later.of !== of) setLater(rememberedPages(key, of));
  const size = sizeIn(preloaded.args["paginationOpts"]);
  const argsAt = useMemo(() => {
    const { paginationOpts: _, ...rest } = preloaded.args;
    return ({ cursor, end }: Place) => ({
      ...rest,
      paginationOpts: { numItems: size, cursor, ...(end !== undefined && { endCursor: end }) },
    });
  }, [preloaded.args, size]);
  // Before anything is subscribed to: what subscribes and then waits is never told that it may let go.
  const connected = connectedConvex();
  const returning = later.slots.flatMap(({ returning, ...slot }) => (returning ? [argsAt(slot)] : []));
  for (const arrival of connected ? firstAnswers(connected, reference, returning) : []) use(arrival);
  const live = usePlaces(placesOf(later), reference, argsAt);
  const answerAt = useCallback((place: Place) => pageIn<Row>(live[nameOf(place)]), [live]);
  useEffect(() => rememberPages(key, later, answerAt), [key, later, answerAt]);
  // The first of the further pages has the same rows as the first one, which need not be told twice once it is there.
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
    // The first of the further pages has the same rows as the first one, which stands until it is there.
    if (shown.length === 0) shown.push(first);
    const pages = shown.map(({ rows }) => rows);
    return { pages, rows: distinct(pages.flat()), next: shown.at(-1)?.next ?? null };
  }, [isWhole, first, later, answerAt]);
  const rows = useSameRows(shown.rows);

  const most = isWhole ? MOST_PAGES : MOST_PAGES - 1;
  const followed = arrived(followPages(later, isWhole ? null : first.next, answerAt, { size, most }));
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

/**
 * The live answers of several pages, by their names. They are let go with what shows them: a page that was cut in two, kept warm, would be told on, and grow
 * with all that comes in its place.
 */
function usePlaces(places: Place[], reference: FunctionReference<"query">, argsAt: (place: Place) => Record<string, Value>) {
  const requests = Object.fromEntries(places.map((place) => [nameOf(place), { query: reference, args: argsAt(place) }]));
  const key = JSON.stringify([getFunctionName(reference), Object.values(requests).map(({ args }) => args)]);
  const [asked, setAsked] = useState({ key, requests });
  if (asked.key !== key) setAsked({ key, requests });
  return useQueries(asked.requests);
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
