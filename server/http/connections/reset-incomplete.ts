import type { IncomingMessage, ServerResponse } from "node:http";

/** Resets the connection after an incomplete body for HTTP/1.0 clients, for which a body ends with its connection. */
export function resetIncomplete(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMinor > 0) return;
  const destroy = response.destroy.bind(response);
  response.destroy = (error) => {
    if (response.headersSent && !response.writableEnded) request.socket.resetAndDestroy();
    return destroy(error);
  };
}
