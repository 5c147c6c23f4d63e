/** Long poll for `convex logs` and `convex dev` (`convex/src/cli/lib/logs.ts`, `generatedFunctionLogsApi.ts`). */
import { newRequestId } from "../functions/request-id.ts";
import type { FunctionLog, FunctionRunner } from "../functions/types.ts";
import type { FunctionType, Json } from "../values/types.ts";

const KEPT_RUNS = 1_000;
const POLL_MS = 30_000;

type Entry = { cursor: number; log: FunctionLog; json: Json };

export interface LogStream {
  /** Returns runs after the cursor, or waits for one. Cursor 0 returns the end without waiting. */
  poll(cursor: number, signal: AbortSignal): Promise<{ entries: Json[]; newCursor: number }>;
  close(): void;
}

export function createLogStream(runner: FunctionRunner): LogStream {
  const entries: Entry[] = [];
  const waiting = new Set<() => void>();
  let last = 0;
  const stopListening = runner.onLog((log) => {
    // The command line expects milliseconds; the cursor only has to increase.
    last = Math.max(last + 1, Date.now());
    entries.push({ cursor: last, log, json: null });
    if (entries.length > KEPT_RUNS) entries.shift();
    for (const wake of waiting) wake();
  });

  const after = (cursor: number) => ({
    entries: entries.filter((entry) => entry.cursor > cursor).map((entry) => (entry.json ??= completion(entry.log))),
    newCursor: Math.max(cursor, last),
  });

  return {
    async poll(cursor, signal) {
      if (cursor === 0) return { ...after(0), newCursor: last === 0 ? Date.now() - 1 : last };
      if (last <= cursor) await nextEntry(waiting, signal);
      return after(cursor);
    },
    close() {
      stopListening();
      for (const wake of waiting) wake();
    },
  };
}

function nextEntry(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, POLL_MS);
    signal.addEventListener("abort", wake);
    waiting.add(wake);
  });
}

const TYPE_NAMES: Record<FunctionType, string> = { query: "Query", mutation: "Mutation", action: "Action", httpAction: "HttpAction" };
const IDENTITY_NAMES: Record<FunctionLog["identity"], string> = { none: "unknown", user: "user", admin: "instance_admin" };

const NO_USAGE = {
  databaseReadBytes: 0,
  databaseWriteBytes: 0,
  databaseIoReadBytes: 0,
  databaseIoWriteBytes: 0,
  databaseReadDocuments: 0,
  databaseWriteDocuments: 0,
  databaseWriteIndexRows: 0,
  storageReadBytes: 0,
  storageWriteBytes: 0,
  vectorIndexReadBytes: 0,
  vectorIndexWriteBytes: 0,
  textIndexQueryBytes: 0,
  textIndexWriteQueryBytes: 0,
  vectorIndexReadQueryBytes: 0,
  vectorIndexWriteQueryBytes: 0,
  networkEgressBytes: 0,
  memoryUsedMb: 0,
};

function completion(log: FunctionLog): Json {
  const requestId = log.requestId ?? newRequestId();
  const endedAt = log.startedAt + log.durationMs;
  return {
    kind: "Completion",
    udfType: TYPE_NAMES[log.type],
    componentPath: log.component === "" ? null : log.component,
    identifier: log.path,
    logLines: log.logLines,
    timestamp: endedAt / 1000,
    executionTimestamp: log.startedAt / 1000,
    executionTime: log.durationMs / 1000,
    userExecutionTime: null,
    cachedResult: false,
    caller: "Unknown",
    parentExecutionId: null,
    success: null,
    error: log.error,
    requestId,
    executionId: requestId,
    usageStats: NO_USAGE,
    returnBytes: null,
    occInfo: null,
    willRetry: false,
    identityType: IDENTITY_NAMES[log.identity],
    environment: "isolate",
  };
}
