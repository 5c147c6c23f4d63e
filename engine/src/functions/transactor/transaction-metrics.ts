import type { Usage } from "../../transaction/types.ts";
import {
  MAX_BYTES_READ,
  MAX_BYTES_WRITTEN,
  MAX_DOCUMENTS_READ,
  MAX_DOCUMENTS_WRITTEN,
  MAX_INDEX_RANGES,
  MAX_SCHEDULED,
  MAX_SCHEDULED_ARGUMENT_BYTES,
} from "../../values/limits.ts";
import type { Json } from "../../values/types.ts";
import type { UsageLimit } from "./run-function.ts";

const METRICS: { name: string; counter: keyof Usage; limit: number }[] = [
  { name: "bytesRead", counter: "bytesRead", limit: MAX_BYTES_READ },
  { name: "bytesWritten", counter: "bytesWritten", limit: MAX_BYTES_WRITTEN },
  { name: "databaseQueries", counter: "indexRanges", limit: MAX_INDEX_RANGES },
  { name: "documentsRead", counter: "documentsRead", limit: MAX_DOCUMENTS_READ },
  { name: "documentsWritten", counter: "documentsWritten", limit: MAX_DOCUMENTS_WRITTEN },
  { name: "functionsScheduled", counter: "scheduled", limit: MAX_SCHEDULED },
  { name: "scheduledFunctionArgsBytes", counter: "scheduledArgumentBytes", limit: MAX_SCHEDULED_ARGUMENT_BYTES },
];

export function metricsOf(usage: Usage): Json {
  return Object.fromEntries(
    METRICS.map(({ name, counter, limit }) => [name, { used: usage[counter], remaining: Math.max(0, limit - usage[counter]) }]),
  );
}

export function limitOf(requested: Json | undefined, used: Usage): UsageLimit | null {
  if (typeof requested !== "object" || requested === null || Array.isArray(requested)) return null;
  const limits: UsageLimit = {};
  for (const { name, counter } of METRICS) {
    const limit = requested[name];
    if (typeof limit === "number") limits[counter] = used[counter] + limit;
  }
  return limits;
}

export function checkLimit(usage: Usage, limit: UsageLimit): void {
  for (const { name, counter } of METRICS) {
    const most = limit[counter];
    if (most !== undefined && usage[counter] > most) throw new Error(`This function call exceeded its transaction limit of ${name}.`);
  }
}
