import { metrics } from "./metrics.server";

const EVERY_MS = 5 * 60_000;
const KEPT = 288;

/** `at`: end of the interval (ms since 1970). `errors`: from status 500. `latency`: 95th percentile (ms). `memory`: resident bytes. */
export type Sample = {
  at: number;
  requests: number;
  errors: number;
  latency: number | null;
  memory: number;
  websockets: number;
};

export type HistoryOptions = { websockets: () => number; everyMs?: number; kept?: number };

export type History = {
  /** Returns the oldest sample first; the last one is of the interval that has not ended. */
  samples(): Promise<Sample[]>;
  close(): void;
};

export function recordHistory({ websockets, everyMs = EVERY_MS, kept = KEPT }: HistoryOptions): History {
  const ring: Sample[] = [];
  let last = totalsOf([]);

  async function measure(): Promise<{ sample: Sample; totals: Totals }> {
    const totals = totalsOf((await metrics.requests.get()).values);
    const sample = { at: Date.now(), ...difference(last, totals), memory: process.memoryUsage.rss(), websockets: websockets() };
    return { sample, totals };
  }

  async function take(): Promise<void> {
    const { sample, totals } = await measure();
    last = totals;
    ring.push(sample);
    if (ring.length > kept) ring.shift();
  }

  const timer = setInterval(() => void take().catch(() => undefined), everyMs).unref();
  return {
    samples: async () => [...ring, (await measure()).sample],
    close: () => clearInterval(timer),
  };
}

/** Cumulative figures of the histogram. `buckets`: requests up to each bound in seconds. */
type Totals = { requests: number; errors: number; buckets: Map<number, number> };
type Value = { labels: Partial<Record<string, string | number>>; value: number; metricName?: string };

function totalsOf(values: readonly Value[]): Totals {
  const totals: Totals = { requests: 0, errors: 0, buckets: new Map() };
  for (const { labels, value, metricName = "" } of values) {
    if (metricName.endsWith("_count")) {
      totals.requests += value;
      if (Number(labels["status"]) >= 500) totals.errors += value;
    }
    const bound = labels["le"];
    if (metricName.endsWith("_bucket") && bound !== undefined) {
      const seconds = bound === "+Inf" ? Infinity : Number(bound);
      totals.buckets.set(seconds, (totals.buckets.get(seconds) ?? 0) + value);
    }
  }
  return totals;
}

function difference(before: Totals, after: Totals): Pick<Sample, "requests" | "errors" | "latency"> {
  const buckets = [...after.buckets]
    .map(([bound, requests]): [bound: number, requests: number] => [bound, requests - (before.buckets.get(bound) ?? 0)])
    .toSorted(([one], [other]) => one - other);
  const requests = after.requests - before.requests;
  return { requests, errors: after.errors - before.errors, latency: percentile(buckets, requests * 0.95) };
}

/** Interpolates within the bucket, as Prometheus does. Returns milliseconds. */
function percentile(buckets: readonly [bound: number, requests: number][], rank: number): number | null {
  if (rank === 0) return null;
  let [lower, below] = [0, 0];
  for (const [bound, requests] of buckets) {
    if (requests >= rank) {
      const share = requests === below ? 1 : (rank - below) / (requests - below);
      return (bound === Infinity ? lower : lower + (bound - lower) * share) * 1000;
    }
    [lower, below] = [bound, requests];
  }
  return lower * 1000;
}
