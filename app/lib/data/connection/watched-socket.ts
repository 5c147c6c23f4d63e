import { transport } from "./connection";
import { HttpSocket } from "./http-socket";

/** Milliseconds. A Convex deployment sends a message at least every 15 s. */
const SILENT_AFTER = 18_000;
/** A check follows each new connection after 1.4 to 2.4 s (`fast-reconnect.ts`). */
const HANDSHAKE_LIMIT = 1_300;
const HANDSHAKE_LIMIT_MAX = 60_000;
const HANDSHAKE_MEASURED_MAX = 10_000;
/** The embedded deployment answers at once (`engine/src/sync/messages.ts`). Convex ignores the event. */
const HEARTBEAT = '{"type":"Event","eventType":"Heartbeat","event":null}';
const HEARTBEAT_ANSWER = '{"type":"Ping","answers":"Heartbeat"}';
/** A probe's response may be a second old (`server/http/operations/readiness.ts`), but must not predate the heartbeat. */
export const HEARTBEAT_LIMIT = 1_000;
const HEARTBEAT_LIMIT_TIMES = 4;
const HEARTBEAT_LIMIT_MAX = 16_000;

/** Number of failed handshakes with a ready server before the fallback to HTTP. A restart may cause fewer. */
const REFUSALS = 2;

let socket: WebSocket | HttpSocket | null = null;
let createdAt = 0;
let receivedAt: number | null = null;
let handshakeLimit: number | null = null;
let heartbeatAt: number | null = null;
let heartbeatLimit = HEARTBEAT_LIMIT;
let answersHeartbeats = false;
let hasSentHeartbeat = false;
let isRefused = false;
let refusals = 0;
let onCreate: (() => void) | null = null;
let onClose: (() => void) | null = null;

/** Returns the class for the Convex client's websocket. A function, so that the server can load this module without `WebSocket`. */
export function watchedWebSocket({ fallsBack = false } = {}): typeof WebSocket {
  return new Proxy(WebSocket, {
    construct(Native, [url, protocols]: [string | URL, string[]?]) {
      const created = fallsBack && refusals >= REFUSALS ? new HttpSocket(String(url)) : new Native(url, protocols);
      watch(created);
      return created;
    },
  });
}

transport.isOverHttp = () => socket instanceof HttpSocket && socket.readyState === WebSocket.OPEN;

export function countRefusedHandshake(): void {
  if (isRefused) refusals++;
  isRefused = false;
}

function watch(created: WebSocket | HttpSocket): void {
  socket = created;
  createdAt = Date.now();
  receivedAt = null;
  heartbeatAt = null;
  hasSentHeartbeat = false;
  let isOpened = false;
  const on = (type: string, handle: (event: Event) => void) =>
    created.addEventListener(type, (event) => void (socket === created && handle(event)));
  // The time is capped, because it does not reflect the line's speed if the tab was frozen.
  on("open", () => (isOpened = true));
  on("open", () => (handshakeLimit = handshakeLimitAfter(Math.min(Date.now() - createdAt, HANDSHAKE_MEASURED_MAX))));
  on("message", (event) => received("data" in event ? event.data : null));
  on("close", () => {
    isRefused = !isOpened && !(created instanceof HttpSocket);
    if (!isRefused) refusals = 0;
    onClose?.();
  });
  onCreate?.();
}

function handshakeLimitAfter(took: number): number {
  return took > HANDSHAKE_LIMIT ? Math.min(2 * took, HANDSHAKE_LIMIT_MAX) : HANDSHAKE_LIMIT;
}

function limitOfPage(): number {
  const [page] = performance.getEntriesByType("navigation");
  if (!(page instanceof PerformanceResourceTiming)) return HANDSHAKE_LIMIT;
  return handshakeLimitAfter(2 * (page.connectEnd - page.connectStart + page.responseStart - page.requestStart));
}

function received(data: unknown): void {
  receivedAt = Date.now();
  if (data === HEARTBEAT_ANSWER) answersHeartbeats = true;
  const took = heartbeatAt === null ? Infinity : receivedAt - heartbeatAt;
  if (took < HEARTBEAT_LIMIT) heartbeatLimit = Math.max(HEARTBEAT_LIMIT, HEARTBEAT_LIMIT_TIMES * took);
  heartbeatAt = null;
}

/** Returns the ms until a heartbeat may test a connection that received nothing for `silentMs`; null if none may be sent. */
export function heartbeatDue(silentMs: number): number | null {
  if (!socket || socket.readyState !== WebSocket.OPEN || receivedAt === null || heartbeatAt !== null) return null;
  if (hasSentHeartbeat && !answersHeartbeats) return null;
  return Math.max(0, receivedAt + silentMs - Date.now());
}

export function sendHeartbeat(): void {
  socket?.send(HEARTBEAT);
  hasSentHeartbeat = true;
  heartbeatAt = Date.now();
}

export function watchSocket(created: () => void, closed: () => void): void {
  onCreate = created;
  onClose = closed;
}

/** `dead`: open, but receives nothing. `unanswered`: perhaps dead, or only slow. `slow`: a lost packet delays the handshake. */
type Fault = "closed" | "slow" | "dead" | "unanswered";

/** Returns null without a fault. Sockets created before `networkChangedAt` may belong to another network. */
export function faultOf(networkChangedAt: number): Fault | null {
  if (socket === null) return null;
  const { readyState } = socket;
  if (readyState === WebSocket.CLOSED || readyState === WebSocket.CLOSING) return "closed";
  const isOfOldNetwork = createdAt < networkChangedAt;
  if (readyState === WebSocket.CONNECTING) {
    handshakeLimit ??= limitOfPage();
    return isOfOldNetwork || Date.now() - createdAt > handshakeLimit ? "slow" : null;
  }
  // A socket without any message is not silent: a slow line may still transfer a large first one.
  const isSilent = receivedAt !== null && Date.now() - receivedAt > SILENT_AFTER;
  if (isOfOldNetwork || isSilent) return "dead";
  return answersHeartbeats && heartbeatAt !== null && Date.now() - heartbeatAt >= heartbeatLimit ? "unanswered" : null;
}

export function abandonSocket(): void {
  const abandoned = socket;
  if (!abandoned) return;
  socket = null;
  if (abandoned instanceof HttpSocket) return abandoned.close();
  const { onclose } = abandoned;
  Object.assign(abandoned, { onopen: null, onmessage: null, onerror: null, onclose: null });
  abandoned.close();
  onclose?.call(abandoned, new CloseEvent("close", { code: 1006 }));
}

/** Doubles the limit of the next heartbeats, because a replaced connection may have been a slow one. */
export function allowSlowHeartbeat(): void {
  heartbeatLimit = Math.min(2 * heartbeatLimit, HEARTBEAT_LIMIT_MAX);
}

export function allowSlowHandshake(took: number): void {
  if (socket?.readyState !== WebSocket.CONNECTING || handshakeLimit === null) return;
  handshakeLimit = Math.min(2 * Math.max(handshakeLimit, took), HANDSHAKE_LIMIT_MAX);
}
