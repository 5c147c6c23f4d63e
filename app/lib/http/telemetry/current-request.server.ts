import { AsyncLocalStorage } from "node:async_hooks";

export type Exchange = {
  id: string;
  /** The route's pattern. Never the address, which may contain a secret. */
  pattern: string | null;
  spent: Map<string, { ms: number; times: number }>;
};

const exchanges = new AsyncLocalStorage<Exchange>();

export const currentExchange = (): Exchange | undefined => exchanges.getStore();

export function inExchange<Result>(run: (exchange: Exchange) => Promise<Result>): Promise<Result> {
  const exchange: Exchange = { id: "-", pattern: null, spent: new Map() };
  return exchanges.run(exchange, () => run(exchange));
}

export function recordTime(what: string, ms: number): void {
  const spent = currentExchange()?.spent;
  if (!spent) return;
  const earlier = spent.get(what);
  spent.set(what, { ms: (earlier?.ms ?? 0) + ms, times: (earlier?.times ?? 0) + 1 });
}
