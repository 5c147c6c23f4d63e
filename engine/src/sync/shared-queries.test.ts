import { describe, expect, it } from "vitest";
import type { Call, Outcome, QueryOutcome } from "../functions/types.ts";
import type { Identity, Timestamp } from "../values/types.ts";
import { identityKey } from "./identity-key.ts";
import { createSharedQueries, type SharedQueries, type Subscriber, type Watch } from "./shared-queries.ts";

type Answer = { value: string; readIdentity?: boolean; journal?: string; refused?: boolean };

function createRunner(answer: (call: Call) => Answer) {
  let ts: Timestamp = 1n;
  let listener: ((commit: { ts: Timestamp; affected: string[] }) => void) | undefined;
  const live = new Map<string, string>();
  const requested: Call[][] = [];
  let gate: Promise<void> = Promise.resolve();
  return {
    queries: requested,
    live,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    commit(path: string | null) {
      ts += 1n;
      const affected = [...live].filter(([, livePath]) => livePath === path).map(([token]) => token);
      for (const token of affected) live.delete(token);
      listener?.({ ts, affected });
      return ts;
    },
    runner: {
      latest: () => ts,
      onCommit(added: (commit: { ts: Timestamp; affected: string[] }) => void) {
        listener = added;
        return () => (listener = undefined);
      },
      unsubscribe: (tokens: string[]) => tokens.forEach((token) => live.delete(token)),
      async queryRound(calls: (Call & { token?: string })[]): Promise<(QueryOutcome | null)[]> {
        requested.push(calls);
        await gate;
        const at = ts;
        return calls.map((call) => {
          if (call.token !== undefined) live.set(call.token, call.path);
          const { value, readIdentity = false, journal, refused = false } = answer(call);
          return { ok: true, value, logLines: [], ts: at, readIdentity, refused, ...(journal !== undefined && { journal }) };
        });
      },
    },
  };
}

class Session implements Subscriber {
  identity: Identity;
  identityKey: string;
  writable = true;
  watches: Watch[] = [];
  seen: { at: Timestamp; results: (string | null)[] }[] = [];

  constructor(identity: Identity = { kind: "none" }) {
    this.identity = identity;
    this.identityKey = identityKey(identity);
  }

  become(identity: Identity) {
    this.identity = identity;
    this.identityKey = identityKey(identity);
  }

  advance(snapshot: Timestamp): boolean {
    const results = this.watches.map((watch) => watch.resultAt(snapshot)?.fields ?? null);
    if (results.includes(null)) return false;
    this.seen.push({ at: snapshot, results });
    return true;
  }

  reconnects = 0;
  queries: SharedQueries | null = null;

  reconnect(): void {
    this.reconnects += 1;
    for (const watch of this.watches.splice(0)) this.queries?.unwatch(watch);
  }

  get last() {
    return this.seen.at(-1)?.results.map((fields) => /"value":"([^"]*)"/.exec(fields ?? "")?.[1]);
  }
}

const user = (subject: string, expiresAt = Date.now() + 60_000): Identity => ({
  kind: "user",
  user: { subject, issuer: "https://issuer.test", tokenIdentifier: `https://issuer.test|${subject}` },
  expiresAt,
});
const query = (path: string, args = {}) => ({ path, argsText: JSON.stringify(args), journal: null });
const system = async (): Promise<Outcome> => ({ ok: true, value: "system", logLines: [] });
const report = (error: unknown) => {
  throw error;
};
/** Counts turns of the event loop instead of time, because the process may stall. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
};

const nameOf = ({ identity }: Call) => (identity.kind === "user" ? identity.user.subject : identity.kind);

describe("shared queries", () => {
  it("runs equal queries once for all subscribers", async () => {
    const fake = createRunner(() => ({ value: "same" }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const sessions = Array.from({ length: 50 }, (_, i) => new Session(user(`u${i}`)));
    for (const session of sessions) session.watches.push(queries.watch(query("a:b"), session));
    await settled();
    expect(fake.queries.map((calls) => calls.length)).toEqual([1]);
    expect(sessions.every((session) => session.last?.[0] === "same")).toBe(true);
    fake.commit("a:b");
    await settled();
    expect(queries.runs).toBe(2);
    expect(new Set(sessions.map((session) => session.seen.at(-1)?.results[0])).size).toBe(1);
  });

  it("drops large arguments of a refused query and reconnects clients to rerun it", async () => {
    let refused = true;
    const fake = createRunner(() => ({ value: "none", refused }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const [large, small] = [new Session(), new Session()];
    const padded = query("a:b", { text: "x".repeat(5_000) });
    const watch = queries.watch(padded, large);
    large.watches.push(watch);
    large.queries = queries;
    small.watches.push(queries.watch(query("a:b"), small));
    expect(watch.argumentBytes).toBeGreaterThan(5_000);
    await settled();
    expect(watch.argumentBytes).toBeLessThan(2_000);
    refused = false;
    fake.commit("a:b");
    await settled();
    expect([large.reconnects, small.reconnects]).toEqual([1, 0]);
    expect(small.seen).toHaveLength(2);
    const accepted = queries.watch(padded, large);
    large.watches.push(accepted);
    await settled();
    expect(accepted.argumentBytes).toBeGreaterThan(5_000);
  });

  it("runs more than 1,000 queries in batches at one snapshot", async () => {
    const fake = createRunner(() => ({ value: "x" }));
    const batches: { size: number; at: Timestamp | undefined }[] = [];
    const inBatches = async (calls: (Call & { token?: string })[], at?: Timestamp) => {
      batches.push({ size: calls.length, at });
      if (batches.length === 3) throw new Error("The snapshot is no longer kept.");
      return fake.runner.queryRound(calls);
    };
    const queries = createSharedQueries({ runner: { ...fake.runner, queryRound: inBatches }, system, report });
    const session = new Session();
    for (let i = 0; i < 2_500; i++) session.watches.push(queries.watch(query("a", { i }), session));
    await settled();
    expect(batches).toEqual([
      { size: 1_000, at: undefined },
      { size: 1_000, at: 1n },
      { size: 500, at: 1n },
      { size: 500, at: undefined },
    ]);
    expect(session.seen.map(({ results }) => results.length)).toEqual([2_500]);
  });

  it("sends results to callers within their share while another caller's queries wait", async () => {
    const fake = createRunner(({ path }) => ({ value: path, readIdentity: true }));
    const [ada, eve] = [new Session(user("ada")), new Session(user("eve"))];
    const rounds: string[][] = [];
    const queryRound = async (calls: (Call & { token?: string })[]) => {
      const eves = calls.filter((call) => nameOf(call) === "eve");
      const due = calls.filter((call) => nameOf(call) === "ada" || call === eves[0]);
      rounds.push(due.map(nameOf));
      const outcomes = await fake.runner.queryRound(due);
      return calls.map((call) => outcomes[due.indexOf(call)] ?? null);
    };
    const queries = createSharedQueries({ runner: { ...fake.runner, queryRound }, system, report });
    for (const lane of [1, 2, 3]) eve.watches.push(queries.watch(query("a:slow", { lane }), eve));
    ada.watches.push(queries.watch(query("a:fast"), ada));
    await settled();
    expect(rounds).toEqual([["eve", "ada"], ["eve"], ["eve"]]);
    expect([ada.last, eve.last]).toEqual([["a:fast"], ["a:slow", "a:slow", "a:slow"]]);
    fake.commit("a:slow");
    await settled();
    expect(rounds.slice(3)).toEqual([["eve"], ["eve"], ["eve"]]);
  });

  it("sends a caller over the share no further batches of a round", async () => {
    const fake = createRunner(() => ({ value: "x" }));
    const sizes: number[] = [];
    const queryRound = async (calls: (Call & { token?: string })[]) => {
      sizes.push(calls.length);
      const outcomes = await fake.runner.queryRound(calls.slice(0, 1_200));
      return sizes.length === 1 ? calls.map((_, index) => (index === 0 ? (outcomes[0] ?? null) : null)) : outcomes;
    };
    const queries = createSharedQueries({ runner: { ...fake.runner, queryRound }, system, report });
    const session = new Session();
    for (let i = 0; i < 1_500; i++) session.watches.push(queries.watch(query("a", { i }), session));
    await settled();
    expect(sizes).toEqual([1_000, 1_000, 499]);
    expect(session.last).toHaveLength(1_500);
  });

  it("runs all batches at one snapshot, also when the first query must wait", async () => {
    const fake = createRunner(() => ({ value: "x" }));
    const snapshots: (bigint | undefined)[] = [];
    const queryRound = async (calls: (Call & { token?: string })[], at?: bigint) => {
      snapshots.push(at);
      const outcomes = await fake.runner.queryRound(calls);
      return snapshots.length === 1 ? outcomes.with(0, null) : outcomes;
    };
    const queries = createSharedQueries({ runner: { ...fake.runner, queryRound }, system, report });
    const [ada, eve] = [new Session(user("ada")), new Session(user("eve"))];
    ada.watches.push(queries.watch(query("a:late"), ada));
    for (let i = 0; i < 1_500; i++) eve.watches.push(queries.watch(query("a", { i }), eve));
    await settled();
    expect(snapshots).toEqual([undefined, fake.runner.latest(), undefined]);
  });

  it("runs nothing after a commit that affects no read set", async () => {
    const fake = createRunner(() => ({ value: "same" }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const session = new Session();
    session.watches.push(queries.watch(query("a:b"), session));
    await settled();
    fake.commit("other");
    await settled();
    expect(queries.runs).toBe(1);
    expect(session.seen).toHaveLength(1);
  });

  it("skips blocked subscribers and runs the newest state when they resume", async () => {
    let value = 1;
    const fake = createRunner(() => ({ value: `state ${value}` }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const [slow, quick] = [new Session(), new Session()];
    slow.watches.push(queries.watch(query("slow"), slow), queries.watch(query("both"), slow));
    quick.watches.push(queries.watch(query("both"), quick));
    await settled();
    slow.writable = false;
    for (value = 2; value <= 5; value++) {
      fake.commit("slow");
      fake.commit("both");
      await settled();
    }
    expect(fake.queries.flat().map(({ path }) => path)).toEqual(["slow", "both", "both", "both", "both", "both"]);
    expect(quick.last).toEqual(["state 5"]);
    expect(slow.last).toEqual(["state 1", "state 1"]);
    slow.writable = true;
    queries.touch(slow);
    await settled();
    expect(fake.queries.at(-1)?.map(({ path }) => path)).toEqual(["slow"]);
    expect(slow.last).toEqual(["state 6", "state 5"]);
    expect(slow.seen).toHaveLength(2);
  });

  it("gives a new subscriber the requested page, not one that has grown for others", async () => {
    const fake = createRunner(({ journal }) => ({ value: journal === null ? "three rows" : `up to ${journal}`, journal: "the end" }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const [first, later, back] = [new Session(), new Session(), new Session()];
    const both = new Session();
    for (const session of [first, both]) session.watches.push(queries.watch(query("page"), session));
    await settled();
    expect([first.last, both.last, queries.runs]).toEqual([["three rows"], ["three rows"], 1]);
    fake.commit("page");
    later.watches.push(queries.watch(query("page"), later));
    await settled();
    expect([first.last, both.last, later.last]).toEqual([["up to the end"], ["up to the end"], ["three rows"]]);
    expect(queries.runs).toBe(3);
    back.watches.push(queries.watch({ ...query("page"), journal: "the end" }, back));
    await settled();
    expect(back.last).toEqual(["up to the end"]);
    expect(queries.runs).toBe(3);
    fake.commit("page");
    await settled();
    expect([first.last, later.last, back.last]).toEqual([["up to the end"], ["up to the end"], ["up to the end"]]);
  });

  it("keeps a user's page when their token is renewed, and resets it for another user", async () => {
    const fake = createRunner((call) => ({
      value: `${nameOf(call)} ${call.journal ?? "anew"}`,
      readIdentity: true,
      journal: "the end",
    }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const session = new Session(user("ada"));
    const watch = queries.watch(query("page"), session);
    session.watches.push(watch);
    await settled();
    expect(session.last).toEqual(["ada anew"]);
    session.become(user("ada", Date.now() + 90_000));
    queries.reidentify(watch);
    await settled();
    expect(session.last).toEqual(["ada the end"]);
    session.become(user("bob"));
    queries.reidentify(watch);
    await settled();
    expect(session.last).toEqual(["bob anew"]);
  });

  it("runs per caller when the identity was read, and shares equal callers' results", async () => {
    const fake = createRunner((call) => ({ value: nameOf(call), readIdentity: true }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const sessions = [new Session(user("ada")), new Session(user("bob")), new Session(user("ada", Date.now() + 90_000)), new Session()];
    for (const session of sessions) session.watches.push(queries.watch(query("me"), session));
    await settled();
    expect(sessions.map((session) => session.last)).toEqual([["ada"], ["bob"], ["ada"], ["none"]]);
    expect(queries.runs).toBe(3);
  });

  it("stops sharing when a run begins to read the identity", async () => {
    let reads = false;
    const fake = createRunner((call) => ({ value: reads ? nameOf(call) : "all", readIdentity: reads }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const sessions = [new Session(user("ada")), new Session(user("bob"))];
    for (const session of sessions) session.watches.push(queries.watch(query("me"), session));
    await settled();
    expect(sessions.map((session) => session.last)).toEqual([["all"], ["all"]]);
    reads = true;
    fake.commit("me");
    await settled();
    expect(sessions.map((session) => session.last)).toEqual([["ada"], ["bob"]]);
  });

  it("never gives a user's result to another user who takes over the session", async () => {
    const fake = createRunner((call) => ({ value: nameOf(call), readIdentity: true }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const session = new Session(user("ada"));
    const watch = queries.watch(query("me"), session);
    session.watches.push(watch);
    const release = fake.hold();
    await settled();
    session.become(user("bob"));
    queries.reidentify(watch);
    release();
    await settled();
    expect(session.seen.map(({ results }) => results.map((fields) => fields?.includes("ada")))).not.toContainEqual([true]);
    expect(session.last).toEqual(["bob"]);
  });

  it("does not return an administrator's answer to a user", async () => {
    const fake = createRunner((call) => ({ value: call.visibility }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const sessions = [new Session({ kind: "admin" }), new Session()];
    for (const session of sessions) session.watches.push(queries.watch(query("internal"), session));
    await settled();
    expect(sessions.map((session) => session.last)).toEqual([["any"], ["public"]]);
  });

  it("moves a session only to snapshots with results for all its queries", async () => {
    const values = new Map([
      ["a", 0],
      ["b", 0],
    ]);
    const fake = createRunner((call) => ({ value: String(values.get(call.path)) }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const session = new Session();
    session.watches.push(queries.watch(query("a"), session), queries.watch(query("b"), session));
    await settled();
    const release = fake.hold();
    values.set("a", 1);
    fake.commit("a");
    await settled();
    values.set("a", 2).set("b", 2);
    fake.commit("b");
    release();
    await settled();
    expect(session.seen.map(({ results }) => results.map((fields) => /"value":"(\d)"/.exec(fields ?? "")?.[1]))).toEqual([
      ["0", "0"],
      ["2", "2"],
    ]);
  });

  it("reruns a query that a commit affects while it runs", async () => {
    let value = 0;
    const fake = createRunner(() => ({ value: String(value) }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const session = new Session();
    session.watches.push(queries.watch(query("a"), session));
    await settled();
    for (value = 1; value <= 20; value += 1) {
      fake.commit("a");
      await new Promise((resolve) => setImmediate(resolve));
    }
    value = 20;
    await settled();
    expect(session.last).toEqual(["20"]);
    expect(fake.live.size).toBe(1);
  });

  it("unsubscribes with the last watcher", async () => {
    const fake = createRunner(() => ({ value: "x" }));
    const queries = createSharedQueries({ runner: fake.runner, system, report });
    const [one, two] = [new Session(), new Session()];
    const first = queries.watch(query("a"), one);
    const second = queries.watch(query("a"), two);
    await settled();
    queries.unwatch(first);
    expect(fake.live.size).toBe(1);
    queries.unwatch(second);
    expect(fake.live.size).toBe(0);
  });

  it("answers system queries from the deployment, and reruns them after each commit", async () => {
    let requested = 0;
    const fake = createRunner(() => ({ value: "code" }));
    const queries = createSharedQueries({
      runner: fake.runner,
      system: async () => ({ ok: true, value: `system ${++requested}`, logLines: [] }),
      report,
    });
    const session = new Session({ kind: "admin" });
    session.watches.push(queries.watch(query("_system/cli/tables"), session));
    await settled();
    fake.commit(null);
    await settled();
    expect(session.last).toEqual(["system 2"]);
    expect(fake.queries).toEqual([]);
  });
});
