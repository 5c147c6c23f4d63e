import type { Worker } from "node:worker_threads";
import { startThread } from "../functions/thread.ts";
import type { ImportAnswer, ImportData } from "./import-worker.ts";
import type { ExportAnswer, ExportData } from "./export-worker.ts";

const MEMORY_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

export const runExport = (dir: string, data: ExportData, signal: AbortSignal): Promise<ExportAnswer> =>
  run(startThread(dir, new URL("./export-worker.ts", import.meta.url), data, { resourceLimits: MEMORY_LIMITS }), signal);

export const runImport = (dir: string, data: ImportData, signal: AbortSignal): Promise<ImportAnswer> =>
  run(startThread(dir, new URL("./import-worker.ts", import.meta.url), data, { resourceLimits: MEMORY_LIMITS }), signal);

async function run<T>(worker: Worker, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(new Error("The deployment is shutting down."));
  worker.on("message", resolve);
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("The thread ended early.")));
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
