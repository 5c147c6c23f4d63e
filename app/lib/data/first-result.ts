import type { ConvexReactClient, Watch } from "convex/react";
import type { FunctionReference } from "convex/server";
import type { Value } from "convex/values";
import { use, useState } from "react";
import { queryKey } from "./query-key";

const TIMEOUT_MS = 2_000;
const HANDOVER_MS = 5_000;

type PendingResult = { promise: Promise<void>; release: () => void; timer?: ReturnType<typeof setTimeout> };

const pendingResults = new Map<string, PendingResult>();

/** Resolves when the query has a live answer, or after a timeout. Returns the same promise for the same query, as `use` requires. */
function firstAnswer(convex: ConvexReactClient, query: FunctionReference<"query">, args: Record<string, Value>): Promise<void> {
  const key = queryKey(query, args);
  const pendingResult = pendingResults.get(key) ?? addPendingResult(convex.watchQuery(query, args));
  pendingResults.set(key, pendingResult);
  clearTimeout(pendingResult.timer);
  pendingResult.timer = setTimeout(() => {
    pendingResult.release();
    pendingResults.delete(key);
  }, TIMEOUT_MS + HANDOVER_MS);
  return pendingResult.promise;
}

function addPendingResult(watch: Watch<unknown>): PendingResult {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, TIMEOUT_MS);
  return { promise, release: watch.onUpdate(resolve) };
}

export function firstResults(convex: ConvexReactClient, query: FunctionReference<"query">, many: Record<string, Value>[]): Promise<void>[] {
  const requested = many.map((args) => ({ args, arrival: firstAnswer(convex, query, args) }));
  return requested.flatMap(({ args, arrival }) => (isAnswered(convex.watchQuery(query, args)) ? [] : [arrival]));
}

function isAnswered(watch: Watch<unknown>): boolean {
  try {
    return watch.localQueryResult() !== undefined;
  } catch {
    return true;
  }
}

/** Suspends until the promises of `arrivals` (called once per `of`) resolve. React's replay must `use` the same promises (error 310). */
export function useArrival(of: unknown, arrivals: () => Promise<void>[]): void {
  const [awaited, setAwaited] = useState(() => ({ of, promises: arrivals() }));
  if (awaited.of !== of) setAwaited({ of, promises: arrivals() });
  for (const promise of awaited.promises) use(promise);
}
