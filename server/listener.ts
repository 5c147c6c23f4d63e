import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { clientAddress, markClientAddress } from "./client-address.ts";
import { compressed } from "./compress.ts";
import { Forward } from "./forward.ts";
import { guarded, guardsFor, turnAway } from "./guards.ts";
import { createTurnstile, limitBodyTime, limitConnections } from "./limits.ts";
import type { Log } from "./log.ts";
import { answerOperations, type Operations } from "./operations.ts";
import { requestOrigin } from "./origin.ts";
import { readable } from "./path.ts";
import type { ServeAsset } from "./static.ts";
import { discardUnread } from "./unread.ts";

/** The app, as `app/server.ts` makes it. */
type Fetch = (request: Request, info: { clientAddress: string }) => Promise<Response>;

export type Parts = {
  fetch: Fetch;
  /** Files of the build. */
  serveAsset: ServeAsset;
  /** To the embedded deployment; null: the browser reaches a remote one by itself. */
  forward: Forward | null;
  /** The one origin we are served under; null: any loopback host. */
  appUrl: URL | null;
  trustedProxyHops: number;
  /** What whoever runs this may ask; nobody, when left out. */
  operations?: Operations;
  /** Other limits than those of production, for tests. */
  limits?: { connections?: number; inFlight?: number; bodyTimeout?: number; headersTimeout?: number };
  /** Who sees a request before the app does, and calls `next` for what is none of theirs (the development server). */
  before?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Upgrades that somebody else answers (the development server's own). */
  ownUpgrade?: (request: IncomingMessage) => boolean;
  log: Log;
};

/** A browser's slow line may take this long for a large upload, in ms; headers come at once or not at all. */
const REQUEST_TIMEOUT = 30 * 60_000;
const HEADERS_TIMEOUT = 20_000;
/** Longer than a proxy keeps its own end open, so that it never writes to a connection that we just closed. */
const KEEP_ALIVE_TIMEOUT = 75_000;
/** A connection on which nothing moves, in ms. */
const IDLE_TIMEOUT = 120_000;
/** How often connections are looked at for these times, in ms. */
const CHECKING_INTERVAL = 5000;
/** A connection's requests; then it is closed in order, so that a balancer's are spread anew from time to time. */
const REQUESTS_PER_CONNECTION = 10_000;
const HEADER_BYTES = 16 * 1024;
/** What a program's call may have in bytes; it is read into memory as a whole. */
const BODY_BYTES = 1024 * 1024;
/** Where files are taken, which have limits of their own and are read as they come. */
const TAKES_FILES = /^\/(?:uploads(?:\/[^/]+)?|design\/[^/]+|account)(?:\.data)?$/;
/** Forms of pages, which measure what comes themselves, and refuse too much of it with a screen that says so (`app/http/form.server.ts`). */
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
const NO_PAGE = /^\/(?:api|uploads)(?:\/|$)/;
/** Longer addresses than this are no one's bookmark. */
const URL_LENGTH = 8 * 1024;

/** The HTTP server around the app: who answers which address, and the limits before any of them sees a request. It does not listen yet. */
export function createListener(parts: Parts): Server {
  const { appUrl, forward, log, limits = {}, operations = { readiness: null, metrics: null } } = parts;
  const guards = guardsFor(appUrl);
  const plain = { ...guards, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  const app = createRequestListener(
    async (request) => {
      const answer = Forward.owns(new URL(request.url).pathname)
        ? deployment(request)
        : parts.fetch(request, { clientAddress: clientAddress(request) });
      return compressed(request, guarded(await answer, guards));
    },
    {
      ...(appUrl && { host: appUrl.host, protocol: appUrl.protocol }),
      onError(error) {
        log.error({ error: error instanceof Error ? error.stack : String(error) }, "a request failed outside the app");
        return new Response("Something went wrong.\n", { status: 500, headers: plain });
      },
    },
  );
  const deployment = (request: Request) => forward?.fetch(request) ?? new Response("Not found\n", { status: 404, headers: plain });

  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    headersTimeout: limits.headersTimeout ?? HEADERS_TIMEOUT,
    connectionsCheckingInterval: Math.min(CHECKING_INTERVAL, limits.headersTimeout ?? CHECKING_INTERVAL),
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
  });
  server.setTimeout(IDLE_TIMEOUT);
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  limitConnections(server, limits.connections);
  const enter = createTurnstile(limits.inFlight);
  /** The last answer of each connection. */
  const answering = new WeakMap<Duplex, ServerResponse>();

  server.on("request", (request, response) => {
    answering.set(request.socket, response);
    if (answerOperations(operations, request, response, guards)) return;
    const refusal = refuse(request, appUrl);
    if (refusal) {
      response.writeHead(refusal.status, { ...plain, ...refusal.headers, Connection: "close" }).end(`${refusal.why}\n`);
      return;
    }
    request.url = readable(request.url ?? "");
    const path = pathOf(request);
    if (parts.serveAsset(request, response, path, guards)) return;
    markClientAddress(request, parts.trustedProxyHops);
    discardUnread(request, response);
    if (!takesFiles(request, path)) {
      // Without a length there is no telling how much of it would have to be held. No browser's form comes so.
      const measured = isPageForm(request, path);
      if (request.headers["transfer-encoding"] !== undefined && !measured) {
        response.writeHead(411, plain).end("The length is missing.\n");
        return;
      }
      if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES && !measured) {
        response.writeHead(413, plain).end("This is more than a form holds.\n");
        return;
      }
      limitBodyTime(request, response, guards, limits.bodyTimeout);
    }
    if (!enter(response)) {
      response.writeHead(503, { ...plain, "Retry-After": "5" }).end("Too many requests at a time. Try again in a moment.\n");
      return;
    }
    const toApp = () => app(request, response);
    if (parts.before) parts.before(request, response, toApp);
    else toApp();
  });

  server.on("upgrade", (request, socket, head) => {
    if (parts.ownUpgrade?.(request)) return;
    socket.on("error", () => socket.destroy());
    const refusal = refuse(request, appUrl) ?? refuseForeign(request, appUrl);
    if (refusal) return turnAway(socket, refusal.status, guards);
    request.socket.setTimeout(0);
    if (!forward?.upgrade(request, socket, head, guards)) turnAway(socket, 404, guards);
  });

  // As Node itself answers what is no request, or comes too slowly, and with the guards.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket);
    const begun = response?.headersSent && !response.writableFinished;
    if (!socket.writable || begun) return void socket.destroy(error);
    socket.once("finish", () => socket.destroy());
    turnAway(socket, FAULTS[error.code ?? ""] ?? 400, guards);
  });
  return server;
}

/** What Node's parser finds wrong, and the status for it (RFC 9110, 15.5; RFC 6585, 5). */
const FAULTS: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

type Refusal = { status: 400 | 403 | 405 | 414 | 421; why: string; headers?: Record<string, string> };

/** Methods that no `Request` can have (Fetch, 2.2.1, "forbidden method"), and that would tell a page what its browser adds for us alone. */
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

function refuse(request: IncomingMessage, appUrl: URL | null): Refusal | null {
  const target = request.url ?? "";
  if (target.length > URL_LENGTH) return { status: 414, why: "The address is too long." };
  // Only the origin form has a meaning here (RFC 9112, 3.2); "//host/…" would be read as another host by whoever resolves it.
  if (!target.startsWith("/") || target.startsWith("//")) return { status: 400, why: "The address is not understood." };
  // The first of several would be believed here, and perhaps another one by a proxy in front (RFC 9112, 3.2).
  if (request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length > 1)
    return { status: 400, why: "The name of this server stands there twice." };
  if (requestOrigin(request, appUrl) === null)
    return { status: 421, why: "This server is not known under this name. Set APP_URL to the address people use." };
  if (FORBIDDEN_METHODS.has(request.method ?? ""))
    return { status: 405, why: "There is no such method here.", headers: { Allow: "GET, HEAD, POST" } };
  return null;
}

/** Whether it brings files to an address that takes them, which has limits of its own. */
const takesFiles = (request: IncomingMessage, path: string): boolean =>
  TAKES_FILES.test(path) && /^(?:multipart\/form-data|application\/offset\+octet-stream)\b/i.test(request.headers["content-type"] ?? "");

const isPageForm = (request: IncomingMessage, path: string): boolean =>
  FORM.test(request.headers["content-type"] ?? "") && !NO_PAGE.test(path);

/** A browser always says from where a page opens a websocket; a program that says nothing brings no one's cookies either. */
function refuseForeign(request: IncomingMessage, appUrl: URL | null): Refusal | null {
  const { origin } = request.headers;
  return origin === undefined || origin === requestOrigin(request, appUrl) ? null : { status: 403, why: "Another site may not connect." };
}

const pathOf = (request: IncomingMessage) => (request.url ?? "").split("?", 1)[0] ?? "";
