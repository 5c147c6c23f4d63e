import type { ServerInstrumentation } from "react-router";
import { type Exchange, inExchange, spend } from "./exchange.server";
import { log } from "./log.server";
import { metrics } from "./metrics.server";
import { mutable } from "./mutable";

const SAFE_METHODS = new Set(["GET", "HEAD"]);
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Answers a request, and tells of it: one line in the log, the metrics, and `Server-Timing` for whoever looks at a page in their browser. */
export function observed(request: Request, answer: () => Promise<Response>): Promise<Response> {
  return inExchange(async (exchange) => {
    const began = performance.now();
    const response = mutable(await answer());
    const ms = performance.now() - began;
    const method = METHODS.has(request.method) ? request.method : "other";
    const route = exchange.pattern ?? "none";
    // Nobody was there for it any more: what it was has no meaning.
    const status = request.signal.aborted ? "left" : response.status;
    metrics.requests.observe({ method, route, status }, ms / 1000);
    log.info({ method, route, status, ms: Math.round(ms * 10) / 10 }, "answered");
    if (tellsTiming(request)) response.headers.set("Server-Timing", serverTiming(exchange, ms));
    return response;
  });
}

/** How long an attempt to sign in took tells whether there is such an account; a page's own time tells nothing. */
const tellsTiming = ({ method, url }: Request) => SAFE_METHODS.has(method) && !new URL(url).pathname.startsWith("/api/");

/** In whole milliseconds: finer than that it would tell what a foreign id costs beside a missing one. */
function serverTiming({ spent }: Exchange, total: number): string {
  const parts = [...spent].map(([what, { ms, times }]) => `${what};dur=${Math.round(ms)};desc="${times}"`);
  return [`total;dur=${Math.round(total)}`, ...parts].join(", ");
}

/** Measures loaders and actions; React Router calls it (`entry.server.tsx`). */
export const instrumentation: ServerInstrumentation = {
  route(route) {
    const { id } = route;
    const measured = (kind: "loader" | "action") => async (call: () => Promise<{ status: string }>) => {
      const began = performance.now();
      const { status: outcome } = await call();
      const ms = performance.now() - began;
      metrics.handlers.observe({ kind, route: id, outcome }, ms / 1000);
      spend(kind, ms);
    };
    route.instrument({ loader: measured("loader"), action: measured("action") });
  },
};
