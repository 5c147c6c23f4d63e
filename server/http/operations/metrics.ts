import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Backups } from "../../backups/schedule-backups.ts";
import type { LoopWatch } from "@atelier/engine/event-loop";

type Source = () => Promise<string>;

export type MetricsOptions = {
  token: string | null;
  onLoopback: boolean;
  sources: Source[];
  connections: () => number;
  websockets: () => number;
  loop: Pick<LoopWatch, "longest" | "blocks">;
  backups?: Pick<Backups, "ageSeconds" | "isProven"> | null;
};

export type Metrics = {
  mayRead(request: IncomingMessage): boolean;
  text(): Promise<string>;
};

export function createMetrics({ token, onLoopback, sources, connections, websockets, loop, backups }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gauge(registry, "atelier_connections", "Open connections", connections);
  gauge(registry, "atelier_websockets", "Open browser websockets that this server forwards", websockets);
  gauge(registry, "atelier_event_loop_longest_block_seconds", "Longest time that the event loop was blocked since the start", loop.longest);
  gauge(registry, "atelier_event_loop_blocks", "Blocks of the event loop over 200 ms since the start", loop.blocks);
  if (backups) {
    gauge(registry, "atelier_backup_age_seconds", "Time since the newest backup that passed its test", backups.ageSeconds);
    gauge(registry, "atelier_backup_proven", "1 if the newest backup passed its test", () => Number(backups.isProven()));
  }

  return {
    mayRead: (request) => (onLoopback && isLocal(request)) || (token !== null && hasToken(request, token)),
    async text() {
      const parts = await Promise.all([registry.metrics(), ...sources.map((source) => source().catch(() => ""))]);
      return parts.join("\n");
    },
  };
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(value()) });
}

function isLocal({ socket, headers }: IncomingMessage): boolean {
  const passedOn = Object.keys(headers).some((name) => name === "forwarded" || name === "via" || name.startsWith("x-forwarded-"));
  return !passedOn && /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
}

function hasToken(request: IncomingMessage, token: string): boolean {
  const receivedToken = Buffer.from(request.headers.authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return receivedToken.length === expected.length && timingSafeEqual(receivedToken, expected);
}
