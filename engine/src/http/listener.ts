import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientAddress } from "./client-address.ts";
import type { MemoryBudget } from "../memory/budget.ts";
import { failure, type Reply } from "./reply.ts";
import { countRequest, countResponse } from "./request-memory.ts";

const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Connections stay open longer than announced, so that no client sends a request into a closing one. */
const KEEP_ALIVE_BUFFER_MS = 15_000;

export type ListenerOptions = {
  handle: (request: IncomingMessage) => Promise<Reply>;
  headers: (request: IncomingMessage) => OutgoingHttpHeaders;
  memory: MemoryBudget;
  clientAddress: ClientAddress;
  latencyMs?: number;
  report: (error: unknown) => void;
};

export function createListener(options: ListenerOptions): Server {
  const server = createServer(
    {
      requestTimeout: 0,
      // Ignores other upgrades, such as h2c of curl and Java (RFC 9110, section 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
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
  const handled = countRequest(request, response, options.memory.open(options.clientAddress(request)));
  const { latencyMs = 0 } = options;
  if (latencyMs > 0) await sleep(latencyMs / 2);
  let reply: Reply;
  try {
    reply = await options.handle(request);
    countResponse(request, lengthOf(reply.body));
  } catch (error) {
    reply = failure(error, options.report);
  }
  handled();
  await drained(request);
  if (latencyMs > 0) await sleep(latencyMs / 2);
  try {
    await write(request, response, reply, options.headers(request));
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined);
  }
}

const lengthOf = (body: Reply["body"]): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.byteLength : 0;

const DRAIN_MS = 2_000;

/** Drains the body: closing a connection with unread bytes resets it, and the client loses the response. */
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
  // An unread body would be parsed as the next request.
  if (!request.complete) headers.Connection = "close";
  const { body } = reply;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) {
    if (body !== null) headers["Content-Length"] = lengthOf(body);
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
  // For HTTP/1.0 clients the body ends with the connection, so only a reset shows that it is incomplete.
  if (request.httpVersionMinor === 0) body.once("error", () => request.socket.resetAndDestroy());
  await pipeline(body, response);
}

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
