/** Enables the compile cache before other modules load. */
import { enableCompileCache, flushCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

export type ThreadData = { cache: string; entry: string; data: object };

const { cache, entry }: ThreadData = workerData;
enableCompileCache(cache);
await import(entry);
flushCompileCache();
