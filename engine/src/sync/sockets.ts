/**
 * The websockets at `/api/{version}/sync`, any version: their handshake, their liveness, their bounds.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { chunked, fatalErrorText, parseClientMessage, PING_TEXT, ProtocolError } from "./messages.ts";
import { SyncSession, type Line, type SessionOptions } from "./session.ts";

const PING_INTERVAL_MS = 15_000;
/** A socket that has answered no ping for so long is half open. */
const SILENCE_MS = 60_000;
/** Arguments of 16 MiB, as JSON. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024;
/** A client with this much unsent gets no further transition: it will get the newest state once it has caught up. */
const HOLD_BACK_BYTES = 8 * 1024 * 1024;
/** With this much unsent it is not reading at all. */
const GIVE_UP_BYTES = 128 * 1024 * 1024;
/** Requests of one socket that may wait for their answers before it is not read any further. */
const MAX_IN_FLIGHT = 1_000;

const CLOSE_NORMAL = 1000;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL = 1011;

export type SocketsOptions = Omit<SessionOptions, "line"> & {
  /** Origins that may connect from a browser; null for any, which is Convex's own rule: the token protects, not the origin. */
  allowedOrigins: string[] | null;
};

export interface Sockets {
  /** Takes over an upgrade request, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly count: number;
  close(): void;
}

const SYNC_PATH = /^\/api\/[^/?]+\/sync(?:\?|$)/;

export function createSockets(options: SocketsOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false, clientTracking: false });
  const open = new Set<WebSocket>();

  return {
    upgrade(request, socket, head) {
      if (!SYNC_PATH.test(request.url ?? "")) return refuse(socket, "404 Not Found");
      const { origin } = request.headers;
      if (origin !== undefined && options.allowedOrigins !== null && !options.allowedOrigins.includes(origin))
        return refuse(socket, "403 Forbidden");
      server.handleUpgrade(request, socket, head, (websocket) => {
        open.add(websocket);
        websocket.once("close", () => open.delete(websocket));
        serve(websocket, options);
      });
    },
    get count() {
      return open.size;
    },
    close() {
      for (const websocket of open) websocket.close(CLOSE_GOING_AWAY, "InternalServerError: the deployment is shutting down");
      server.close();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function serve(websocket: WebSocket, options: SocketsOptions): void {
  let heldBack = false;
  let unsent = 0;
  let lastHeard = Date.now();

  const write = (text: string) => {
    const bytes = Buffer.from(text, "utf8");
    unsent += bytes.length;
    websocket.send(bytes, { binary: false }, () => {
      unsent -= bytes.length;
      if (heldBack && unsent < HOLD_BACK_BYTES) {
        heldBack = false;
        options.queries.touch(session);
      }
    });
    if (unsent > GIVE_UP_BYTES) websocket.terminate();
  };
  const line: Line = {
    send: write,
    sendTransition(text) {
      for (const part of chunked(text, randomUUID())) write(part);
    },
    get writable() {
      heldBack = unsent >= HOLD_BACK_BYTES;
      return !heldBack;
    },
    close: (reason) => websocket.close(reason === "AuthError" ? CLOSE_NORMAL : CLOSE_INTERNAL, reason),
  };
  const session = new SyncSession({ ...options, line });

  const ping = setInterval(() => {
    if (Date.now() - lastHeard > SILENCE_MS) return websocket.terminate();
    websocket.ping();
    write(PING_TEXT);
  }, PING_INTERVAL_MS);

  const fail = (error: unknown) => {
    session.close();
    if (error instanceof ProtocolError) {
      write(fatalErrorText(error.message));
      websocket.close(CLOSE_POLICY, "Malformed message");
    } else {
      options.report(error);
      websocket.close(CLOSE_INTERNAL, "InternalServerError");
    }
  };

  const inbox = createInbox(
    async (text) => {
      await session.receive(parseClientMessage(text));
    },
    { websocket, inFlight: () => session.inFlight, fail },
  );

  websocket.on("pong", () => (lastHeard = Date.now()));
  websocket.on("message", (data, isBinary) => {
    lastHeard = Date.now();
    if (isBinary) fail(new ProtocolError("Messages must be text frames."));
    else inbox(data);
  });
  // `ws` closes the socket itself after a broken frame, with the code that says why.
  websocket.on("error", () => undefined);
  websocket.once("close", () => {
    clearInterval(ping);
    session.close();
  });
}

/** One message after the other; the socket is not read while too much waits. */
function createInbox(
  take: (text: string) => Promise<void>,
  { websocket, inFlight, fail }: { websocket: WebSocket; inFlight: () => number; fail: (error: unknown) => void },
): (data: RawData) => void {
  let waiting: RawData[] = [];
  let busy = false;
  let failed = false;

  const drain = async () => {
    busy = true;
    try {
      for (let data = waiting.shift(); data !== undefined; data = waiting.shift()) await take(textOf(data));
    } catch (error) {
      failed = true;
      waiting = [];
      fail(error);
    } finally {
      busy = false;
    }
    resumeWhenCalm();
  };
  const resumeWhenCalm = () => {
    if (!websocket.isPaused) return;
    if (waiting.length + inFlight() < MAX_IN_FLIGHT) websocket.resume();
    else setTimeout(resumeWhenCalm, 5);
  };

  return (data) => {
    if (failed) return;
    waiting.push(data);
    if (waiting.length + inFlight() >= MAX_IN_FLIGHT) websocket.pause();
    if (!busy) void drain();
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}
