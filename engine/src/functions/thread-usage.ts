import type { Worker } from "node:worker_threads";

/** Maximum per thread. Convex's limit is 64 MB, but V8 can retain more than twice as much until it collects garbage. */
export const MAX_EXTERNAL_BYTES = 192 * 1024 * 1024;
const ANSWERS_WITHIN_MS = 500;

/** Returns NaN when the thread does not answer, or the wall clock without `cpuUsage` (older Node versions). */
export async function threadCpuMs(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== "function") return performance.now();
  const usage = await answerOf(worker.cpuUsage());
  return usage === null ? NaN : (usage.user + usage.system) / 1_000;
}

/** Returns bytes in use. `external` is mostly ArrayBuffers, which V8's own limits do not count. */
export async function threadMemory(worker: Worker): Promise<{ heap: number; external: number }> {
  const statistics = typeof worker.getHeapStatistics === "function" ? await answerOf(worker.getHeapStatistics()) : null;
  return { heap: statistics?.used_heap_size || 0, external: statistics?.external_memory || 0 };
}

async function answerOf<T>(answer: Promise<T>): Promise<T | null> {
  const silence = Promise.withResolvers<null>();
  const timer = setTimeout(() => silence.resolve(null), ANSWERS_WITHIN_MS);
  const first = await Promise.race([answer, silence.promise]).catch(() => null);
  clearTimeout(timer);
  return first;
}
