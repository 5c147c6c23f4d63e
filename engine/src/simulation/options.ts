/** Properties of a remote deployment that an embedded one lacks. Null: no limit. */
export type Simulation = {
  /** Latency of an HTTP request, and of a websocket message with its answer: half in each direction. */
  latencyMs: number;
  /** Delay between a mutation's run and its commit, during which other commits can conflict. Null: mutations commit at once. */
  commitDelayMs: number | null;
  concurrentQueries: number | null;
  concurrentMutations: number | null;
  concurrentActions: number | null;
  concurrentScheduled: number | null;
  writeBytesPerSecond: number | null;
  redactErrors: boolean;
};

export const NO_SIMULATION: Simulation = {
  latencyMs: 0,
  commitDelayMs: null,
  concurrentQueries: null,
  concurrentMutations: null,
  concurrentActions: null,
  concurrentScheduled: null,
  writeBytesPerSecond: null,
  redactErrors: false,
};

/** Convex's smallest class, S16 (https://docs.convex.dev/production/state/limits), with the latency of a nearby region. */
export const HOSTED: Simulation = {
  latencyMs: 40,
  commitDelayMs: 10,
  concurrentQueries: 16,
  concurrentMutations: 16,
  concurrentActions: 16,
  concurrentScheduled: 8,
  writeBytesPerSecond: 4 * 1024 * 1024,
  redactErrors: true,
};

export const HOSTED_CLOCK_SKEW_MS = 2_000;
