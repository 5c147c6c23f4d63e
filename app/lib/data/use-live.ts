import { makeFunctionReference } from "convex/server";
import { useEffect, useMemo, useRef } from "react";
import { useFetchers, useNavigate, useNavigation, useRevalidator } from "react-router";
import { connectedConvex, reconnectingConvex } from "./connection/connection";
import { isFresh, observedTime } from "./connection/observed-time";
import { answerAt, JOINED } from "./joined-queries";
import { firstResults, useArrival } from "./first-result";
import { type Preload, timestampOf } from "./preload";
import { redirectOf, refusalOf } from "./error-responses";
import { useQueries } from "./use-queries";

/** Returns the loader's result, then live updates, never older than the data of this browser. `instead` replaces the subscription. */
export function useLive<Result>(preloaded: Preload<Result>, instead?: unknown): Result {
  const { query, args: ownArgs, ts, value, joined } = preloaded;
  const args = joined?.args ?? ownArgs;
  const reference = useMemo(() => (joined ? JOINED : makeFunctionReference<"query">(query)), [joined, query]);
  const answer = useQueries(instead === undefined ? { live: { query: reference, args } } : {})["live"];
  const own: Result | Error | undefined = useMemo(() => (joined ? answerAt(answer, joined.index) : answer), [joined, answer]);
  const live = instead instanceof Error ? instead : own;
  useArrival(preloaded, () => {
    const connected = connectedConvex();
    const waits = instead === undefined && connected && !isFresh(connected, ts);
    return waits ? firstResults(connected, reference, [args]) : [];
  });
  const arrivedOffline = useMemo(() => preloaded && connectedConvex() === null, [preloaded]);

  const isSignedOut = live instanceof Error && refusalOf(live)?.code === "unauthenticated";
  const target = live instanceof Error ? redirectOf(live) : null;
  const isDeleted = live instanceof Error && refusalOf(live)?.code === "not_found";
  const busy = useBusy();
  useFollow((isSignedOut || isDeleted) && !busy, target, isDeleted);
  const last = useRef({ of: preloaded, answer: value });
  useEffect(() => {
    if (own !== undefined && !(own instanceof Error)) last.current = { of: preloaded, answer: own };
  }, [own, preloaded]);
  const lastAnswer = last.current.of === preloaded ? last.current.answer : value;

  if (live instanceof Error) {
    if (isSignedOut || isDeleted || target !== null) return lastAnswer;
    throw live;
  }
  if (instead !== undefined) return lastAnswer;
  if (live === undefined) return lastAnswer;
  if (arrivedOffline && isAhead(ts)) return value;
  return live;
}

function useFollow(isGone: boolean, target: string | null, waits: boolean) {
  const { revalidate } = useRevalidator();
  const navigate = useNavigate();
  useEffect(() => {
    if (!isGone) return;
    const dialog = waits ? unsavedDialog() : null;
    if (!dialog) return void revalidate();
    const leave = () => void revalidate();
    dialog.addEventListener("close", leave, { once: true });
    return () => dialog.removeEventListener("close", leave);
  }, [isGone, waits, revalidate]);
  useEffect(() => {
    if (target !== null) void navigate(target, { replace: true });
  }, [target, navigate]);
}

/** Returns an open dialog with unsaved or rejected text. The page of a deleted item stays until the dialog closes. */
function unsavedDialog(): HTMLDialogElement | null {
  const dialog = document.querySelector<HTMLDialogElement>("dialog[open]");
  const fields = dialog?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input:not([type=hidden]), textarea") ?? [];
  const isRejected = dialog?.querySelector("form[data-rejected]") != null;
  return isRejected || [...fields].some(({ value, defaultValue }) => value !== defaultValue) ? dialog : null;
}

/** Returns whether a request is pending: its form may delete the item or replace the session, and then redirect. */
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
