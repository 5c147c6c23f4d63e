import { enableCompileCache, flushCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

export type ThreadData = { cache: string; entry: string; clockSkewMs: number; data: object };

const { cache, entry, clockSkewMs }: ThreadData = workerData;
enableCompileCache(cache);
if (clockSkewMs !== 0) (await import("../simulation/clock-skew.ts")).skewClock(clockSkewMs);
await import(entry);
flushCompileCache();
