/** Graceful shutdown. Node's `Server.close` closes idle connections at once, which resets requests that are in transit. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type ClosingOptions = {
  /** Milliseconds that an idle connection stays open for a request in transit. The response announces the close. */
  lastCallMs: number;
  onLate?: () => void;
};

/** Prepares a graceful close, before the server listens. The returned function closes it and resolves when all connections are closed. */
export function closeGracefully(server: Server, { lastCallMs, onLate }: ClosingOptions): (graceMs: number) => Promise<void> {
  const open = new Set<Socket>();
  /** Unsent responses by connection, in request order (pipelining). Excludes websockets. */
  const unanswered = new Map<Duplex, Set<ServerResponse>>();
  let ending = false;

  const isIdle = (socket: Duplex) => unanswered.get(socket)?.size === 0;
  const lastCall = (socket: Duplex) => {
    // Reads first: data may have arrived while the process was stalled, and that request must not be aborted.
    setTimeout(() => setImmediate(() => isIdle(socket) && socket.destroy()), lastCallMs);
  };
  /** Announces the close in a connection's last response only (RFC 9112, 9.6). */
  const announceClose = (responses: Set<ServerResponse>) => {
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
    if (ending) announceClose(responses);
    response.once("close", () => {
      responses.delete(response);
      if (ending && responses.size === 0) lastCall(socket);
    });
  });
  server.prependListener("upgrade", ({ socket }: IncomingMessage) => unanswered.delete(socket));

  return async (graceMs) => {
    ending = true;
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const [socket, responses] of unanswered) {
      if (responses.size === 0) lastCall(socket);
      else announceClose(responses);
    }
    const timer = setTimeout(() => {
      onLate?.();
      for (const socket of open) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(timer);
  };
}
