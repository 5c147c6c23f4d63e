/**
 * Every live query of every socket, run once for all who would get the same answer.
 *
 * Work is done in rounds. A round takes what commits have made stale and what is newly watched, runs all of it at one
 * snapshot, and then lets each session it concerns move there. Between rounds nothing runs: a commit outside all read
 * ranges costs nothing here.
 */
import { shownTo } from "../auth/shown.ts";
import type { Call, FunctionRunner, Outcome, QueryOutcome } from "../functions/types.ts";
import type { Identity, Json, Timestamp } from "../values/types.ts";
import { queryResult, type QueryResult } from "./messages.ts";

type QuerySpec = { path: string; args: Json; journal: string | null };

/** Who watches. `advance` moves it to the snapshot and tells whether it has got everything it waits for. */
export interface Subscriber {
  readonly identity: Identity;
  readonly identityKey: string;
  /** False while it takes nothing more: what it alone watches is not run until then, and it is touched when it does again. */
  readonly writable: boolean;
  advance(snapshot: Timestamp): boolean;
}

/** One session's interest in one query. */
export interface Watch {
  /** The result at a snapshot, or null while it is not known. */
  resultAt(snapshot: Timestamp): QueryResult | null;
}

export interface SharedQueries {
  watch(spec: QuerySpec, subscriber: Subscriber): Watch;
  unwatch(watch: Watch): void;
  /** After the subscriber's identity has changed: looks again for the run whose answer is its own. */
  reidentify(watch: Watch): void;
  /** Asks for `advance` at the next round, even if no result changes. */
  touch(subscriber: Subscriber): void;
  forget(subscriber: Subscriber): void;
  /** How many runs there have been, for tests and metrics. */
  readonly runs: number;
  /** How many different queries somebody watches. */
  readonly watched: number;
  close(): void;
}

export type SharedQueriesOptions = {
  runner: Pick<FunctionRunner, "queries" | "latest" | "onCommit" | "unsubscribe">;
  /** Answers queries below `_system/`, which are the deployment's own. */
  system: (call: Call) => Promise<Outcome>;
  report: (error: unknown) => void;
};

type Caller = { identity: Identity; key: string };

/** The wait before a round is tried again that could not be run at all. */
const RETRY_MS = 250;

/** One run, and who shares it: callers of one identity, or everybody (`variant` null) where identity was not read. */
class Run {
  base: string;
  readonly spec: QuerySpec;
  readonly visibility: Call["visibility"];
  readonly watches = new Set<WatchEntry>();
  variant: string | null;
  token: string | null = null;
  result: QueryResult | null = null;
  journal: string | null;
  /** How it failed the last time; null when it did not. */
  failure: { message: string; requestId?: string } | null = null;
  /** The first commit after the result's snapshot that met its ranges. */
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
}

export function createSharedQueries({ runner, system, report }: SharedQueriesOptions): SharedQueries {
  const runs = new Map<string, Run>();
  const byToken = new Map<string, Run>();
  const stale = new Set<Run>();
  const systemRuns = new Set<Run>();
  const unresolved = new Set<WatchEntry>();
  const touched = new Set<Subscriber>();
  /** Paths that were seen to read the caller's identity: callers then run side by side instead of one trying for all. */
  const readsIdentity = new Set<string>();
  let tokens = 0;
  let runCount = 0;
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
      void round();
    });
  }

  async function round(): Promise<void> {
    if (closed) return;
    active = true;
    again = false;
    const due = takeDue();
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

  /** Finds or makes a run for whoever has none, and collects all runs that are due: stale, and watched by somebody who takes the answer. */
  function takeDue(): Run[] {
    for (const run of stale) if (run.journal !== null) goOnFromJournal(run);
    for (const watch of unresolved) {
      const { spec, subscriber } = watch;
      const base = baseKey(spec, subscriber.identity);
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
      run.watches.add(watch);
    }
    unresolved.clear();
    const due = [...stale].filter(isAwaited);
    for (const run of due) stale.delete(run);
    return due;
  }

  /**
   * A run goes on where its journal says that its page ends, so that the page grows as rows come into it. Who asks without that journal gets the page as
   * it is asked for, from a run of their own; who comes back with it (after a reconnect) shares this one.
   */
  function goOnFromJournal(run: Run): void {
    const base = keyOf(run.visibility, { ...run.spec, journal: run.journal });
    if (base === run.base) return;
    unregister(run);
    run.base = base;
    const key = runKey(base, run.variant);
    if (!runs.has(key)) runs.set(key, run);
  }

  async function runAll(due: Run[]): Promise<Timestamp> {
    const asked = due.map((run) => ({ run, caller: callerOf(run) }));
    const own = asked.filter(({ run }) => isSystem(run.spec.path));
    const queries = asked.filter(({ run }) => !isSystem(run.spec.path));
    runCount += asked.length;
    const calls = queries.map(({ run, caller }) => {
      if (run.token !== null) drop(run.token);
      tokens += 1;
      run.token = `q${tokens}`;
      run.staleSince = null;
      byToken.set(run.token, run);
      return { ...callOf(run, caller.identity), token: run.token };
    });
    for (const { run } of own) run.staleSince = null;
    const [outcomes, ownOutcomes] = await Promise.all([
      calls.length === 0 ? [] : runner.queries(calls),
      Promise.all(own.map(({ run, caller }) => system(callOf(run, caller.identity)))),
    ]);
    queries.forEach(({ run, caller }, i) => {
      const outcome = outcomes[i];
      if (outcome) settle(run, caller, outcome);
    });
    own.forEach(({ run, caller }, i) => {
      const outcome = ownOutcomes[i];
      if (outcome) settle(run, caller, { ...outcome, ts: 0n, readIdentity: true });
    });
    return outcomes[0]?.ts ?? runner.latest();
  }

  /**
   * Whose identity a run uses: one with a live token, if there is any. Taken before the run, since a subscriber's identity
   * may change while it goes on, and what was read then belongs to the former.
   */
  function callerOf(run: Run): Caller {
    let found: Subscriber | undefined;
    for (const { subscriber } of run.watches) {
      if (!found || expiry(subscriber.identity) > expiry(found.identity)) found = subscriber;
    }
    if (!found) throw new Error("A query that nobody watches was due.");
    return { identity: found.identity, key: found.identityKey };
  }

  const callOf = (run: Run, identity: Identity): Call => ({
    path: run.spec.path,
    args: run.spec.args,
    identity,
    visibility: run.visibility,
    journal: run.journal,
  });

  function settle(run: Run, caller: Caller, outcome: QueryOutcome): void {
    const journal = outcome.journal ?? null;
    // A query that goes on failing in the same way keeps its number, and nobody is told again.
    if (!outcome.ok && run.failure?.message === outcome.message && run.failure.requestId) outcome.requestId = run.failure.requestId;
    run.failure = outcome.ok ? null : outcome;
    const result = queryResult(shownTo(run.visibility === "any" ? "admin" : "none", outcome), journal);
    // The same result keeps its object, by which sessions see that nothing has changed.
    if (run.result?.type !== result.type || run.result.fields !== result.fields) run.result = result;
    run.journal = journal;
    if (!outcome.readIdentity) {
      readsIdentity.delete(run.spec.path);
    } else if (run.variant === null) {
      readsIdentity.add(run.spec.path);
      narrow(run, caller.key);
    }
  }

  /** A run that everybody shared has read who calls: it belongs to that caller alone, and the others look again. */
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
    if (!(watch instanceof WatchEntry)) throw new Error("A watch of another registry.");
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
      // With a new token, as the same person: their pages stay as they are. Another person's begin anew.
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
    forget: (subscriber) => void touched.delete(subscriber),
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

const isAwaited = ({ watches }: Run) => watches.values().some(({ subscriber }) => subscriber.writable);
const isSystem = (path: string) => path.startsWith("_system/");
const visibilityFor = (identity: Identity): Call["visibility"] => (identity.kind === "admin" ? "any" : "public");
const keyOf = (visibility: Call["visibility"], { path, args, journal }: QuerySpec) => JSON.stringify([visibility, path, args, journal]);
const baseKey = (spec: QuerySpec, identity: Identity) => keyOf(visibilityFor(identity), spec);
const runKey = (base: string, variant: string | null) => (variant === null ? base : `${base} ${variant}`);
const expiry = (identity: Identity) => (identity.kind === "user" ? identity.expiresAt : Infinity);
