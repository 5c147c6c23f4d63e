import type { ConvexReactClient, Watch } from "convex/react";
import type { FunctionReference, FunctionReturnType } from "convex/server";
import type { Value } from "convex/values";
import { useEffect, useMemo, useState } from "react";
import { useLiveClient } from "./connection/live-provider";
import { queryKey } from "./query-key";

type Request = { query: FunctionReference<"query">; args: Record<string, Value> };
type Requests = Record<string, Request>;
type Answers<Asked> = { [Name in keyof Asked]?: Asked[Name] extends Request ? FunctionReturnType<Asked[Name]["query"]> | Error : never };

/** How long an unused subscription is kept for a return to the page, and how many of them. */
const KEPT_MS = 60_000;
const KEPT_QUERIES = 20;

/**
 * Subscribes to queries. An answer is undefined until it arrives, or an Error. Without a client, all are undefined.
 * `keeps: false` ends the subscriptions with the component.
 */
export function useQueries<Asked extends Requests>(requests: Asked, { keeps = true }: { keeps?: boolean } = {}): Answers<Asked> {
  const client = useLiveClient();
  const key = JSON.stringify(Object.entries(requests).map(([name, { query, args }]) => [name, queryKey(query, args)]));
  const [current, setCurrent] = useState({ key, requests });
  if (current.key !== key) setCurrent({ key, requests });
  const answers = useMemo(() => watchAll<Asked>(client, current.requests, keeps), [client, current, keeps]);
  return useAnswers(answers);
}

/** `useSyncExternalStore` would render at once, and so remove a form before its action can redirect. */
function useAnswers<Asked>(answers: Watched<Asked>): Answers<Asked> {
  const [shown, setShown] = useState(() => ({ answers, current: answers.read() }));
  const current = shown.answers === answers ? shown.current : answers.read();
  if (shown.answers !== answers) setShown({ answers, current });
  useEffect(() => {
    let isSubscribed = true;
    const update = () => {
      if (!isSubscribed) return;
      const next = { answers, current: answers.read() };
      setShown((now) => (now.answers !== answers || now.current === next.current ? now : next));
    };
    const unsubscribe = answers.subscribe(update);
    update();
    return () => {
      isSubscribed = false;
      unsubscribe();
    };
  }, [answers]);
  return current;
}

type Watched<Asked> = { read: () => Answers<Asked>; subscribe: (listener: () => void) => () => void };

function watchAll<Asked extends Requests>(client: ConvexReactClient | null, requests: Requests, keeps: boolean): Watched<Asked> {
  const watched = client
    ? Object.entries(requests).map(([name, { query, args }]) => ({
        name,
        key: queryKey(query, args),
        watch: client.watchQuery(query, args),
      }))
    : [];
  let last: Record<string, unknown> = {};
  return {
    read() {
      const now = watched.map(({ name, watch }) => [name, resultOf(watch)] as const);
      if (now.some(([name, result]) => !isSame(result, last[name]))) last = Object.fromEntries(now);
      return last as Answers<Asked>;
    },
    subscribe(listener) {
      const stops = watched.map(({ key, watch }) => ({ key, stop: watch.onUpdate(listener), watch }));
      return () => {
        for (const { key, stop, watch } of stops) {
          if (keeps) keep(key, watch.onUpdate(ignore));
          // Later than the next subscription, which then continues this one.
          setTimeout(stop);
        }
      };
    },
  };
}

const ignore = () => {};

function resultOf(watch: Watch<unknown>): unknown {
  try {
    return watch.localQueryResult();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Convex's client creates a new Error for each reading. */
const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Error && other instanceof Error ? textOf(one) === textOf(other) : Object.is(one, other);

const textOf = (error: Error): string => JSON.stringify([error.message, "data" in error ? error.data : null]);

const kept = new Map<string, { stop: () => void; timer: ReturnType<typeof setTimeout> }>();

function keep(key: string, stop: () => void): void {
  end(key);
  kept.set(key, { stop, timer: setTimeout(() => end(key), KEPT_MS) });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_QUERIES && oldest !== undefined) end(oldest);
}

function end(key: string): void {
  const each = kept.get(key);
  if (!each) return;
  kept.delete(key);
  clearTimeout(each.timer);
  each.stop();
}
