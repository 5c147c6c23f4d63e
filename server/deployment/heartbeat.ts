import type { Log } from "../logging/log.ts";

const TICK_MS = 1000;
const SILENT_MS = 30_000;
const REMOTE_EVERY_MS = 10_000;

export type Heartbeat = { beat(): void; stop(): void };

/** Calls `onSilence` after 30 s without a beat. A late tick counts as two at most, because our own process may have slept. */
export function watchHeartbeat(onSilence: () => void, now: () => number = performance.now.bind(performance)): Heartbeat {
  let silent = 0;
  let last = now();
  const timer = setInterval(() => {
    const elapsed = now() - last;
    last += elapsed;
    silent += Math.min(elapsed, 2 * TICK_MS);
    if (silent < SILENT_MS) return;
    clearInterval(timer);
    onSilence();
  }, TICK_MS).unref();
  return {
    beat: () => {
      silent = 0;
    },
    stop: () => clearInterval(timer),
  };
}

/** Logs when a remote deployment stops responding for 30 s and when it responds again. Returns the stop function. */
export function watchRemote(url: string, log: Log): () => void {
  let heartbeat: Heartbeat | null = null;
  const listen = () => {
    heartbeat = watchHeartbeat(() => {
      heartbeat = null;
      log.error({ deployment: url }, "the deployment has not answered for 30 s");
    });
  };
  const requestHeartbeat = async () => {
    const answered = await fetch(`${url}/version`, { signal: AbortSignal.timeout(REMOTE_EVERY_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!answered) return;
    heartbeat?.beat();
    if (heartbeat) return;
    log.info({ deployment: url }, "the deployment responds again");
    listen();
  };
  listen();
  const timer = setInterval(() => void requestHeartbeat(), REMOTE_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    heartbeat?.stop();
  };
}
