/**
 * The websockets at `/api/{version}/sync`, any version: their handshake, their liveness, their bounds.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { gathering } from "./gathering.ts";
import { createInFlight } from "./in-flight.ts";
import { chunked, fatalErrorText, parseClientMessage, PING_TEXT, ProtocolError } from "./messages.ts";
import { SyncSession, type Line, type SessionOptions } from "./session.ts";

const PING_INTERVAL_MS = 15_000;
/** A socket that has answered no ping for so long is half open. */
const SILENCE_MS = 60_000;
/** Arguments of 16 MiB, as JSON. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024;
/**
 * A client to which this much is on its way gets no further transition: it will get the newest state once it has caught up. Kept small, since all of
 * it stands before the answer to what the client asks next.
 */
const WINDOW_BYTES = 256 * 1024;
/** After so much the client is asked how far it has read. */
const MARK_BYTES = 64 * 1024;
/** With this much unsent it is not reading at all. */
const GIVE_UP_BYTES = 128 * 1024 * 1024;
/** What of one socket may wait, to be taken in or to be answered, before it is not read any further. */
const MAX_IN_FLIGHT = 1_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** More sockets than this are refused: each costs memory that the others need. */
const MAX_SOCKETS = 20_000;

/** How long a client has to answer that it has been told to go. */
const CLOSE_GRACE_MS = 1_000;

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
  /** How many are open. */
  readonly size: number;
  /** Tells every client to come back later, and waits until they have gone. */
  close(): Promise<void>;
}

const SYNC_PATH = /^\/api\/[^/?]+\/sync(?:\?|$)/;

export function createSockets(options: SocketsOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false, clientTracking: false });
  const open = new Set<WebSocket>();

  return {
    upgrade(request, socket, head) {
      if (!SYNC_PATH.test(request.url ?? "")) return refuse(socket, "404 Not Found");
      if (open.size >= MAX_SOCKETS) return refuse(socket, "503 Service Unavailable");
      const { origin } = request.headers;
      if (origin !== undefined && options.allowedOrigins !== null && !options.allowedOrigins.includes(origin))
        return refuse(socket, "403 Forbidden");
      server.handleUpgrade(request, socket, head, (websocket) => {
        open.add(websocket);
        websocket.once("close", () => open.delete(websocket));
        serve(websocket, gathering(socket), options);
      });
    },
    get size() {
      return open.size;
    },
    async close() {
      server.close();
      // The reason is one that the client knows, and after which it tries again in a second.
      for (const websocket of open) websocket.close(CLOSE_GOING_AWAY, "InternalServerError: the deployment is shutting down");
      for (let waited = 0; open.size > 0 && waited < CLOSE_GRACE_MS; waited += 20) await sleep(20);
      for (const websocket of open) websocket.terminate();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function serve(websocket: WebSocket, gather: () => void, options: SocketsOptions): void {
  const inFlight = createInFlight((mark) => websocket.ping(mark));
  let heldBack = false;
  let lastHeard = Date.now();

  const write = (text: string) => {
    const bytes = Buffer.from(text, "utf8");
    gather();
    inFlight.handedOver(bytes.length);
    websocket.send(bytes, { binary: false }, () => inFlight.left(bytes.length));
    if (inFlight.unsent > GIVE_UP_BYTES) websocket.terminate();
  };
  const line: Line = {
    send: write,
    sendTransition(text) {
      for (const part of chunked(text, randomUUID())) write(part);
      inFlight.askAfter(MARK_BYTES);
    },
    get writable() {
      heldBack = inFlight.unread >= WINDOW_BYTES;
      if (heldBack) inFlight.askAfter(MARK_BYTES);
      return !heldBack;
    },
    close: (reason) => websocket.close(reason === "AuthError" ? CLOSE_NORMAL : CLOSE_INTERNAL, reason),
  };
  const session = new SyncSession({ ...options, line });

  const ping = setInterval(() => {
    if (Date.now() - lastHeard > SILENCE_MS) return websocket.terminate();
    inFlight.ask();
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
    { websocket, requests: () => session.inFlight, fail },
  );

  websocket.on("pong", (data) => {
    lastHeard = Date.now();
    inFlight.answered(String(data));
    if (!heldBack || inFlight.unread >= WINDOW_BYTES) return;
    heldBack = false;
    options.queries.touch(session);
  });
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
  { websocket, requests, fail }: { websocket: WebSocket; requests: () => number; fail: (error: unknown) => void },
): (data: RawData) => void {
  let waiting: string[] = [];
  let bytes = 0;
  let busy = false;
  let failed = false;

  const drain = async () => {
    busy = true;
    try {
      for (let data = waiting.shift(); data !== undefined; data = waiting.shift()) {
        bytes -= data.length;
        await take(data);
      }
    } catch (error) {
      failed = true;
      waiting = [];
      bytes = 0;
      fail(error);
    } finally {
      busy = false;
    }
    resumeWhenCalm();
  };
  const tooMuch = () => waiting.length + requests() >= MAX_IN_FLIGHT || bytes >= MAX_WAITING_BYTES;
  const resumeWhenCalm = () => {
    if (!websocket.isPaused) return;
    if (!tooMuch()) websocket.resume();
    else setTimeout(resumeWhenCalm, 5);
  };

  return (data) => {
    if (failed) return;
    const text = textOf(data);
    waiting.push(text);
    bytes += text.length;
    if (tooMuch()) websocket.pause();
    if (!busy) void drain();
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}
