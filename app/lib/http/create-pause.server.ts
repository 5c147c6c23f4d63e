import { setImmediate } from "node:timers/promises";

const SLICE_MS = 5;

/** Returns a function to await between steps of long work. Once `SLICE_MS` have passed, it lets other work of the event loop run. */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
