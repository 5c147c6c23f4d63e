import { readFile, rm } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import type { ActionsData, FromActions, ToActions } from "./actions-protocol.ts";

type ActionsPort = {
  code: LoadedCode;
  env: Record<string, string>;
  isNode: boolean;
  post: (message: FromActions, transfer?: readonly (ReadableStream | ArrayBuffer)[]) => void;
  onMessage(listener: (message: ToActions) => void): void;
  /** Reports progress. Returns a negative number if the deployment has given up this thread. */
  beat: () => number;
  readStoredFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
};

export const actionsPort: ActionsPort = parentPort ? threadPort(parentPort) : await processPort();

function threadPort(port: NonNullable<typeof parentPort>): ActionsPort {
  const { code, env, heartbeat }: ActionsData = workerData.data;
  const progress = new Int32Array(heartbeat);
  return {
    code,
    env,
    isNode: false,
    post: (message, transfer = []) => port.postMessage(message, transfer as never),
    onMessage: (listener) => port.on("message", listener),
    beat: () => Atomics.add(progress, 0, 1),
    readStoredFile: readFile,
  };
}

async function processPort(): Promise<ActionsPort> {
  const { nodeStart, onMessage, post } = await import("../node/node-channel.ts");
  const { data, env } = await nodeStart;
  return {
    code: (data as { code: LoadedCode }).code,
    env,
    isNode: true,
    post,
    onMessage(listener) {
      onMessage((message) => {
        if ((message as { kind: string }).kind === "areYouReady") post({ kind: "ready" });
        else listener(message as ToActions);
      });
      post({ kind: "loaded" });
    },
    beat() {
      const { heapUsed, external } = process.memoryUsage();
      post({ kind: "beat", bytes: heapUsed + external });
      return 0;
    },
    async readStoredFile(path) {
      const bytes = await readFile(path);
      await rm(path, { force: true });
      return bytes;
    },
  };
}
