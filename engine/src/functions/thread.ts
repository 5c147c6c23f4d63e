/** How threads are started: with a cache of compiled code, since Node would strip the types of every file for every thread anew. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { compileCacheFolder } from "../compile-cache.ts";
import type { ThreadData } from "./thread-entry.ts";

const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/** Starts the module `entry`, which finds `data` as `workerData.data`. */
export function startThread(dir: string, entry: URL, data: object, options: Omit<WorkerOptions, "workerData"> = {}): Worker {
  const workerData: ThreadData = { cache: compileCacheFolder(dir), entry: entry.href, data };
  // Flags and preloads of the process around us are none of the functions' business.
  return new Worker(new URL("./thread-entry.ts", import.meta.url), { execArgv: [], ...options, workerData });
}

/** Every push adds to the cache and nothing leaves it, so it begins anew when it has grown. */
export function trimCache(dir: string): void {
  const folder = compileCacheFolder(dir);
  try {
    const sizes = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(folder, name)).size);
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_CACHE_BYTES) rmSync(folder, { recursive: true, force: true });
  } catch {
    // There is none yet.
  }
}
