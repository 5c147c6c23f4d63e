/**
 * What a monitor asks of a running deployment: how many functions ran and how long they took, and who is connected. Ours alone, in Prometheus'
 * text format 0.0.4; for the administrator, since the names of functions are nobody else's business.
 */
import type { Authenticator } from "../auth/authenticate.ts";
import type { FunctionLog, FunctionRunner } from "../functions/types.ts";
import type { Routes } from "../http/router.ts";

export type MetricsOptions = {
  runner: Pick<FunctionRunner, "onLog">;
  authenticator: Pick<Authenticator, "requireAdmin">;
  /** Open websockets. */
  sockets: () => number;
  /** Queries that somebody watches, each counted once, whoever shares it. */
  watchedQueries: () => number;
};

type Tally = { type: string; path: string; outcome: string; runs: number; seconds: number };

export function metricsRoutes({ runner, authenticator, sockets, watchedQueries }: MetricsOptions): Routes {
  const tallies = new Map<string, Tally>();
  runner.onLog(({ type, path, error, durationMs }: FunctionLog) => {
    const outcome = error === null ? "ok" : "error";
    const key = `${type} ${outcome} ${path}`;
    const tally = tallies.get(key) ?? { type, path, outcome, runs: 0, seconds: 0 };
    tally.runs += 1;
    tally.seconds += durationMs / 1000;
    tallies.set(key, tally);
  });

  return {
    "GET /api/metrics": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const labels = ({ type, path, outcome }: Tally) => `{type="${type}",function="${escaped(path)}",outcome="${outcome}"}`;
      const lines = [
        "# HELP convex_function_runs_total Functions run by the deployment",
        "# TYPE convex_function_runs_total counter",
        ...[...tallies.values()].map((tally) => `convex_function_runs_total${labels(tally)} ${tally.runs}`),
        "# HELP convex_function_seconds_total Time they took",
        "# TYPE convex_function_seconds_total counter",
        ...[...tallies.values()].map((tally) => `convex_function_seconds_total${labels(tally)} ${tally.seconds}`),
        "# HELP convex_websockets Open websockets",
        "# TYPE convex_websockets gauge",
        `convex_websockets ${sockets()}`,
        "# HELP convex_watched_queries Queries that somebody is subscribed to",
        "# TYPE convex_watched_queries gauge",
        `convex_watched_queries ${watchedQueries()}`,
      ];
      return { status: 200, headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }, body: `${lines.join("\n")}\n` };
    },
  };
}

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
