import type { Server } from "node:http";
import { closing } from "../engine/src/http/closing.ts";
import type { Log } from "./log.ts";

/** How long requests in flight may take to finish once we have been told to stop, in ms. A container is killed after 10 s. */
const GRACE = 8000;
/**
 * How long a connection on which nothing goes on is kept then, in ms: its next request may be on its way already, and is answered with the word
 * that the connection ends. A client that was never told so must not find it closed under its hands.
 */
const LAST_CALL = 500;

export type Parts = {
  /** Tells balancers to send nobody here any more, and resolves when they have had time to notice. */
  announce?: () => Promise<void>;
  /** Lets go of the open websockets. */
  goAway: () => void;
  /** Stops what requests need. */
  close: () => Promise<void>;
};

/**
 * Makes a server that can be stopped without breaking anything off: it takes no new connection, tells the websockets that we are going, lets
 * requests in flight finish, and only then stops what they need.
 * @param server not listening yet
 * @returns the function that stops it
 */
export function stoppable(server: Server, { announce, goAway, close }: Parts, log: Log): () => Promise<void> {
  const end = closing(server, {
    lastCallMs: LAST_CALL,
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

/**
 * Calls `stop` once at SIGTERM or SIGINT and ends the process with 0 when it is done; a second signal ends it at once. npm does not pass on
 * a SIGTERM of its own, it just dies: whoever stops `npm start` means the server, so the end of the parent is such a signal too.
 */
export function onStopSignal(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const signalled = (signal: NodeJS.Signals | "orphaned") => {
    if (stopping && signal === "orphaned") return;
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "asked to stop");
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
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && signalled("orphaned"), 500).unref();
}
