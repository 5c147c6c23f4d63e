import { readFile, rm } from "node:fs/promises";
import { provideActionsPort } from "../actions/actions-port.ts";
import type { ToActions } from "../actions/actions-protocol.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import { nodeStart, onMessage, post } from "./node-channel.ts";

const { data, env } = await nodeStart;
const { code } = data as { code: LoadedCode };

provideActionsPort({
  code,
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
});
await import("../actions/actions-worker.ts");
