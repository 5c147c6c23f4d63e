import type { ConvexReactClient } from "convex/react";
import { type FunctionReference, getFunctionName } from "convex/server";
import { convexToJson, type Value } from "convex/values";

/** How long a page waits for a live answer that it must not be shown without. */
const PATIENCE_MS = 2_000;
/** How long the subscription made for waiting outlives the answer: until the page that waited has its own. */
const HANDOVER_MS = 5_000;

const waiting = new Map<string, Promise<void>>();

/** Settles once the query has a live answer in the browser, or when that takes too long. The same promise for the same query, as `use` wants. */
export function firstAnswer(convex: ConvexReactClient, query: FunctionReference<"query">, args: Record<string, Value>): Promise<void> {
  const key = JSON.stringify([getFunctionName(query), convexToJson(args)]);
  const known = waiting.get(key);
  if (known) return known;
  const promise = new Promise<void>((resolve) => {
    const watch = convex.watchQuery(query, args);
    const stop = watch.onUpdate(resolve);
    setTimeout(resolve, PATIENCE_MS);
    setTimeout(() => {
      stop();
      waiting.delete(key);
    }, PATIENCE_MS + HANDOVER_MS);
  });
  waiting.set(key, promise);
  return promise;
}

/** Whether the query has a live answer in the browser, if only that it failed. */
export function isAnswered(convex: ConvexReactClient, query: FunctionReference<"query">, args: Record<string, Value>): boolean {
  try {
    return convex.watchQuery(query, args).localQueryResult() !== undefined;
  } catch {
    return true;
  }
}
