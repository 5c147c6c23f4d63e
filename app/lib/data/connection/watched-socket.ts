/** Milliseconds. A Convex deployment sends a message at least every 15 s. */
const SILENT_AFTER = 18_000;
const HANDSHAKE_LIMIT = 2_500;
const HANDSHAKE_LIMIT_MAX = 60_000;
/** The embedded deployment answers at once (`engine/src/sync/messages.ts`). Convex ignores the event. */
const HEARTBEAT = '{"type":"Event","eventType":"Heartbeat","event":null}';
const HEARTBEAT_ANSWER = '{"type":"Ping","answers":"Heartbeat"}';
export const HEARTBEAT_LIMIT = 2_000;
const HEARTBEAT_LIMIT_MAX = 16_000;

let socket: WebSocket | null = null;
let createdAt = 0;
let receivedAt: number | null = null;
let handshakeLimit = HANDSHAKE_LIMIT;
let heartbeatAt: number | null = null;
let heartbeatLimit = HEARTBEAT_LIMIT;
let answersHeartbeats = false;
let hasSentHeartbeat = false;
let onClose: (() => void) | null = null;

/** Returns the class for the Convex client's websocket. A function, because servers render without it. */
export function watchedWebSocket(): typeof WebSocket {
  return class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      watch(this);
    }
  };
}

function watch(created: WebSocket): void {
  socket = created;
  createdAt = Date.now();
  receivedAt = null;
  heartbeatAt = null;
  hasSentHeartbeat = false;
  const on = (type: string, handle: (event: Event) => void) =>
    created.addEventListener(type, (event) => void (socket === created && handle(event)));
  on("open", () => (handshakeLimit = HANDSHAKE_LIMIT));
  on("message", (event) => received("data" in event ? event.data : null));
  on("close", () => onClose?.());
}

function received(data: unknown): void {
  receivedAt = Date.now();
  if (data === HEARTBEAT_ANSWER) answersHeartbeats = true;
  if (heartbeatAt !== null && receivedAt - heartbeatAt < HEARTBEAT_LIMIT) heartbeatLimit = HEARTBEAT_LIMIT;
  heartbeatAt = null;
}

/** Tests a connection that received nothing for `silentMs`. Returns whether it sent something. */
export function sendHeartbeat(silentMs: number): boolean {
  if (!socket || socket.readyState !== WebSocket.OPEN || receivedAt === null || heartbeatAt !== null) return false;
  if ((hasSentHeartbeat && !answersHeartbeats) || Date.now() - receivedAt < silentMs) return false;
  socket.send(HEARTBEAT);
  hasSentHeartbeat = true;
  heartbeatAt = Date.now();
  return true;
}

export function watchClose(closed: () => void): void {
  onClose = closed;
}

/**
 * `dead`: open, but receives nothing, as after sleep or lost packets. `unanswered`: perhaps dead, or only slow.
 * `slow`: the handshake waits for a lost packet ever longer.
 */
type Fault = "closed" | "slow" | "dead" | "unanswered";

/** Returns null without a fault. Sockets created before `networkChangedAt` may belong to another network. */
export function faultOf(networkChangedAt: number): Fault | null {
  if (socket === null) return null;
  const { readyState } = socket;
  if (readyState === WebSocket.CLOSED || readyState === WebSocket.CLOSING) return "closed";
  const isOfOldNetwork = createdAt < networkChangedAt;
  if (readyState === WebSocket.CONNECTING) return isOfOldNetwork || Date.now() - createdAt > handshakeLimit ? "slow" : null;
  // A socket without any message is not silent: a slow line may still transfer a large first one.
  const isSilent = receivedAt !== null && Date.now() - receivedAt > SILENT_AFTER;
  if (isOfOldNetwork || isSilent) return "dead";
  return answersHeartbeats && heartbeatAt !== null && Date.now() - heartbeatAt >= heartbeatLimit ? "unanswered" : null;
}

/** Closes the socket at once. The Convex client then waits to reconnect. */
export function abandonSocket(): void {
  const abandoned = socket;
  if (!abandoned) return;
  socket = null;
  const { onclose } = abandoned;
  Object.assign(abandoned, { onopen: null, onmessage: null, onerror: null, onclose: null });
  abandoned.close();
  onclose?.call(abandoned, new CloseEvent("close", { code: 1006 }));
}

/** Doubles the limit of the next heartbeats, because a replaced connection may have been a slow one. */
export function allowSlowHeartbeat(): void {
  heartbeatLimit = Math.min(2 * heartbeatLimit, HEARTBEAT_LIMIT_MAX);
}

/** Doubles the limit of the next handshakes, because the server answers and a slow line needs longer. */
export function allowSlowHandshake(): void {
  if (socket?.readyState === WebSocket.CONNECTING) handshakeLimit = Math.min(2 * handshakeLimit, HANDSHAKE_LIMIT_MAX);
}
