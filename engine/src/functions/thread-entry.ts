import { enableCompileCache, flushCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

export type ThreadData = { cache: string; entry: string; clockSkewMs: number; data: object };

const { cache, entry, clockSkewMs }: ThreadData = workerData;

/** Not at the top level: V8 ends the process if a thread is terminated while a module awaits (github.com/denoland/deno/pull/12831). */
async function start(): Promise<void> {
  enableCompileCache(cache);
  if (clockSkewMs !== 0) (await import("../simulation/clock-skew.ts")).skewClock(clockSkewMs);
  await import(entry);
  flushCompileCache();
}

void start();
