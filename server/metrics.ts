import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

/** One part of the answer: Prometheus' text format, or a failure that is told as such. */
type Source = () => Promise<string>;

export type MetricsOptions = {
  token: string | null;
  onLoopback: boolean;
  /** The app's own, and the embedded deployment's. */
  sources: Source[];
  /** Open connections, and the websockets among them. */
  connections: () => number;
  websockets: () => number;
};

export type Metrics = {
  /** Whether this request may read them; to all others the address does not exist. */
  mayRead(request: IncomingMessage): boolean;
  text(): Promise<string>;
};

/** What a monitor reads at /metrics: the process, the app and the deployment. Closed until a setting opens it. */
export function createMetrics({ token, onLoopback, sources, connections, websockets }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gauge(registry, "atelier_connections", "Open connections", connections);
  gauge(registry, "atelier_websockets", "Open websockets of browsers that this server forwards", websockets);

  return {
    mayRead: (request) => (onLoopback && isFromHere(request)) || (token !== null && carries(request, token)),
    async text() {
      const parts = await Promise.all([registry.metrics(), ...sources.map((source) => source().catch(() => ""))]);
      return parts.join("\n");
    },
  };
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  const made: Gauge = new Gauge({ name, help, registers: [registry], collect: () => made.set(value()) });
}

/** From a program on this machine, and not passed on by a proxy on it. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const passedOn = Object.keys(headers).some((name) => name === "forwarded" || name === "via" || name.startsWith("x-forwarded-"));
  return !passedOn && /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
}

function carries(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
