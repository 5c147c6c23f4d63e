import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { clientAddress, markClientAddress } from "./client-address.ts";
import { compressResponse } from "./compress.ts";
import { DeploymentForwarder } from "./forwarding/forward.ts";
import { withGuards, type Guards, guardsFor, rejectSocket, withNoTransform } from "./guards.ts";
import { createRequestLimit, limitBodyTime, limitConnections } from "./connections/connection-limits.ts";
import type { Log } from "../logging/log.ts";
import { answerOperations, type Operations } from "./operations/operations.ts";
import { createProxyWatch } from "./forwarding/proxy-problems.ts";
import { type OriginSettings, requestOrigin } from "./request-origin.ts";
import { escapeUnreadablePath } from "./readable-path.ts";
import type { ServeAsset } from "./static-files.ts";
import { discardUnread } from "./connections/discard-unread.ts";
import { resetIncomplete } from "./connections/reset-incomplete.ts";

type Fetch = (request: Request, info: { clientAddress: string }) => Promise<Response>;

export type ListenerOptions = OriginSettings & {
  fetch: Fetch;
  serveAsset: ServeAsset;
  forward: DeploymentForwarder | null;
  operations?: Operations;
  limits?: { connections?: number; inFlight?: number; bodyTimeout?: number; headersTimeout?: number };
  before?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  ownUpgrade?: (request: IncomingMessage) => boolean;
  onProxyProblem?: (text: string) => void;
  log: Log;
};

const REQUEST_TIMEOUT = 30 * 60_000;
const HEADERS_TIMEOUT = 20_000;
/** Longer than a proxy's own timeout, so that it never writes to a connection we just closed. */
const KEEP_ALIVE_TIMEOUT = 75_000;
const IDLE_TIMEOUT = 120_000;
const CHECKING_INTERVAL = 5000;
const REQUESTS_PER_CONNECTION = 10_000;
const HEADER_BYTES = 16 * 1024;
const BODY_BYTES = 1024 * 1024;
/** Upload addresses stream and have their own limits. */
const UPLOAD_PATHS =
  /^\/(?:share|projects|uploads(?:\/[^/]+)?|design\/[^/]+(?:\/images\/[^/]+)?(?:\/comments)?|account|api\/v1\/designs\/[^/]+\/images)(?:\.data)?$/;
/** Page forms limit themselves and render an error (`app/lib/http/forms/form.server.ts`). */
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
const NO_PAGE = /^\/(?:api|uploads)(?:\/|$)/;
const URL_LENGTH = 8 * 1024;

export function createListener(options: ListenerOptions): Server {
  const { origins, limits = {}, operations = { readiness: null, metrics: null } } = options;
  const sites = new Map(origins.map((origin) => [origin, createSite(options, origin)]));
  const fallback = sites.values().next().value ?? createSite(options, null);

  const server = createServer({
    // Ignores other upgrades, such as h2c of curl and Java (RFC 9110, section 7.8).
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    maxHeaderSize: HEADER_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    headersTimeout: limits.headersTimeout ?? HEADERS_TIMEOUT,
    connectionsCheckingInterval: Math.min(CHECKING_INTERVAL, limits.headersTimeout ?? CHECKING_INTERVAL),
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    requireHostHeader: false,
  });
  server.setTimeout(IDLE_TIMEOUT);
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  limitConnections(server, limits.connections);
  const enter = createRequestLimit(limits.inFlight);
  const answering = new WeakMap<Duplex, ServerResponse>();
  const watchProxy = createProxyWatch(options, options.log, options.onProxyProblem);

  server.on("request", (request, response) => {
    answering.set(request.socket, response);
    const origin = requestOrigin(request, options);
    const { app, guards, plain } = sites.get(origin ?? "") ?? fallback;
    if (!isHostMissing(request) && answerOperations(operations, request, response, guards)) return;
    watchProxy(request, origin);
    const refusal = refuse(request, origin);
    if (refusal) {
      response.writeHead(refusal.status, { ...plain, ...refusal.headers, Connection: "close" }).end(`${refusal.reason}\n`);
      return;
    }
    request.url = escapeUnreadablePath(request.url ?? "");
    const path = pathOf(request);
    if (options.serveAsset(request, response, path, guards)) return;
    markClientAddress(request, options.trustedProxyHops);
    discardUnread(request, response);
    resetIncomplete(request, response);
    if (!takesFiles(request, path)) {
      // A body without a length cannot be limited in advance. No browser sends a form like this.
      const measured = isPageForm(request, path);
      if (request.headers["transfer-encoding"] !== undefined && !measured) {
        response.writeHead(411, plain).end("The Content-Length header is missing.\n");
        return;
      }
      if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES && !measured) {
        response.writeHead(413, plain).end("The form is too large.\n");
        return;
      }
      limitBodyTime(request, response, guards, limits.bodyTimeout);
    }
    if (!enter(response)) {
      response.writeHead(503, { ...plain, "Retry-After": "5" }).end("The server is busy. Try again in a moment.\n");
      return;
    }
    const toApp = () => app(request, response);
    if (options.before) options.before(request, response, toApp);
    else toApp();
  });

  // Without a handler, Node answers without security headers.
  server.on("checkExpectation", (request, response) => {
    const { plain } = sites.get(requestOrigin(request, options) ?? "") ?? fallback;
    response.writeHead(417, { ...plain, Connection: "close" }).end("Only the expectation 100-continue is supported.\n");
  });

  server.on("upgrade", (request, socket, head) => {
    if (options.ownUpgrade?.(request)) return;
    socket.on("error", () => socket.destroy());
    const origin = requestOrigin(request, options);
    const { guards } = sites.get(origin ?? "") ?? fallback;
    const refusal = refuse(request, origin) ?? refuseForeign(request, origin);
    if (refusal) return rejectSocket(socket, refusal.status, guards);
    request.socket.setTimeout(0);
    markClientAddress(request, options.trustedProxyHops);
    if (!options.forward?.upgrade(request, socket, head, guards)) rejectSocket(socket, 404, guards);
  });

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket);
    const isResponseStarted = response?.headersSent && !response.writableFinished;
    if (!socket.writable || isResponseStarted) return void socket.destroy(error);
    socket.once("finish", () => socket.destroy());
    rejectSocket(socket, FAULTS[error.code ?? ""] ?? 400, fallback.guards);
  });
  return server;
}

type Site = {
  guards: Guards;
  plain: Record<string, string>;
  app: RequestListener;
};

function createSite({ origins, forward, fetch, log }: ListenerOptions, origin: string | null): Site {
  const guards = guardsFor(origin, origins);
  const plain = { ...guards, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  const url = origin === null ? null : new URL(origin);
  const deployment = (request: Request) => forward?.fetch(request) ?? new Response("Page not found\n", { status: 404, headers: plain });
  const app = createRequestListener(
    async (request) => {
      const answer = DeploymentForwarder.owns(new URL(request.url).pathname)
        ? deployment(request)
        : fetch(request, { clientAddress: clientAddress(request) });
      return withNoTransform(compressResponse(request, withGuards(await answer, guards)));
    },
    {
      ...(url && { host: url.host, protocol: url.protocol }),
      onError(error) {
        log.error({ error: error instanceof Error ? error.stack : String(error) }, "a request failed outside the app");
        return new Response("Something went wrong.\n", { status: 500, headers: plain });
      },
    },
  );
  return { guards, plain, app };
}

/** Response statuses by the error code of Node's HTTP server (RFC 9110, 15.5; RFC 6585, 5). */
const FAULTS: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

type Refusal = { status: 400 | 403 | 405 | 414 | 421; reason: string; headers?: Record<string, string> };

/** No `Request` can have these methods (Fetch, 2.2.1), and TRACE would reveal HttpOnly cookies. */
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

const UNKNOWN_HOST = "Unknown host. Add the address that people open to APP_URL, and configure proxies to forward the Host header.";

function refuse(request: IncomingMessage, origin: string | null): Refusal | null {
  const target = request.url ?? "";
  if (target.length > URL_LENGTH) return { status: 414, reason: "The address is too long." };
  // RFC 9112, 3.2. "//host/…" would resolve to another host.
  if (!target.startsWith("/") || target.startsWith("//")) return { status: 400, reason: "The address is not valid." };
  // A proxy could choose another of several Host headers (RFC 9112, 3.2).
  if (request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length > 1)
    return { status: 400, reason: "The Host header appears twice." };
  if (isHostMissing(request)) return { status: 400, reason: "The Host header is missing." };
  if (origin === null) return { status: 421, reason: UNKNOWN_HOST };
  if (FORBIDDEN_METHODS.has(request.method ?? ""))
    return { status: 405, reason: "This method is not allowed.", headers: { Allow: "GET, HEAD, POST" } };
  return null;
}

const isHostMissing = ({ headers, httpVersion }: IncomingMessage) => headers.host === undefined && httpVersion === "1.1";

const takesFiles = (request: IncomingMessage, path: string): boolean =>
  UPLOAD_PATHS.test(path) && /^(?:multipart\/form-data|application\/offset\+octet-stream)\b/i.test(request.headers["content-type"] ?? "");

const isPageForm = (request: IncomingMessage, path: string): boolean =>
  FORM.test(request.headers["content-type"] ?? "") && !NO_PAGE.test(path);

/** Browsers always send Origin with a websocket; a program without it sends no user's cookies. */
function refuseForeign({ headers }: IncomingMessage, origin: string | null): Refusal | null {
  return headers.origin === undefined || headers.origin === origin
    ? null
    : { status: 403, reason: "Connections from other sites are not allowed." };
}

const pathOf = (request: IncomingMessage) => (request.url ?? "").split("?", 1)[0] ?? "";
