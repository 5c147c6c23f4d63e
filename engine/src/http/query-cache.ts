/**
 * Answers of queries over HTTP, kept as long as no commit meets what they read (as on every Convex deployment: docs.convex.dev/realtime,
 * 'Automatic caching'). A commit is told here before its mutation is answered, so nobody reads less than what they were told was written.
 */
import type { Call, FunctionRunner, QueryOutcome } from "../functions/types.ts";
import { identityKey } from "../sync/identity-key.ts";
import type { Timestamp } from "../values/types.ts";

type Runner = Pick<FunctionRunner, "queries" | "latest" | "onCommit" | "unsubscribe">;

export type QueryCache = {
  /** The answer at the newest snapshot, or at `at`. Rejects as `FunctionRunner.queries` does. */
  query(call: Call, at?: Timestamp): Promise<QueryOutcome>;
  /** How many answers came from here, for tests and metrics. */
  readonly hits: number;
};

type Kept = { key: string; token: string; outcome: QueryOutcome; size: number };

export type Bounds = { entries: number; bytes: number };
const BOUNDS: Bounds = { entries: 1_000, bytes: 16 * 1024 * 1024 };

export function createQueryCache(runner: Runner, bounds: Bounds = BOUNDS): QueryCache {
  /** The longest unused first. */
  const kept = new Map<string, Kept>();
  /** What a token stands for, from before its run until a commit meets it. */
  const byToken = new Map<string, string>();
  /** Asked once of late: what is never asked again is not worth keeping. */
  const seen = new Set<string>();
  /** Functions that were seen to read who calls. */
  const personal = new Set<string>();
  let bytes = 0;
  let tokens = 0;
  let hits = 0;

  runner.onCommit(({ affected }) => {
    for (const token of affected) {
      const found = kept.get(byToken.get(token) ?? "");
      byToken.delete(token);
      if (found?.token === token) remove(found);
    }
  });

  function remove(entry: Kept): void {
    kept.delete(entry.key);
    bytes -= entry.size;
  }

  function forget(token: string): void {
    if (byToken.delete(token)) runner.unsubscribe([token]);
  }

  function keep(entry: Kept): void {
    const before = kept.get(entry.key);
    if (before) drop(before);
    kept.set(entry.key, entry);
    bytes += entry.size;
    for (const oldest of kept.values()) {
      if (kept.size <= bounds.entries && bytes <= bounds.bytes) return;
      drop(oldest);
    }
  }

  function drop(entry: Kept): void {
    remove(entry);
    forget(entry.token);
  }

  function askedBefore(key: string): boolean {
    if (seen.has(key)) return true;
    if (seen.size >= bounds.entries) seen.clear();
    seen.add(key);
    return false;
  }

  const run = async (call: Call & { token?: string }, at: Timestamp | undefined): Promise<QueryOutcome> => {
    const [outcome] = await runner.queries([call], at);
    if (!outcome) throw new Error("A query was asked for and none was answered.");
    return outcome;
  };

  return {
    get hits() {
      return hits;
    },
    async query(call, at) {
      const general = `${call.visibility} ${call.path} ${JSON.stringify(call.args)}`;
      const own = () => `${general} ${identityKey(call.identity)}`;
      const key = personal.has(call.path) ? own() : general;
      const found = kept.get(key);
      if (found && (at === undefined || (found.outcome.ts <= at && at <= runner.latest()))) {
        hits += 1;
        kept.delete(key);
        kept.set(key, found);
        return found.outcome;
      }
      if (found || !askedBefore(key)) return run(call, at);

      tokens += 1;
      const token = `cache ${tokens}`;
      byToken.set(token, key);
      let outcome: QueryOutcome;
      try {
        outcome = await run({ ...call, token }, at);
      } catch (error) {
        byToken.delete(token);
        throw error;
      }
      if (outcome.readIdentity) personal.add(call.path);
      if (!byToken.has(token)) return outcome;
      const size =
        outcome.ok && !outcome.volatile && outcome.logLines.length === 0 ? 2 * (key.length + (outcome.valueText ?? "").length) : Infinity;
      if (size > bounds.bytes) {
        forget(token);
      } else {
        const under = personal.has(call.path) ? own() : general;
        byToken.set(token, under);
        keep({ key: under, token, outcome, size });
      }
      return outcome;
    },
  };
}
