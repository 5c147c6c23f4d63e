import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Guards } from "../guards.ts";

const CONNECTIONS = 8000;
const OTHER_DESCRIPTORS = 512;
/** Maximum requests in flight. Each may use the memory of a page, or of a form of up to 1 MiB. */
const IN_FLIGHT = 1000;
const BODY_TIMEOUT = 30_000;

/** Returns the maximum of connections. A websocket takes two descriptors. `limits` is Linux's `/proc/self/limits` (proc(5)), or null. */
export function connectionsFor(limits: string | null): number {
  const files = Number(/^Max open files +(\d+)/m.exec(limits ?? "")?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(CONNECTIONS, Math.max(Math.floor((files - OTHER_DESCRIPTORS) / 2), Math.floor(files / 4)));
}

function ownLimits(): string | null {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return null;
  }
}

export function limitConnections(server: Server, connections = connectionsFor(ownLimits())): void {
  server.maxConnections = connections;
}

export function createRequestLimit(most = IN_FLIGHT): (response: ServerResponse) => boolean {
  let inside = 0;
  return (response) => {
    if (inside >= most) return false;
    inside++;
    response.once("close", () => inside--);
    return true;
  };
}

/** Ends a request with a slow body, which would otherwise count towards the limit for half an hour. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse, guards: Guards, timeout = BODY_TIMEOUT): void {
  if (!hasBody(request)) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (response.headersSent) request.destroy();
    else response.writeHead(408, { ...guards, "Cache-Control": "no-store", Connection: "close" }).end(() => request.destroy());
  }, timeout);
  timer.unref();
  request.once("end", () => clearTimeout(timer));
  response.once("close", () => clearTimeout(timer));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
