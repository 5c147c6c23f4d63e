import type { Worker } from "node:worker_threads";
import type { StoredFile } from "../transactor/transactor-protocol.ts";
import type { ActionsData, FromActions, ToActions } from "./actions-protocol.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import { OUT_OF_MEMORY } from "../error-messages.ts";
import { MAX_EXTERNAL_BYTES, threadMemory } from "../thread-usage.ts";
import { startThread } from "../thread.ts";
import { BlockedTime } from "./blocked-time.ts";

const HEAP_MIB = 512;

export type ActionsRuntime = {
  post(message: ToActions, transfer: readonly ReadableStream[]): void;
  memory(): Promise<{ bytes: number; isOverLimit: boolean }>;
  outOfMemory: string;
  blocked: Pick<BlockedTime, "start" | "close" | "ms">;
  provideFile(file: StoredFile): Promise<StoredFile>;
  end(): Promise<unknown>;
};

export type RuntimeEvents = {
  onMessage: (message: FromActions) => void;
  onOutOfMemory: () => void;
  onEnd: () => void;
};

export type StartRuntime = (events: RuntimeEvents) => ActionsRuntime;

export function startActionsThread(dir: string, code: LoadedCode, env: Record<string, string>, events: RuntimeEvents): ActionsRuntime {
  const heartbeat = new SharedArrayBuffer(4);
  const data: ActionsData = { code, env, heartbeat };
  const worker: Worker = startThread(dir, new URL("./actions-worker.ts", import.meta.url), data, {
    // Not the deployment's variables, because NODE_OPTIONS would keep the thread from starting.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  worker.on("message", events.onMessage);
  worker.on("error", ({ code }: Error & { code?: string }) => {
    if (code === "ERR_WORKER_OUT_OF_MEMORY") events.onOutOfMemory();
  });
  worker.on("exit", events.onEnd);
  return {
    // Node transfers streams, but its types do not list them.
    post: (message, transfer) => worker.postMessage(message, transfer as never),
    async memory() {
      const { heap, external } = await threadMemory(worker);
      return { bytes: heap + external, isOverLimit: external > MAX_EXTERNAL_BYTES };
    },
    outOfMemory: OUT_OF_MEMORY,
    blocked: new BlockedTime(worker, heartbeat),
    provideFile: async (file) => file,
    end: () => worker.terminate(),
  };
}
