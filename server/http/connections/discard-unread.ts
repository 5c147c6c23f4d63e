import type { IncomingMessage, ServerResponse } from "node:http";

/** Above this it is cheaper to close the connection. */
const MAX_DISCARDED_BYTES = 256 * 1024 * 1024;

/** Discards the unread body of an answered request. Otherwise it blocks the connection, or the browser shows its own error. */
export function discardUnread(request: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    if (request.complete) return;
    let remaining = MAX_DISCARDED_BYTES;
    request.removeAllListeners("data");
    request.on("data", (chunk: Buffer) => {
      remaining -= chunk.length;
      if (remaining < 0) request.destroy();
    });
    request.resume();
  });
}
