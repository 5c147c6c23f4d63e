import { copyFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { elapsed } from "../../elapsed.ts";
import type { FromActions, ToActions } from "../actions/actions-protocol.ts";
import type { ActionsRuntime, RuntimeEvents } from "../actions/actions-runtime.ts";
import { LOAD_TIMEOUT_MS, NOTICED_MS, WAITING_SHARE } from "../actions/blocked-time.ts";
import { NODE_OUT_OF_MEMORY } from "../error-messages.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import { NodeProcess, type NodeSettings } from "./node-process.ts";
import { processBytes, processCpuMs } from "./process-usage.ts";

/** docs.convex.dev/production/state/limits: memory of Node.js actions. */
const MAX_BYTES = 512 * 1024 * 1024;

type FromNode = FromActions | { kind: "loaded" } | { kind: "beat"; bytes: number } | { kind: "ready" };
type ToNode = ToActions | { kind: "areYouReady" };

type NodeRuntimeOptions = {
  dir: string;
  code: LoadedCode;
  env: Record<string, string>;
  settings: NodeSettings;
  warn: (line: string) => void;
};

export function startNodeRuntime({ dir, code, env, settings, warn }: NodeRuntimeOptions, events: RuntimeEvents): ActionsRuntime {
  const startedAt = elapsed();
  let state: "loading" | "waiting" | "ready" | "closed" = "loading";
  let unsent: ToActions[] = [];
  let lastMessageAt = startedAt;
  let cpuAtNotice = NaN;
  let reportedBytes = 0;
  let isEnding = false;

  const flush = (): void => {
    if (state === "closed") return;
    state = "ready";
    for (const message of unsent) child.send(message);
    unsent = [];
  };
  const receive = (message: FromNode): void => {
    lastMessageAt = elapsed();
    cpuAtNotice = NaN;
    if (message.kind === "beat") reportedBytes = message.bytes;
    else if (message.kind === "loaded" || message.kind === "ready") flush();
    else events.onMessage(message);
  };
  const child = new NodeProcess({
    dir,
    entry: new URL("./node-actions-entry.ts", import.meta.url),
    code: { root: code.root, packages: code.packages },
    env,
    settings,
    data: { code },
    onMessage: (message) => receive(message as FromNode),
  });
  void child.exited.then(({ errors }) => {
    if (/out of memory/i.test(errors)) events.onOutOfMemory();
    else if (state === "loading" && !isEnding) warn(`The process for Node.js actions has not started. ${errors}`.trim());
    events.onEnd();
  });

  return {
    post(message) {
      if (state === "ready") child.send(message);
      else unsent.push(message);
    },
    async memory() {
      const bytes = (await processBytes(child.pid)) ?? reportedBytes;
      return { bytes, isOverLimit: bytes > MAX_BYTES };
    },
    outOfMemory: NODE_OUT_OF_MEMORY,
    blocked: {
      // A process that is still blocked by earlier work does not answer, and gets no new work.
      start() {
        lastMessageAt = elapsed();
        cpuAtNotice = NaN;
        if (state !== "ready") return;
        state = "waiting";
        child.send({ kind: "areYouReady" } satisfies ToNode);
      },
      close() {
        if (state !== "waiting") return false;
        state = "closed";
        unsent = [];
        return true;
      },
      async ms() {
        if (state === "loading") return elapsed() - startedAt > LOAD_TIMEOUT_MS ? Infinity : 0;
        if (elapsed() - lastMessageAt < NOTICED_MS) return 0;
        const cpuMs = await processCpuMs(child.pid);
        // Messages that waited while this thread was busy have arrived meanwhile.
        const wallMs = elapsed() - lastMessageAt;
        if (wallMs < NOTICED_MS) return 0;
        if (cpuMs === null) return wallMs;
        if (Number.isNaN(cpuAtNotice)) cpuAtNotice = cpuMs;
        return Math.max(Math.min(cpuMs - cpuAtNotice, wallMs), wallMs * WAITING_SHARE);
      },
    },
    async provideFile(file) {
      const path = join(child.temporary, randomUUID());
      // A file can move between the disk and a bucket: reading the missing copy then makes the action ask again.
      await copyFile(file.path, path).catch((error: unknown) => {
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      });
      return { ...file, path };
    },
    end() {
      isEnding = true;
      return child.end();
    },
  };
}
