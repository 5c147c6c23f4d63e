import type { ConvexReactClient, Watch } from "convex/react";
import { type FunctionReference, getFunctionName } from "convex/server";
import { convexToJson, type Value } from "convex/values";

/** How long a page waits for a live answer that it must not be shown without. */
const PATIENCE_MS = 2_000;
/** How long the subscription made for waiting outlives that and the last who asked: until the page that waited has its own. */
const HANDOVER_MS = 5_000;

type Held = { promise: Promise<void>; letGo: () => void; timer?: ReturnType<typeof setTimeout> };

const held = new Map<string, Held>();

/**
 * Settles once the query has a live answer in the browser, or when that takes too long; holds the answer until a page that renders with it has its own
 * subscription. The same promise for the same query, as `use` wants.
 */
export function firstAnswer(convex: ConvexReactClient, query: FunctionReference<"query">, args: Record<string, Value>): Promise<void> {
  const key = JSON.stringify([getFunctionName(query), convexToJson(args)]);
  const holding = held.get(key) ?? hold(convex.watchQuery(query, args));
  held.set(key, holding);
  clearTimeout(holding.timer);
  holding.timer = setTimeout(() => {
    holding.letGo();
    held.delete(key);
  }, PATIENCE_MS + HANDOVER_MS);
  return holding.promise;
}

function hold(watch: Watch<unknown>): Held {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, PATIENCE_MS);
  return { promise, letGo: watch.onUpdate(resolve) };
}

/** The same for several, asked at once: what of them is still to come. */
export function firstAnswers(convex: ConvexReactClient, query: FunctionReference<"query">, many: Record<string, Value>[]): Promise<void>[] {
  const asked = many.map((args) => ({ args, arrival: firstAnswer(convex, query, args) }));
  return asked.flatMap(({ args, arrival }) => (isAnswered(convex.watchQuery(query, args)) ? [] : [arrival]));
}

/** With an error, too. */
function isAnswered(watch: Watch<unknown>): boolean {
  try {
    return watch.localQueryResult() !== undefined;
  } catch {
    return true;
  }
}
