import type { IncomingMessage, ServerResponse } from "node:http";

/** Beyond this many bytes it is cheaper to close the connection than to listen to the rest. */
const PATIENCE = 256 * 1024 * 1024;

/**
 * Reads to its end, and throws away, what a request still sends when it has been answered already: an upload that is refused by its address
 * alone, say. Left unread it would stand in front of the next request of the same connection, which then waits forever; and a browser that
 * is cut off while it still sends shows an error of its own instead of our answer.
 */
export function discardUnread(request: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    if (request.complete) return;
    let left = PATIENCE;
    // Whoever read so far pauses the stream once it has enough, and wants no more of it.
    request.removeAllListeners("data");
    request.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) request.destroy();
    });
    request.resume();
  });
}
