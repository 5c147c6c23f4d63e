/** A round runs stale and new queries at one snapshot and advances the sessions; commits outside all read sets cost nothing. */
import { redactOutcome } from "../auth/redact-outcome.ts";
import { callWithText } from "../functions/call.ts";
import { shareKey } from "../functions/transactor/caller-share.ts";
import type { Call, FunctionRunner, Outcome, QueryOutcome } from "../functions/types.ts";
import type { ComponentPath } from "../functions/paths.ts";
import { shortKey } from "../values/short-key.ts";
import type { Identity, Timestamp } from "../values/types.ts";
import { queryResult, type QueryResult } from "./messages.ts";

/** `argsText`: JSON; null once the query was refused and its arguments dropped. */
type QuerySpec = { path: string; component?: ComponentPath | undefined; argsText: string | null; journal: string | null };
type NewQuery = QuerySpec & { argsText: string };

/** `advance` moves it to a snapshot and returns whether all results that it needs are available. */
export interface Subscriber {
  readonly identity: Identity;
  readonly identityKey: string;
  readonly writable: boolean;
  advance(snapshot: Timestamp): boolean;
  /** Makes the client reconnect and resubscribe, which restores dropped arguments. */
  reconnect(): void;
}

export interface Watch {
  resultAt(snapshot: Timestamp): QueryResult | null;
  readonly argumentBytes: number;
}

export interface SharedQueries {
  watch(spec: NewQuery, subscriber: Subscriber): Watch;
  unwatch(watch: Watch): void;
  reidentify(watch: Watch): void;
  touch(subscriber: Subscriber): void;
  removeSubscriber(subscriber: Subscriber): void;
  /** Resolves when the current round has ended, and with it each run of a removed query. */
  idle(): Promise<void>;
  /** Reruns the system queries, which also depend on data outside the database. */
  refreshSystem(): void;
  readonly runs: number;
  readonly watched: number;
  close(): void;
}

export type SharedQueriesOptions = {
  runner: Pick<FunctionRunner, "queryRound" | "latest" | "onCommit" | "unsubscribe">;
  system: (call: Call) => Promise<Outcome>;
  redactErrors?: boolean;
  report: (error: unknown) => void;
};

type Caller = { identity: Identity; key: string };

const QUERY_BYTES = 1_024;
/** Smaller arguments of refused queries are kept, so that they rerun after a push. */
const KEPT_REFUSED_BYTES = 1_024;

const RETRY_MS = 250;
const MAX_BATCH_QUERIES = 1_000;

/** A run shared by callers of one identity, or by all (`variant` null) if it read none. */
class Run {
  base: string;
  spec: QuerySpec;
  readonly visibility: Call["visibility"];
  readonly watches = new Set<WatchEntry>();
  variant: string | null;
  token: string | null = null;
  result: QueryResult | null = null;
  journal: string | null;
  failure: { message: string; requestId?: string } | null = null;
  staleSince: Timestamp | null = null;

  constructor(base: string, variant: string | null, spec: QuerySpec, visibility: Call["visibility"]) {
    this.base = base;
    this.variant = variant;
    this.spec = spec;
    this.visibility = visibility;
    this.journal = spec.journal;
  }
}

class WatchEntry implements Watch {
  spec: QuerySpec;
  readonly subscriber: Subscriber;
  run: Run | null = null;

  constructor(spec: QuerySpec, subscriber: Subscriber) {
    this.spec = spec;
    this.subscriber = subscriber;
  }

  resultAt(snapshot: Timestamp): QueryResult | null {
    if (!this.run || (this.run.staleSince !== null && this.run.staleSince <= snapshot)) return null;
    return this.run.result;
  }

  get argumentBytes(): number {
    return QUERY_BYTES + (this.spec.argsText?.length ?? 0);
  }
}

export function createSharedQueries({ runner, system, redactErrors = false, report }: SharedQueriesOptions): SharedQueries {
  const runs = new Map<string, Run>();
  const byToken = new Map<string, Run>();
  const stale = new Set<Run>();
  const systemRuns = new Set<Run>();
  const unresolved = new Set<WatchEntry>();
  const touched = new Set<Subscriber>();
  /** Paths of functions that read the identity. Each caller's run starts at once, without a shared run first. */
  const readsIdentity = new Set<string>();
  let tokens = 0;
  let runCount = 0;
  let roundEnd = Promise.resolve();
  let active = false;
  let scheduled = false;
  let again = false;
  let closed = false;

  const stopListening = runner.onCommit(({ ts, affected }) => {
    for (const token of affected) {
      const run = byToken.get(token);
      byToken.delete(token);
      if (!run) continue;
      if (run.token === token) run.token = null;
      markStale(run, ts);
    }
    for (const run of systemRuns) markStale(run, ts);
    if (stale.size > 0) schedule();
  });

  function markStale(run: Run, ts: Timestamp): void {
    run.staleSince ??= ts;
    stale.add(run);
  }

  function schedule(): void {
    again ||= active;
    if (scheduled || active || closed) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      roundEnd = round();
    });
  }

  async function round(): Promise<void> {
    if (closed) return;
    active = true;
    again = false;
    const due = dueRuns();
    const waiting = new Set(touched);
    touched.clear();
    try {
      const snapshot = await runAll(due);
      for (const run of due) for (const watch of run.watches) waiting.add(watch.subscriber);
      for (const subscriber of waiting) if (!subscriber.advance(snapshot)) touched.add(subscriber);
    } catch (error) {
      if (closed) return;
      report(error);
      for (const run of due) if (run.watches.size > 0) markStale(run, 0n);
      for (const subscriber of waiting) touched.add(subscriber);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    } finally {
      active = false;
    }
    if (again || unresolved.size > 0 || stale.values().some(isAwaited)) schedule();
  }

  function dueRuns(): Run[] {
    for (const run of stale) {
      if (run.journal !== null) resumeFromJournal(run);
      if (run.spec.argsText !== null) continue;
      stale.delete(run);
      for (const { subscriber } of run.watches) subscriber.reconnect();
    }
    for (const watch of unresolved) {
      const { spec, subscriber } = watch;
      const { argsText } = spec;
      if (argsText === null) {
        subscriber.reconnect();
        continue;
      }
      const base = baseKey({ ...spec, argsText }, subscriber.identity);
      const own = runKey(base, subscriber.identityKey);
      const shared = runKey(base, null);
      let run = runs.get(shared) ?? runs.get(own);
      if (!run) {
        run = new Run(base, readsIdentity.has(spec.path) ? subscriber.identityKey : null, spec, visibilityFor(subscriber.identity));
        runs.set(runKey(base, run.variant), run);
        stale.add(run);
        if (isSystem(spec.path)) systemRuns.add(run);
      }
      watch.run = run;
      watch.spec = { ...spec, argsText: run.spec.argsText };
      run.watches.add(watch);
    }
    unresolved.clear();
    const due = [...stale].filter(isAwaited);
    for (const run of due) stale.delete(run);
    return due;
  }

  /** Adds the journal to a run's key, because its page grows. New callers then use another run; reconnecting callers share this run. */
  function resumeFromJournal(run: Run): void {
    if (run.spec.argsText === null) return;
    const base = keyOf(run.visibility, { ...run.spec, argsText: run.spec.argsText, journal: run.journal });
    if (base === run.base) return;
    unregister(run);
    run.base = base;
    const key = runKey(base, run.variant);
    if (!runs.has(key)) runs.set(key, run);
  }

  async function runAll(due: Run[]): Promise<Timestamp> {
    const requested = due.map((run) => ({ run, caller: callerOf(run) }));
    const own = requested.filter(({ run }) => isSystem(run.spec.path));
    const queries = requested.filter(({ run }) => !isSystem(run.spec.path));
    runCount += requested.length;
    const calls = queries.map(({ run, caller }) => {
      if (run.token !== null) drop(run.token);
      tokens += 1;
      run.token = `q${tokens}`;
      run.staleSince = null;
      byToken.set(run.token, run);
      // Spreading would call the getter that parses the arguments.
      return Object.assign(callOf(run, caller.identity), { token: run.token });
    });
    for (const { run } of own) run.staleSince = null;
    const [outcomes, ownOutcomes] = await Promise.all([
      inBatches(calls),
      Promise.all(own.map(({ run, caller }) => system(callOf(run, caller.identity)))),
    ]);
    queries.forEach(({ run, caller }, i) => {
      const outcome = outcomes[i];
      if (outcome) settle(run, caller, outcome);
      else postpone(run);
    });
    own.forEach(({ run, caller }, i) => {
      const outcome = ownOutcomes[i];
      if (outcome) settle(run, caller, { ...outcome, ts: 0n, readIdentity: true });
    });
    return snapshotOf(outcomes) ?? runner.latest();
  }

  /** Runs batches at the snapshot of the first. When that snapshot has expired, the other batches wait for the next round. */
  async function inBatches(calls: Parameters<typeof runner.queryRound>[0]): Promise<(QueryOutcome | null)[]> {
    const outcomes: (QueryOutcome | null)[] = [];
    const overShare = new Set<string | null>();
    for (let from = 0; from < calls.length; from += MAX_BATCH_QUERIES) {
      const batch = calls.slice(from, from + MAX_BATCH_QUERIES);
      const due = batch.filter(({ identity }) => !overShare.has(shareKey(identity)));
      const answers = await queryRound(due, snapshotOf(outcomes));
      if (!answers) break;
      for (const [index, { identity }] of due.entries()) if (!answers[index]) overShare.add(shareKey(identity));
      const byCall = new Map(due.map((call, index) => [call, answers[index] ?? null]));
      outcomes.push(...batch.map((call) => byCall.get(call) ?? null));
    }
    return outcomes;
  }

  async function queryRound(calls: Parameters<typeof runner.queryRound>[0], at: Timestamp | undefined) {
    if (calls.length === 0) return [];
    const round = runner.queryRound(calls, at);
    return at === undefined ? round : round.catch(() => null);
  }

  /** Returns the caller with the latest token expiry. Fixed before the run, because identities may change during it. */
  function callerOf(run: Run): Caller {
    let found: Subscriber | undefined;
    for (const { subscriber } of run.watches) {
      if (!found || expiry(subscriber.identity) > expiry(found.identity)) found = subscriber;
    }
    if (!found) throw new Error("A query without subscribers was due.");
    return { identity: found.identity, key: found.identityKey };
  }

  const callOf = ({ spec, visibility, journal }: Run, identity: Identity): Call =>
    callWithText(spec.argsText ?? "{}", {
      path: spec.path,
      component: spec.component,
      identity,
      visibility,
      journal,
    });

  function settle(run: Run, caller: Caller, outcome: QueryOutcome): void {
    const journal = outcome.journal ?? null;
    // A repeated failure keeps its request id and is not sent again.
    if (!outcome.ok && run.failure?.message === outcome.message && run.failure.requestId) outcome.requestId = run.failure.requestId;
    run.failure = outcome.ok ? null : outcome;
    const result = queryResult(redactOutcome(run.visibility === "any" ? "admin" : "none", outcome, redactErrors), journal);
    // Sessions compare results by identity, so equal results keep their object.
    if (run.result?.type !== result.type || run.result.fields !== result.fields) run.result = result;
    run.journal = journal;
    if (outcome.refused) dropArguments(run);
    if (!outcome.readIdentity) {
      readsIdentity.delete(run.spec.path);
    } else if (run.variant === null) {
      readsIdentity.add(run.spec.path);
      narrow(run, caller.key);
    }
  }

  function postpone(run: Run): void {
    if (run.token !== null) byToken.delete(run.token);
    run.token = null;
    if (run.watches.size > 0) markStale(run, 0n);
  }

  function dropArguments(run: Run): void {
    if ((run.spec.argsText?.length ?? 0) <= KEPT_REFUSED_BYTES) return;
    run.spec = { ...run.spec, argsText: null };
    for (const watch of run.watches) watch.spec = { ...watch.spec, argsText: null };
  }

  /** Restricts a shared run that read the identity to its caller; other callers get new runs. */
  function narrow(run: Run, variant: string): void {
    unregister(run);
    run.variant = variant;
    const key = runKey(run.base, variant);
    if (!runs.has(key)) runs.set(key, run);
    for (const watch of run.watches) {
      if (watch.subscriber.identityKey === variant && runs.get(key) === run) continue;
      run.watches.delete(watch);
      watch.run = null;
      unresolved.add(watch);
      touched.add(watch.subscriber);
    }
    if (run.watches.size === 0) discard(run);
  }

  function detach(watch: WatchEntry): void {
    unresolved.delete(watch);
    const { run } = watch;
    watch.run = null;
    if (!run) return;
    run.watches.delete(watch);
    if (run.watches.size === 0) discard(run);
  }

  function unregister(run: Run): void {
    const key = runKey(run.base, run.variant);
    if (runs.get(key) === run) runs.delete(key);
  }

  function discard(run: Run): void {
    unregister(run);
    stale.delete(run);
    systemRuns.delete(run);
    if (run.token !== null) drop(run.token);
    run.token = null;
  }

  function drop(token: string): void {
    byToken.delete(token);
    runner.unsubscribe([token]);
  }

  const entryOf = (watch: Watch): WatchEntry => {
    if (!(watch instanceof WatchEntry)) throw new Error("The watch belongs to another registry.");
    return watch;
  };

  return {
    watch(spec, subscriber) {
      const watch = new WatchEntry(spec, subscriber);
      unresolved.add(watch);
      touched.add(subscriber);
      schedule();
      return watch;
    },
    unwatch: (watch) => detach(entryOf(watch)),
    reidentify(watch) {
      const entry = entryOf(watch);
      const { run, subscriber } = entry;
      if (run?.variant === null && run.visibility === visibilityFor(subscriber.identity)) return;
      // The same user keeps their page with a new token; another user receives the first page again.
      if (run) entry.spec = { ...entry.spec, journal: run.variant === subscriber.identityKey ? run.journal : null };
      detach(entry);
      unresolved.add(entry);
      touched.add(subscriber);
      schedule();
    },
    touch(subscriber) {
      touched.add(subscriber);
      schedule();
    },
    removeSubscriber: (subscriber) => void touched.delete(subscriber),
    idle: () => roundEnd,
    refreshSystem() {
      for (const run of systemRuns) markStale(run, 0n);
      if (stale.size > 0) schedule();
    },
    get watched() {
      return runs.size;
    },
    get runs() {
      return runCount;
    },
    close() {
      closed = true;
      stopListening();
    },
  };
}

const snapshotOf = (outcomes: (QueryOutcome | null)[]) => outcomes.find((outcome) => outcome !== null)?.ts;
const isAwaited = ({ watches }: Run) => watches.values().some(({ subscriber }) => subscriber.writable);
const isSystem = (path: string) => path.startsWith("_system/");
const visibilityFor = (identity: Identity): Call["visibility"] => (identity.kind === "admin" ? "any" : "public");
const keyOf = (visibility: Call["visibility"], { path, component = "", argsText, journal }: NewQuery) =>
  shortKey(JSON.stringify([visibility, component, path, journal]), argsText);
const baseKey = (spec: NewQuery, identity: Identity) => keyOf(visibilityFor(identity), spec);
const runKey = (base: string, variant: string | null) => (variant === null ? base : `${base} ${variant}`);
const expiry = (identity: Identity) => (identity.kind === "user" ? identity.expiresAt : Infinity);
