import type { ServerInstrumentation } from "react-router";
import { addActivity } from "./request-activity.server";
import { type Exchange, inExchange, recordTime } from "./current-request.server";
import { log } from "./log.server";
import { metrics } from "./metrics.server";
import { withMutableHeaders } from "../mutable-headers";

const SAFE_METHODS = new Set(["GET", "HEAD"]);
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function observed(request: Request, answer: () => Promise<Response>): Promise<Response> {
  return inExchange(async (exchange) => {
    const startedAt = performance.now();
    const response = withMutableHeaders(await answer());
    const ms = performance.now() - startedAt;
    const method = METHODS.has(request.method) ? request.method : "other";
    const route = exchange.pattern ?? "none";
    addActivity(`${method} ${route}`);
    // The client disconnected, so the status is meaningless.
    const status = request.signal.aborted ? "left" : response.status;
    metrics.requests.observe({ method, route, status }, ms / 1000);
    log.info({ method, route, status, ms: Math.round(ms * 10) / 10 }, "answered");
    if (hasServerTiming(request)) response.headers.set("Server-Timing", serverTiming(exchange, ms));
    return response;
  });
}

/** Excludes /api/, because the duration of a sign-in reveals whether an account exists. */
const hasServerTiming = ({ method, url }: Request) => SAFE_METHODS.has(method) && !new URL(url).pathname.startsWith("/api/");

/** Rounds to milliseconds, because finer values would distinguish inaccessible from missing ids. */
function serverTiming({ spent }: Exchange, total: number): string {
  const parts = [...spent].map(([what, { ms, times }]) => `${what};dur=${Math.round(ms)};desc="${times}"`);
  return [`total;dur=${Math.round(total)}`, ...parts].join(", ");
}

export const instrumentation: ServerInstrumentation = {
  route(route) {
    const { id } = route;
    const measured = (kind: "loader" | "action") => async (call: () => Promise<{ status: string }>) => {
      const began = performance.now();
      addActivity(`${kind} of ${id}`);
      const { status: outcome } = await call();
      addActivity(`${kind} of ${id}`);
      const ms = performance.now() - began;
      metrics.handlers.observe({ kind, route: id, outcome }, ms / 1000);
      recordTime(kind, ms);
    };
    route.instrument({ loader: measured("loader"), action: measured("action") });
  },
};
