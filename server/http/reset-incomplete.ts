import type { IncomingMessage, ServerResponse } from "node:http";

/** For HTTP/1.0 clients the body ends with the connection, so only a reset shows that it is incomplete. */
export function resetIncomplete(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMinor > 0) return;
  const destroy = response.destroy.bind(response);
  response.destroy = (error) => {
    if (response.headersSent && !response.writableEnded) request.socket.resetAndDestroy();
    return destroy(error);
  };
}
