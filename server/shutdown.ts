import type { Server } from "node:http";
import type { Log } from "./log.ts";

/** How long requests in flight may take to finish once we have been told to stop, in ms. A container is killed after 10 s. */
const GRACE = 8000;

/**
 * Stops without breaking anything off: takes no new connection, tells the websockets that we are going, lets requests in flight finish, and only
 * then stops what they need.
 * @param parts `goAway` lets go of the open websockets; `close` stops what requests need (the deployment)
 */
export async function shutDown(server: Server, parts: { goAway(): void; close(): Promise<void> }, log: Log): Promise<void> {
  log.info("stopping: finishing the requests in flight");
  server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  parts.goAway();
  // A connection that a request in flight leaves idle is not closed by itself.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => {
    log.warn("requests in flight did not finish in time: their connections are closed");
    server.closeAllConnections();
  }, GRACE);
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
  await parts.close();
  log.info("stopped");
}

/** Calls `stop` once at SIGTERM or SIGINT and ends the process with 0 when it is done; a second signal ends it at once. */
export function onStopSignal(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const signalled = (signal: NodeJS.Signals) => {
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
}
