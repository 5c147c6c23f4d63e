import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export const LARGE_MESSAGE_BYTES = 256 * 1024;
const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

/** Returns a function that collects garbage after large messages. Otherwise V8 lets several hundred megabytes of them accumulate. */
export function garbageCollector(): (receivedBytes: number) => void {
  let collect: (() => void) | null = null;
  let bytes = 0;
  return (receivedBytes) => {
    bytes += receivedBytes;
    if (bytes < COLLECT_AFTER_BYTES) return;
    bytes = 0;
    collect ??= exposedCollector();
    collect();
  };
}

/** Gets V8's `gc`, which Node does not export, from a separate context, so that functions cannot access it. */
function exposedCollector(): () => void {
  setFlagsFromString("--expose-gc");
  try {
    const found: unknown = runInNewContext("gc");
    return typeof found === "function" ? () => void found({ type: "major", execution: "sync", flavor: "last-resort" }) : () => undefined;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
