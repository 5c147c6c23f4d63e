import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScheduler } from "../scheduler/scheduler.ts";
import type { Json } from "../values/types.ts";
import { Committer } from "./committer.ts";
import { anonymous, call, Fixture } from "./testing.ts";
import type { TransactorThread } from "./transactor/transactor-client.ts";
import type { Conflict, WireRun } from "./transactor/transactor-protocol.ts";
import { WRITE_CONFLICT } from "./types.ts";

const SCHEMA = `
  import { defineSchema, defineTable } from "convex/server";
  import { v } from "convex/values";
  export default defineSchema({ rows: defineTable({ name: v.string(), value: v.number() }).index("by_name", ["name"])
    .searchIndex("search_name", { searchField: "name" }) });
`;
const ROWS = `
  import { queryGeneric as query, mutationGeneric as mutation, actionGeneric as action, anyApi } from "convex/server";
  import { v } from "convex/values";
  const name = v.string();
  const find = (ctx, name) => ctx.db.query("rows").withIndex("by_name", (q) => q.eq("name", name)).unique();
  export const get = query({ args: { name }, handler: async (ctx, { name }) => (await find(ctx, name))?.value ?? 0 });
  export const insert = mutation({ args: { name }, handler: async (ctx, { name }) => await ctx.db.insert("rows", { name, value: 0 }) });
  export const add = mutation({ args: { name }, handler: async (ctx, { name }) => {
    const row = await find(ctx, name);
    if (row) await ctx.db.patch(row._id, { value: row.value + 1 });
    else await ctx.db.insert("rows", { name, value: 1 });
    return (row?.value ?? 0) + 1;
  } });
  export const countInto = mutation({ args: { name }, handler: async (ctx, { name }) => {
    const { length } = await ctx.db.query("rows").collect();
    await ctx.db.patch((await find(ctx, name))._id, { value: length });
  } });
  export const searchInto = mutation({ args: { name, text: name }, handler: async (ctx, { name, text }) => {
    const found = await ctx.db.query("rows").withSearchIndex("search_name", (q) => q.search("name", text)).collect();
    await ctx.db.insert("rows", { name, value: found.length });
  } });
  export const read = mutation({ args: { name }, handler: async (ctx, { name }) => (await find(ctx, name))?.value });
  export const fail = mutation({ args: { name }, handler: async (ctx, { name }) => { await ctx.db.insert("rows", { name, value: 0 }); throw new Error("no"); } });
  export const schedule = mutation({ args: { name, times: v.number() }, handler: async (ctx, { name, times }) => {
    for (let i = 0; i < times; i++) await ctx.scheduler.runAfter(0, anyApi.rows.add, { name });
  } });
  export const states = query({ args: {}, handler: async (ctx) => (await ctx.db.system.query("_scheduled_functions").collect()).map((job) => job.state.kind) });
  export const addTwice = action({ args: { name }, handler: async (ctx, { name }) =>
    await Promise.all([ctx.runMutation(anyApi.rows.add, { name }), ctx.runMutation(anyApi.rows.add, { name })]) });
`;
const COMMIT_DELAY_MS = 20;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start({ commitDelayMs: COMMIT_DELAY_MS });
  await fixture.push({ "schema.ts": SCHEMA, "rows.ts": ROWS });
});
afterAll(() => fixture.remove());

const request: TransactorThread["request"] = (kind, params) => fixture.runner.jobs.request(kind, params);
const value = (name: string): Promise<Json> => fixture.value("rows:get", { name });
const asArray = (json: Json): Json[] => (Array.isArray(json) ? json : []);
const once = (requestId: number) => ({ sessionId: "session", requestId });

async function prepare(path: string, args: { [name: string]: Json }): Promise<number> {
  const run = await request("mutation", {
    call: { path, args: JSON.stringify(args), identity: anonymous, visibility: "public" },
    once: null,
  });
  if (run.prepared === undefined) throw new Error(`${path} is not prepared: ${JSON.stringify(run.outcome)}`);
  return run.prepared;
}

async function commit(id: number): Promise<Conflict | null> {
  const answer = await request("commitMutation", { id, isRepeatable: false });
  return "conflict" in answer ? answer.conflict : null;
}

describe("mutations that overlap", () => {
  test("are both applied when they change one row, the second after a retry", async () => {
    await fixture.value("rows:add", { name: "shared" });
    const results = await Promise.all([fixture.value("rows:add", { name: "shared" }), fixture.value("rows:add", { name: "shared" })]);
    expect(new Set(results)).toEqual(new Set([2, 3]));
    expect(await value("shared")).toBe(3);
  });

  test("conflict when one changes what the other has read", async () => {
    await fixture.value("rows:add", { name: "changed" });
    const [first, second] = [await prepare("rows:add", { name: "changed" }), await prepare("rows:add", { name: "changed" })];
    expect(await commit(second)).toBeNull();
    expect(await commit(first)).toMatchObject({ table: "rows", path: "rows:add", id: expect.any(String) });
    expect(await value("changed")).toBe(2);
  });

  test("never conflict on different rows", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `row ${i}`);
    for (const name of names) await fixture.value("rows:insert", { name });
    const prepared = await Promise.all(names.map((name) => prepare("rows:add", { name })));
    for (const id of prepared) expect(await commit(id)).toBeNull();
    expect(await Promise.all(names.map(value))).toEqual(names.map(() => 1));
  });

  test("conflict when one inserts into a range that the other has read", async () => {
    await fixture.value("rows:insert", { name: "count" });
    const [counting, reading] = [await prepare("rows:countInto", { name: "count" }), await prepare("rows:add", { name: "new" })];
    const inserting = await prepare("rows:insert", { name: "new" });
    expect(await commit(inserting)).toBeNull();
    expect(await commit(counting)).toMatchObject({ table: "rows", path: "rows:insert" });
    expect(await commit(reading)).toMatchObject({ table: "rows", path: "rows:insert" });
    expect(await value("new")).toBe(0);
  });

  test("conflict when one inserts what the other has searched", async () => {
    const searching = await prepare("rows:searchInto", { name: "result", text: "blue" });
    expect(await commit(await prepare("rows:insert", { name: "blue sky" }))).toBeNull();
    expect(await commit(searching)).toMatchObject({ table: "rows", path: "rows:insert" });
  });

  test("are hidden from queries until they are committed", async () => {
    const id = await prepare("rows:add", { name: "later" });
    expect(await value("later")).toBe(0);
    expect(await commit(id)).toBeNull();
    expect(await value("later")).toBe(1);
    expect(await commit(id)).toEqual({});
  });

  test("notify only the subscribers of queries", async () => {
    const affected: string[] = [];
    fixture.runner.onCommit((committed) => affected.push(...committed.affected));
    await fixture.runner.queries([{ ...call("rows:get", { name: "watched" }), token: "watched" }]);
    const ids = [await prepare("rows:add", { name: "watched" }), await prepare("rows:add", { name: "watched" })];
    for (const id of ids) await commit(id);
    expect(affected).toEqual(["watched"]);
  });

  test("conflict after their thread was replaced", async () => {
    const id = await prepare("rows:add", { name: "lost" });
    await fixture.runner.environment.update([{ name: "NAME", value: "new" }]);
    expect(await commit(id)).toEqual({});
    expect(await fixture.value("rows:add", { name: "lost" })).toBe(1);
  });
});

describe("a mutation", () => {
  test("is not deferred without writes, and writes nothing if it fails", async () => {
    const run = await request("mutation", {
      call: { path: "rows:read", args: '{"name":"none"}', identity: anonymous, visibility: "public" },
      once: null,
    });
    expect(run).toMatchObject({ outcome: { ok: true } });
    expect(run.prepared).toBeUndefined();
    await fixture.failure("rows:fail", { name: "failed" });
    expect(await value("failed")).toBe(0);
  });

  test("runs after the earlier ones of its session, and once for a repeated request", async () => {
    const sent = [1, 2, 2, 3].map((requestId) => fixture.runner.mutation(call("rows:add", { name: "session" }), once(requestId)));
    const values = (await Promise.all(sent)).map((outcome) => outcome.ok && outcome.value);
    expect(values).toEqual([1, 2, 2, 3]);
  });

  test("is also retried when an action calls it", async () => {
    expect(await fixture.value("rows:addTwice", { name: "action" })).toEqual(expect.arrayContaining([1, 2]));
    expect(await value("action")).toBe(2);
  });
});

function committerWith(times: number, interfere: () => Promise<void>): { committer: Committer; commits: () => number } {
  let commits = 0;
  const interfering = async (kind: string, params: never): Promise<unknown> => {
    if (kind === "commitMutation" && commits++ < times) await interfere();
    return request(kind as "commitMutation", params);
  };
  const { signal } = new AbortController();
  const committer = new Committer({ request: interfering as TransactorThread["request"], commitDelayMs: 0, limit: null, signal });
  return { committer, commits: () => commits };
}

const addText = (path: string, name: string) => ({
  call: { path, args: JSON.stringify({ name }), identity: anonymous, visibility: "public" as const },
  once: null,
});
const add = (name: string) => async (): Promise<void> => void (await commit(await prepare("rows:add", { name })));

describe("conflicts at each attempt", () => {
  test("fail a mutation after four retries, with Convex's error", async () => {
    const { committer, commits } = committerWith(Infinity, add("hopeless"));
    const { outcome }: WireRun = await committer.mutation(addText("rows:add", "hopeless"));
    expect(commits()).toBe(5);
    expect(outcome).toMatchObject({
      ok: false,
      code: WRITE_CONFLICT,
      message: expect.stringMatching(
        /^Documents read from or written to the "rows" table changed while this mutation was being run and on every subsequent retry\. Another call to this mutation changed the document with ID "\w{32}"\. See https:\/\/docs\.convex\.dev\/error#1$/,
      ),
    });
    expect(await value("hopeless")).toBe(5);
  });

  test("are retried until the mutation succeeds; the error names another mutation", async () => {
    const { committer, commits } = committerWith(4, add("contended"));
    expect((await committer.mutation(addText("rows:add", "contended"))).outcome).toMatchObject({ ok: true, text: "5" });
    expect(commits()).toBe(5);
    const failing = committerWith(Infinity, add("contended")).committer;
    const { outcome } = await failing.mutation(addText("rows:countInto", "contended"));
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('A call to "rows:add" changed the document') });
  });

  test("are retried forever for a scheduled function", async () => {
    await fixture.value("rows:schedule", { name: "job", times: 1 });
    const { due } = await request("dueJobs", { now: Date.now() + 1, limit: 1 });
    const { committer, commits } = committerWith(6, add("job"));
    expect(await committer.scheduled("runJob", { id: due[0]?.id ?? "" })).toMatchObject({ outcome: { ok: true, text: "7" } });
    expect(commits()).toBe(7);
    expect(await fixture.value("rows:states")).toEqual(["success"]);
  });
});

test("scheduled mutations on one row each run exactly once", async () => {
  const scheduler = await startScheduler(fixture.runner);
  await fixture.value("rows:schedule", { name: "scheduled", times: 5 });
  await expect.poll(async () => new Set(asArray(await fixture.value("rows:states")))).toEqual(new Set(["success"]));
  expect(await value("scheduled")).toBe(5);
  await scheduler.stop();
});
