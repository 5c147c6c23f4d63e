import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { compileCacheFolder } from "../compile-cache.ts";
import { clockSkewMs } from "../simulation/clock-skew.ts";
import type { ThreadData } from "./thread-entry.ts";

const MAX_CACHE_BYTES = 64 * 1024 * 1024;

export function startThread(dir: string, entry: URL, data: object, options: Omit<WorkerOptions, "workerData"> = {}): Worker {
  const workerData: ThreadData = { cache: compileCacheFolder(dir), entry: entry.href, clockSkewMs: clockSkewMs(), data };
  // Functions must not inherit the process's flags and preloads.
  return new Worker(new URL("./thread-entry.ts", import.meta.url), { execArgv: [], ...options, workerData });
}

export function trimCache(dir: string): void {
  const folder = compileCacheFolder(dir);
  try {
    const sizes = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(folder, name)).size);
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_CACHE_BYTES) rmSync(folder, { recursive: true, force: true });
  } catch {}
}
