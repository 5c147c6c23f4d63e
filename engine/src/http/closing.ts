/**
 * Ending an HTTP server without breaking anything off. Node's own `Server.close` ends idle connections at once (`closeIdleConnections`), also one
 * on which the next request is on its way already: its client sees a connection reset and cannot know whether it was worked on.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type ClosingOptions = {
  /** How long an idle connection is kept, in ms: its next request may be on its way, and is answered with the word that the connection ends. */
  lastCallMs: number;
  /** Told when the time was over before the requests were: their connections are broken off now. */
  onLate?: () => void;
};

/**
 * Watches a server's connections from now on.
 * @param server not listening yet
 * @returns ends it: no new connection is taken, requests in flight go on for `graceMs`, idle connections hear the last call; resolves when all have gone
 */
export function closing(server: Server, { lastCallMs, onLate }: ClosingOptions): (graceMs: number) => Promise<void> {
  const open = new Set<Socket>();
  /** What each connection still has to answer, in the order of its requests (they may be pipelined); a websocket is none of these. */
  const unanswered = new Map<Duplex, Set<ServerResponse>>();
  let ending = false;

  const isIdle = (socket: Duplex) => unanswered.get(socket)?.size === 0;
  const lastCall = (socket: Duplex) => {
    // After the timer's turn what has arrived meanwhile is read, and only then is it judged: a process that was held up breaks nothing off.
    setTimeout(() => setImmediate(() => isIdle(socket) && socket.destroy()), lastCallMs);
  };
  /** The word that a connection ends stands in its last answer: after it no other is sent (RFC 9112, 9.6). */
  const sayClose = (responses: Set<ServerResponse>) => {
    const [last, ...earlier] = [...responses].toReversed();
    for (const each of earlier) if (!each.headersSent) each.removeHeader("Connection");
    if (last && !last.headersSent) last.setHeader("Connection", "close");
  };

  server.on("connection", (socket: Socket) => {
    open.add(socket);
    unanswered.set(socket, new Set());
    socket.once("close", () => {
      open.delete(socket);
      unanswered.delete(socket);
    });
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = unanswered.get(socket);
    if (!responses) return;
    responses.add(response);
    if (ending) sayClose(responses);
    response.once("close", () => {
      responses.delete(response);
      if (ending && responses.size === 0) lastCall(socket);
    });
  });
  // From here on it belongs to whoever speaks on it, who knows how to take leave.
  server.prependListener("upgrade", ({ socket }: IncomingMessage) => unanswered.delete(socket));

  return async (graceMs) => {
    ending = true;
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const [socket, responses] of unanswered) {
      if (responses.size === 0) lastCall(socket);
      else sayClose(responses);
    }
    const late = setTimeout(() => {
      onLate?.();
      for (const socket of open) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(late);
  };
}
