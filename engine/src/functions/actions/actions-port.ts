import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import type { ActionsData, FromActions, ToActions } from "./actions-protocol.ts";

export type ActionsPort = {
  code: LoadedCode;
  env: Record<string, string>;
  isNode: boolean;
  post: (message: FromActions, transfer?: readonly (ReadableStream | ArrayBuffer)[]) => void;
  onMessage(listener: (message: ToActions) => void): void;
  /** Reports progress. Returns a negative number if the deployment has given up this thread. */
  beat: () => number;
  readStoredFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
};

let provided: ActionsPort | null = null;

/** Called by the process of Node.js actions (`../node/node-actions-entry.ts`). */
export function provideActionsPort(port: ActionsPort): void {
  provided = port;
}

/** Returns the port to the deployment: that of the process if it has one, otherwise that of this thread. */
export function actionsPort(): ActionsPort {
  if (provided) return provided;
  if (!parentPort) throw new Error("This process is not connected to the deployment.");
  return threadPort(parentPort);
}

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
