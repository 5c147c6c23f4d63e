import { AsyncLocalStorage } from "node:async_hooks";

/** One request and its answer, for who tells of them: logs, metrics, `Server-Timing`. */
export type Exchange = {
  /** The name that it goes by in logs and in its answer. */
  id: string;
  /** The pattern of the matched route, like `/projects/:id`; null as long as none is. Never the address itself: it may hold a secret. */
  pattern: string | null;
  /** What it has spent time on, by name: milliseconds, and how often. */
  spent: Map<string, { ms: number; times: number }>;
};

const exchanges = new AsyncLocalStorage<Exchange>();

/** The exchange that this code runs for; undefined outside of any. */
export const currentExchange = (): Exchange | undefined => exchanges.getStore();

/** Runs what answers a request, so that everything below knows for which one it works. */
export function inExchange<Result>(run: (exchange: Exchange) => Promise<Result>): Promise<Result> {
  const exchange: Exchange = { id: "-", pattern: null, spent: new Map() };
  return exchanges.run(exchange, () => run(exchange));
}

/** Counts time towards the current exchange. */
export function spend(what: string, ms: number): void {
  const spent = currentExchange()?.spent;
  if (!spent) return;
  const known = spent.get(what);
  spent.set(what, { ms: (known?.ms ?? 0) + ms, times: (known?.times ?? 0) + 1 });
}
