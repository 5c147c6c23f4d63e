import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer, type WebSocket } from "ws";
import { MAX_MESSAGE_BYTES, type ExceededLimit, type MemoryBudget } from "../memory/budget.ts";
import type { ClientAddress } from "../http/client-address.ts";
import { DelayLine } from "../simulation/delay-line.ts";
import { corkSocket } from "./cork-socket.ts";
import { createInFlight } from "./in-flight.ts";
import { createInbox } from "./inbox.ts";
import { splitIntoChunks, fatalErrorText, parseClientMessage, PING_TEXT, ProtocolError } from "./messages.ts";
import { SyncSession, type ClientConnection, type SessionOptions } from "./session.ts";
import { SocketMemory } from "./socket-memory.ts";

const PING_INTERVAL_MS = 15_000;
const SILENCE_MS = 60_000;
/** A client with this many bytes in flight receives no transition. The limit is small, because bytes in flight delay the next answer. */
const WINDOW_BYTES = 256 * 1024;
const MARK_BYTES = 64 * 1024;
const MAX_SOCKETS = 20_000;

const CLOSE_GRACE_MS = 1_000;

const CLOSE_NORMAL = 1000;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL = 1011;

export type SocketsOptions = Omit<SessionOptions, "connection"> & {
  /** Null: any origin, as on Convex, because tokens protect the data. */
  allowedOrigins: string[] | null;
  memory: MemoryBudget;
  clientAddress: ClientAddress;
  latencyMs: number;
};

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly size: number;
  close(): Promise<void>;
}

const SYNC_PATH = /^\/api\/[^/?]+\/sync(?:\?|$)/;

export function createSockets(options: SocketsOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false, clientTracking: false });
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
        serve(websocket, socket, { ...options, address: options.clientAddress(request) });
      });
    },
    get size() {
      return open.size;
    },
    async close() {
      server.close();
      // The client handles this reason and reconnects after a second.
      for (const websocket of open) websocket.close(CLOSE_GOING_AWAY, "InternalServerError: the deployment is shutting down");
      for (let waited = 0; open.size > 0 && waited < CLOSE_GRACE_MS; waited += 20) await sleep(20);
      for (const websocket of open) websocket.terminate();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const WHY: Record<ExceededLimit, string> = {
  connection: "the connection's memory limit is exceeded",
  address: "the address's memory limit is exceeded",
  total: "the memory limit of all connections is exceeded",
};

function serve(websocket: WebSocket, socket: Duplex, options: SocketsOptions & { address: string | null }): void {
  const gather = corkSocket(socket);
  const { latencyMs } = options;
  const delay = latencyMs > 0 ? { in: new DelayLine(latencyMs / 2), out: new DelayLine(latencyMs / 2) } : null;
  const leave = (send: () => void) => (delay ? delay.out.push(send) : send());
  const inFlight = createInFlight((mark) => leave(() => websocket.ping(mark)));
  const memory = new SocketMemory(options.memory.open(options.address), (limit) => {
    inbox.close();
    session.close();
    memory.close(options.queries.idle());
    closeUnread(websocket, socket, `TooManyBytes: ${WHY[limit]}`);
  });
  let heldBack = false;
  let lastHeard = Date.now();

  const write = (text: string) => {
    const bytes = Buffer.from(text, "utf8");
    inFlight.handedOver(bytes.length);
    leave(() => {
      gather();
      websocket.send(bytes, { binary: false }, () => {
        inFlight.left(bytes.length);
        countUnsent();
      });
    });
    countUnsent();
  };
  // `inFlight` does not count answers to the client's pings, which the connection's buffer contains.
  const countUnsent = () => memory.set("unsent", Math.max(inFlight.unsent, socket.writableLength));
  const connection: ClientConnection = {
    memory,
    send: write,
    sendTransition(text) {
      for (const part of splitIntoChunks(text, randomUUID())) write(part);
      inFlight.pingAfter(MARK_BYTES);
    },
    get writable() {
      heldBack = inFlight.unread >= WINDOW_BYTES;
      if (heldBack) inFlight.pingAfter(MARK_BYTES);
      return !heldBack;
    },
    close: (reason) => leave(() => websocket.close(reason === "AuthError" ? CLOSE_NORMAL : CLOSE_INTERNAL, reason)),
  };
  const session = new SyncSession({ ...options, connection });

  const ping = setInterval(() => {
    if (websocket.isPaused) lastHeard = Date.now();
    if (Date.now() - lastHeard > SILENCE_MS) return websocket.terminate();
    inFlight.ping();
    write(PING_TEXT);
  }, PING_INTERVAL_MS);

  const fail = (error: unknown) => {
    session.close();
    if (error instanceof ProtocolError) {
      write(fatalErrorText(error.message));
      leave(() => websocket.close(CLOSE_POLICY, "Malformed message"));
    } else {
      options.report(error);
      leave(() => websocket.close(CLOSE_INTERNAL, "InternalServerError"));
    }
  };

  const inbox = createInbox({
    websocket,
    socket,
    memory,
    requests: () => session.inFlight,
    delay: delay && delay.in,
    receive: (text) => session.receive(parseClientMessage(text)),
    fail,
  });

  websocket.on("ping", countUnsent);
  websocket.on("pong", (data) => {
    lastHeard = Date.now();
    inFlight.answered(String(data));
    if (!heldBack || inFlight.unread >= WINDOW_BYTES) return;
    heldBack = false;
    options.queries.touch(session);
  });
  websocket.on("message", () => (lastHeard = Date.now()));
  // `ws` closes the socket itself after an invalid frame, with the right code.
  websocket.on("error", () => undefined);
  websocket.once("close", () => {
    clearInterval(ping);
    inbox.close();
    session.close();
    memory.close(options.queries.idle());
  });
}

/** Frees incomplete messages, which `ws` keeps until the connection closes; it has no method for this. */
function discardReceived(websocket: WebSocket): void {
  const receiver: unknown = Reflect.get(websocket, "_receiver");
  if (typeof receiver === "object" && receiver !== null) Object.assign(receiver, { _buffers: [], _bufferedBytes: 0, _fragments: [] });
}

/** Closes and drains: a connection with unread bytes would be reset, and the client would not receive the reason. */
function closeUnread(websocket: WebSocket, socket: Duplex, reason: string): void {
  websocket.close(CLOSE_POLICY, reason);
  socket.removeAllListeners("data");
  discardReceived(websocket);
  socket.on("data", () => undefined).resume();
  socket.end();
  setTimeout(() => websocket.terminate(), CLOSE_GRACE_MS).unref();
}
