import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Guards } from "./guards.ts";

/** Connections at a time; more are closed as they come. Each costs some 50 KiB. */
const CONNECTIONS = 8000;
/** File descriptors that are no connection's: files, pictures, the deployment, SMTP. */
const OTHER_DESCRIPTORS = 512;
/** Requests that the app works on at a time; who comes then is told to come back. Each may hold a page, or a form of up to 1 MiB. */
const IN_FLIGHT = 1000;
/** How long the body of a form without files may take, in ms. Files have a limit of their own, on silence. */
const BODY_TIMEOUT = 30_000;

/**
 * How many connections there is room for. A websocket takes two descriptors here, its own and the one to the deployment, and with none left nothing
 * could be opened any more, not even for those who are here already.
 * @param limits the process's own, as Linux tells them (proc(5), `/proc/self/limits`); null where there is no such file
 */
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

/** Bounds what the whole of all strangers may hold of this process. */
export function limitConnections(server: Server, connections = connectionsFor(ownLimits())): void {
  server.maxConnections = connections;
}

/**
 * Lets at most `most` requests be worked on at a time.
 * @returns takes a request in (true), until its answer is over, or refuses it (false)
 */
export function createTurnstile(most = IN_FLIGHT): (response: ServerResponse) => boolean {
  let inside = 0;
  return (response) => {
    if (inside >= most) return false;
    inside++;
    response.once("close", () => inside--);
    return true;
  };
}

/** Ends a request whose body drips in: it would hold its place for half an hour otherwise. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse, guards: Guards, timeout = BODY_TIMEOUT): void {
  if (!hasBody(request)) return;
  const late = setTimeout(() => {
    if (request.complete) return;
    if (response.headersSent) request.destroy();
    else response.writeHead(408, { ...guards, "Cache-Control": "no-store", Connection: "close" }).end(() => request.destroy());
  }, timeout);
  late.unref();
  request.once("end", () => clearTimeout(late));
  response.once("close", () => clearTimeout(late));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
