import type { IncomingMessage, ServerResponse } from "node:http";
import type { Guards } from "../guards.ts";
import { METRICS_TYPE, type Metrics } from "./metrics.ts";
import { type createReadiness, WARNING } from "./readiness.ts";

export type Operations = {
  readiness: ReturnType<typeof createReadiness> | null;
  metrics: Metrics | null;
  version?: string;
};

/** Answers /healthz, /readyz and /metrics (404 unless enabled), for any host. Returns false for other addresses. */
export function answerOperations(
  { readiness, metrics, version }: Operations,
  request: IncomingMessage,
  response: ServerResponse,
  guards: Guards,
): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const plain = { ...guards, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  switch (request.url) {
    case "/healthz":
      response.writeHead(200, plain).end(version === undefined ? "ok\n" : `ok ${version}\n`);
      return true;
    case "/readyz":
      if (!readiness) return false;
      void readiness.check().then((parts) => {
        const ready = Object.values(parts).every((part) => part === "ok" || part.startsWith(WARNING));
        response.writeHead(ready ? 200 : 503, { ...plain, "Content-Type": "application/json" }).end(`${JSON.stringify(parts)}\n`);
      });
      return true;
    case "/metrics":
      if (!metrics?.mayRead(request)) {
        response.writeHead(404, plain).end("Page not found\n");
        return true;
      }
      void metrics.text().then((text) => response.writeHead(200, { ...plain, "Content-Type": METRICS_TYPE }).end(text));
      return true;
    default:
      return false;
  }
}
