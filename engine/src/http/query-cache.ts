/** Commits invalidate results before their mutation is answered (docs.convex.dev/realtime, 'Automatic caching'). */
import { LRUCache } from "lru-cache";
import { argumentsText } from "../functions/call.ts";
import type { Call, FunctionRunner, QueryOutcome } from "../functions/types.ts";
import { identityKey } from "../sync/identity-key.ts";
import { shortKey } from "../values/short-key.ts";
import type { Timestamp } from "../values/types.ts";

type Runner = Pick<FunctionRunner, "queries" | "latest" | "onCommit" | "unsubscribe">;

export type QueryCache = {
  query(call: Call, at?: Timestamp): Promise<QueryOutcome>;
  readonly hits: number;
  readonly size: number;
};

type CachedQuery = { token: string; outcome: QueryOutcome };

export type Bounds = { entries: number; bytes: number };
const BOUNDS: Bounds = { entries: 1_000, bytes: 16 * 1024 * 1024 };

export function createQueryCache(runner: Runner, bounds: Bounds = BOUNDS): QueryCache {
  const entries = new LRUCache<string, CachedQuery>({
    max: bounds.entries,
    maxSize: bounds.bytes,
    dispose({ token }, _key, reason) {
      if (reason !== "delete") release(token);
    },
  });
  const keyByToken = new Map<string, string>();
  const seen = new Set<string>();
  const personal = new Set<string>();
  let tokens = 0;
  let hits = 0;

  runner.onCommit(({ affected }) => {
    for (const token of affected) {
      const key = keyByToken.get(token) ?? "";
      keyByToken.delete(token);
      if (entries.peek(key)?.token === token) entries.delete(key);
    }
  });

  function release(token: string): void {
    if (keyByToken.delete(token)) runner.unsubscribe([token]);
  }

  function wasRequestedBefore(key: string): boolean {
    if (seen.has(key)) return true;
    if (seen.size >= bounds.entries) seen.clear();
    seen.add(key);
    return false;
  }

  const run = async (call: Call & { token?: string }, at: Timestamp | undefined): Promise<QueryOutcome> => {
    const [outcome] = await runner.queries([call], at);
    if (!outcome) throw new Error("A query returned no outcome.");
    return outcome;
  };

  return {
    get hits() {
      return hits;
    },
    get size() {
      return entries.size;
    },
    async query(call, at) {
      const general = shortKey(`${call.visibility} ${call.component ?? ""} ${call.path} `, argumentsText(call));
      const own = () => `${general} ${identityKey(call.identity)}`;
      const key = personal.has(call.path) ? own() : general;
      const found = entries.get(key);
      if (found && (at === undefined || (found.outcome.ts <= at && at <= runner.latest()))) {
        hits += 1;
        return found.outcome;
      }
      if (found || !wasRequestedBefore(key)) return run(call, at);

      tokens += 1;
      const token = `cache ${tokens}`;
      keyByToken.set(token, key);
      let outcome: QueryOutcome;
      try {
        outcome = await run({ ...call, token }, at);
      } catch (error) {
        keyByToken.delete(token);
        throw error;
      }
      if (outcome.readIdentity && !outcome.refused) personal.add(call.path);
      if (!keyByToken.has(token)) return outcome;
      const size =
        outcome.ok && !outcome.volatile && outcome.logLines.length === 0 ? 2 * (key.length + (outcome.valueText ?? "").length) : Infinity;
      if (size > bounds.bytes) {
        release(token);
      } else {
        const under = personal.has(call.path) ? own() : general;
        keyByToken.set(token, under);
        entries.set(under, { token, outcome }, { size });
      }
      return outcome;
    },
  };
}
