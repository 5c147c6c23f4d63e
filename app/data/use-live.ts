import { useQueries } from "convex-helpers/react/cache";
import { makeFunctionReference } from "convex/server";
import { use, useEffect, useMemo, useRef } from "react";
import { useFetchers, useNavigate, useNavigation, useRevalidator } from "react-router";
import { isFresh, observedTime } from "./browser";
import { connectedConvex, reconnectingConvex } from "./connection";
import { firstAnswer } from "./first-answer";
import { type Preload, timestampOf } from "./preload";
import { redirectOf, refusalOf } from "./refusals";

/**
 * Continues a loader's answer live. While there is no live answer the loader's stands, so the first paint has data and nothing flashes; it
 * never gives an answer older than one that this browser has already seen.
 *
 * When the session has ended, or what was asked for is gone, the loaders run again, whose answer is the right one: the way to /sign-in, the
 * not-found screen. What disappears by the visitor's own doing stays until they are led away, and so does a session: a form that puts another
 * in its place ends the old one before its answer is here. A query's redirect navigates. A fault is thrown to the route's error boundary.
 *
 * @param instead the live answer of another query by which the same is shown meanwhile: then this one is not asked, what it answered last stands, and
 * an error of the other is taken for its own
 */
export function useLive<Result>(preloaded: Preload<Result>, instead?: unknown): Result {
  const { query, args, ts, value } = preloaded;
  const reference = useMemo(() => makeFunctionReference<"query">(query), [query]);
  const own: Result | Error | undefined = useQueries(instead === undefined ? { live: { query: reference, args } } : {})["live"];
  const live = instead instanceof Error ? instead : own;
  const arrivedOffline = useMemo(() => preloaded && connectedConvex() === null, [preloaded]);

  const lost = live instanceof Error && refusalOf(live)?.code === "unauthenticated";
  const target = live instanceof Error ? redirectOf(live) : null;
  const gone = live instanceof Error && refusalOf(live)?.code === "not_found";
  const busy = useBusy();
  useFollow((lost || gone) && !busy, target);
  const last = useRef({ of: preloaded, answer: value });
  useEffect(() => {
    if (own !== undefined && !(own instanceof Error)) last.current = { of: preloaded, answer: own };
  }, [own, preloaded]);
  const lastAnswer = last.current.of === preloaded ? last.current.answer : value;

  if (live instanceof Error) {
    if (lost || gone || target !== null) return lastAnswer;
    throw live;
  }
  if (instead !== undefined) return lastAnswer;
  const connected = connectedConvex();
  if (live === undefined) {
    // The loader answered before something that this browser has seen since: wait for the live answer, with the page before still standing.
    if (connected && !isFresh(connected, ts)) use(firstAnswer(connected, reference, args));
    return lastAnswer;
  }
  // Loaded over the app's server while the connection was down: newer than what the connection last said, until it catches up.
  if (arrivedOffline && isAhead(ts)) return value;
  return live;
}

/** Goes where a live answer sends the visitor. */
function useFollow(over: boolean, target: string | null) {
  const { revalidate } = useRevalidator();
  const navigate = useNavigate();
  useEffect(() => {
    if (over) void revalidate();
  }, [over, revalidate]);
  useEffect(() => {
    if (target !== null) void navigate(target, { replace: true });
  }, [target, navigate]);
}

/** Whether a form of this page is on its way, or leads to the next. */
function useBusy(): boolean {
  const navigating = useNavigation().state !== "idle";
  return useFetchers().some((fetcher) => fetcher.state !== "idle") || navigating;
}

function isAhead(ts: string): boolean {
  const convex = reconnectingConvex();
  const seen = convex && observedTime(convex);
  const at = timestampOf(ts);
  return seen === null || (at !== null && at > seen);
}
