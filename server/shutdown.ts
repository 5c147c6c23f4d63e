import type { Server } from "node:http";
import { closeGracefully } from "@atelier/engine/close-gracefully";
import { releaseEarlyStop, startedBy } from "./early-stop.js";
import type { Log } from "./logging/log.ts";

/** Milliseconds. Containers are killed after 10 s. */
const GRACE = 8000;
const IDLE_GRACE = 500;

export type ShutdownOptions = {
  announce?: () => Promise<void>;
  goAway: () => void;
  close: () => Promise<void>;
};

/** Makes a server that stops without interrupting requests. Call it before `listen`. Returns the stop function. */
export function stoppable(server: Server, { announce, goAway, close }: ShutdownOptions, log: Log): () => Promise<void> {
  const end = closeGracefully(server, {
    lastCallMs: IDLE_GRACE,
    onLate: () => log.warn("requests in flight did not finish in time: their connections are closed"),
  });
  return async () => {
    await announce?.();
    log.info("stopping: finishing the requests in flight");
    const ended = end(GRACE);
    goAway();
    await ended;
    await close();
    log.info("stopped");
  };
}

/** Stops once at SIGTERM, SIGINT or the parent's end, because npm dies at SIGTERM without forwarding it. A second signal exits at once. */
export function onStopSignal(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const signalled = (signal: NodeJS.Signals | "orphaned") => {
    if (stopping && signal === "orphaned") return;
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "received a stop signal");
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error: String(error) }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", signalled);
  process.on("SIGINT", signalled);
  releaseEarlyStop();
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== startedBy && signalled("orphaned"), 500).unref();
}
