/** Prometheus metrics (text format 0.0.4). For administrators only, because they name functions. */
import type { Authenticator } from "../auth/authenticate.ts";
import type { LoopWatch } from "../event-loop.ts";
import type { FileBucketStatus } from "../functions/files/local-copy.ts";
import { nameIn } from "../functions/paths.ts";
import type { FunctionLog, FunctionRunner } from "../functions/types.ts";
import { json } from "../http/reply.ts";
import type { Routes } from "../http/router.ts";

export type MetricsOptions = {
  runner: Pick<FunctionRunner, "onLog" | "sizes" | "isDamaged"> & { files: Pick<FunctionRunner["files"], "status"> };
  authenticator: Pick<Authenticator, "requireAdmin">;
  sockets: () => number;
  watchedQueries: () => number;
  sizes: () => Record<string, number>;
  loop: Pick<LoopWatch, "longest" | "blocks">;
};

const UNKNOWN = "(unknown)";

type Tally = { type: string; path: string; outcome: string; runs: number; seconds: number };

export function metricsRoutes({ runner, authenticator, sockets, watchedQueries, sizes, loop }: MetricsOptions): Routes {
  const tallies = new Map<string, Tally>();
  runner.onLog(({ type, path: requested, component, found, error, durationMs }: FunctionLog) => {
    const outcome = error === null ? "ok" : "error";
    // Calls of unknown functions share one entry: callers can invent any number of them.
    const path = found ? nameIn(component, requested) : UNKNOWN;
    const key = `${type} ${outcome} ${path}`;
    const tally = tallies.get(key) ?? { type, path, outcome, runs: 0, seconds: 0 };
    tally.runs += 1;
    tally.seconds += durationMs / 1000;
    tallies.set(key, tally);
  });

  return {
    /** Sends a request to the transactor thread, so that a blocked thread fails the check. */
    "GET /api/health": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      return json({ damaged: await runner.isDamaged(), fileBucket: runner.files.status() });
    },
    "GET /api/metrics": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const entries = Object.entries({ ...sizes(), ...(await runner.sizes()), function_tallies: tallies.size });
      const labels = ({ type, path, outcome }: Tally) => `{type="${type}",function="${escaped(path)}",outcome="${outcome}"}`;
      const lines = [
        "# HELP convex_function_runs_total Functions run by the deployment",
        "# TYPE convex_function_runs_total counter",
        ...[...tallies.values()].map((tally) => `convex_function_runs_total${labels(tally)} ${tally.runs}`),
        "# HELP convex_function_seconds_total Total run time of functions",
        "# TYPE convex_function_seconds_total counter",
        ...[...tallies.values()].map((tally) => `convex_function_seconds_total${labels(tally)} ${tally.seconds}`),
        "# HELP convex_websockets Open websockets",
        "# TYPE convex_websockets gauge",
        `convex_websockets ${sockets()}`,
        "# HELP convex_watched_queries Queries with subscriptions",
        "# TYPE convex_watched_queries gauge",
        `convex_watched_queries ${watchedQueries()}`,
        "# HELP convex_data_damaged 1 if the data is damaged; the deployment then writes nothing",
        "# TYPE convex_data_damaged gauge",
        `convex_data_damaged ${Number(await runner.isDamaged())}`,
        ...fileBucketLines(runner.files.status()),
        "# HELP convex_collection_entries Entries in each in-memory collection",
        "# TYPE convex_collection_entries gauge",
        ...entries.map(([collection, size]) => `convex_collection_entries{collection="${collection}"} ${size}`),
        "# HELP convex_event_loop_longest_block_seconds Longest time that the event loop was blocked since the start",
        "# TYPE convex_event_loop_longest_block_seconds gauge",
        `convex_event_loop_longest_block_seconds ${loop.longest()}`,
        "# HELP convex_event_loop_blocks_total Blocks of the event loop over 200 ms",
        "# TYPE convex_event_loop_blocks_total counter",
        `convex_event_loop_blocks_total ${loop.blocks()}`,
      ];
      return { status: 200, headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }, body: `${lines.join("\n")}\n` };
    },
  };
}

function fileBucketLines(status: FileBucketStatus | null): string[] {
  if (!status) return [];
  return [
    "# HELP convex_files_waiting Stored files that are still to be moved to or from the bucket",
    "# TYPE convex_files_waiting gauge",
    ...(status.waitingFiles === null ? [] : [`convex_files_waiting ${status.waitingFiles}`]),
    "# HELP convex_file_cache_bytes Size of the local copies of files in the bucket",
    "# TYPE convex_file_cache_bytes gauge",
    `convex_file_cache_bytes ${status.cachedBytes}`,
    "# HELP convex_file_bucket_failing 1 if the last attempt to move files failed",
    "# TYPE convex_file_bucket_failing gauge",
    `convex_file_bucket_failing ${Number(status.problem !== null)}`,
  ];
}

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
