/**
 * One HTTP port: runs a handler for each request and writes its reply.
 */
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { failure, type Reply } from "./reply.ts";

/** Bodies are timed where they are read (`body.ts`); these bound what comes before them. */
const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** A connection stays open for so much longer than clients are told, so that none sends a request into one that is just being closed. */
const KEEP_ALIVE_BUFFER_MS = 15_000;

export type ListenerOptions = {
  handle: (request: IncomingMessage) => Promise<Reply>;
  /** Added to every reply, also to failures. */
  headers: (request: IncomingMessage) => OutgoingHttpHeaders;
  report: (error: unknown) => void;
};

export function createListener(options: ListenerOptions): Server {
  const server = createServer(
    {
      requestTimeout: 0,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER_MS,
    },
    (request, response) => {
      void answer(request, response, options);
    },
  );
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ListenerOptions): Promise<void> {
  let reply: Reply;
  try {
    reply = await options.handle(request);
  } catch (error) {
    reply = failure(error, options.report);
  }
  await drained(request);
  try {
    await write(request, response, reply, options.headers(request));
  } catch (error) {
    // The client has gone, or the source of the body broke in the middle: all that is left to say is that it ended early.
    response.destroy(error instanceof Error ? error : undefined);
  }
}

/** How long a body that nobody wants may go on, before the answer is given regardless. */
const DRAIN_MS = 2_000;

/** Reads the rest of the body: a connection that is closed on unread bytes is reset, and the client never sees the answer. */
function drained(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    request.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    request.once("end", () => {
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });
}

async function write(request: IncomingMessage, response: ServerResponse, reply: Reply, extra: OutgoingHttpHeaders): Promise<void> {
  const headers: OutgoingHttpHeaders = { ...extra, ...reply.headers };
  // What is left of a body that nobody read would otherwise be taken for the next request's head.
  if (!request.complete) headers.Connection = "close";
  const { body } = reply;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) {
    if (body !== null) headers["Content-Length"] = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    response.writeHead(reply.status, headers);
    response.end(request.method === "HEAD" ? undefined : (body ?? undefined));
    return;
  }
  response.writeHead(reply.status, headers);
  if (request.method === "HEAD") {
    body.destroy();
    response.end();
    return;
  }
  await pipeline(body, response);
}

/** @throws when the port is taken or not allowed */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
