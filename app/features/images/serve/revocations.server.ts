import { ConvexClient } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { WebSocket } from "ws";
import { signServiceToken } from "~/features/accounts/session/convex/tokens.server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { api } from "#convex/_generated/api";

/** A revocation can become visible after a later one, so those of this time (in ms) are read again. */
const OVERLAP_MS = 30_000;
const PING_MS = 2000;
/** The subscription counts as down without an answer to a ping for this time (in ms). */
const SILENCE_MS = 5000;
const RETRY_MS = 5000;
const ROWS_MAX = 100_000;

export type Revocations = {
  /** Returns a position to pass to `stateOf`. Call it before access is read. */
  position(): number;
  /** Returns whether one of the rows has changed since the position: "unknown" while the subscription is down. */
  stateOf(rows: readonly string[], position: number): "unchanged" | "changed" | "unknown";
  close(): Promise<void>;
};

type Answer = FunctionReturnType<typeof api.revocations.since>;

/** Subscribes to changed rows that can end access to images (decision 227). */
export function followRevocations(config: AppConfig): Revocations {
  let answeredAt = -Infinity;
  const client = new ConvexClient(config.convexUrl, {
    skipConvexDeploymentUrlCheck: true,
    logger: false,
    expectAuth: true,
    webSocketConstructor: pingingWebSocket(() => (answeredAt = performance.now())),
  });
  client.setAuth(() => signServiceToken(config.signingKey));

  const changes = new Map<string, number>();
  let position = 0;
  let allChangedAt = 0;
  const applied = new Map<string, number>();
  showSize("revoked_rows", () => changes.size);

  /** `_creationTime` of the newest revocation, or null before the first answer. */
  let newest: number | null = null;
  let currentConnection = -1;
  const subscriptions = new Set<() => void>();
  let retry: NodeJS.Timeout | undefined;
  let hasFailed = false;

  function changeAll(): void {
    allChangedAt = ++position;
    changes.clear();
  }

  function apply({ revocations, isComplete }: Answer): void {
    if (!isComplete) changeAll();
    for (const { id, rows, at } of revocations.toReversed()) {
      newest = Math.max(newest ?? 0, at);
      if (applied.has(id)) continue;
      applied.set(id, at);
      position++;
      if (rows.length === 0 || changes.size > ROWS_MAX) changeAll();
      for (const row of rows) changes.set(row, position);
    }
    const oldest = revocations.at(-1)?.at ?? newest ?? 0;
    for (const [id, at] of applied) if (at < oldest) applied.delete(id);
  }

  function subscribe(): void {
    clearTimeout(retry);
    const connection = client.connectionState().connectionCount;
    const after = newest === null ? null : newest - OVERLAP_MS;
    const earlier = [...subscriptions];
    const onAnswer = (answer: Answer): void => {
      hasFailed = false;
      for (const each of earlier.splice(0)) end(each);
      if (after === null) {
        // Revocations before the newest one are not read, so images that were loaded before must be loaded again.
        changeAll();
        newest ??= answer.revocations[0]?.at ?? 0;
        return subscribe();
      }
      apply(answer);
      if (client.connectionState().connectionCount === connection) currentConnection = connection;
      // Each answer lists all revocations since `after`.
      if (!answer.isComplete && (newest ?? 0) > after + 2 * OVERLAP_MS) subscribe();
    };
    const onError = (error: Error): void => {
      currentConnection = -1;
      if (!hasFailed) log.error({ error }, "access to images is checked every ten seconds, because revocations cannot be read");
      hasFailed = true;
      clearTimeout(retry);
      retry = setTimeout(subscribe, RETRY_MS).unref();
    };
    subscriptions.add(client.onUpdate(api.revocations.since, { after, connection }, onAnswer, onError));
  }

  function end(subscription: () => void): void {
    if (subscriptions.delete(subscription)) subscription();
  }

  let seenConnection = -1;
  const unwatch = client.subscribeToConnectionState(({ isWebSocketConnected, connectionCount }) => {
    if (!isWebSocketConnected || connectionCount === seenConnection) return;
    seenConnection = connectionCount;
    subscribe();
  });

  function isUp(): boolean {
    const { isWebSocketConnected, connectionCount } = client.connectionState();
    return isWebSocketConnected && connectionCount === currentConnection && performance.now() - answeredAt < SILENCE_MS;
  }

  return {
    position: () => position,
    stateOf(rows, since) {
      if (allChangedAt > since || rows.some((row) => (changes.get(row) ?? 0) > since)) return "changed";
      return isUp() ? "unchanged" : "unknown";
    },
    async close() {
      clearTimeout(retry);
      unwatch();
      for (const each of subscriptions) end(each);
      await client.close();
    },
  };
}

/** Returns a websocket class that pings the server, because a lost connection need not close. */
function pingingWebSocket(onAnswer: () => void): typeof globalThis.WebSocket {
  class PingingWebSocket extends WebSocket {
    constructor(address: string) {
      super(address);
      let pongs = 0;
      let pings = 0;
      const timer = setInterval(() => {
        if (this.readyState !== WebSocket.OPEN) return;
        if (pings - pongs > SILENCE_MS / PING_MS) return this.terminate();
        pings++;
        this.ping();
      }, PING_MS).unref();
      this.on("open", onAnswer);
      this.on("pong", () => {
        pongs = pings;
        onAnswer();
      });
      this.on("close", () => clearInterval(timer));
    }
  }
  // `ws` implements the interface that the client uses, with other types of its events.
  return PingingWebSocket as unknown as typeof globalThis.WebSocket;
}
