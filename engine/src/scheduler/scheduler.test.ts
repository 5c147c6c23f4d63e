import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { call, Fixture } from "../functions/testing.ts";
import type { Json } from "../values/types.ts";
import { startScheduler } from "./scheduler.ts";

const JOBS = `
  import { queryGeneric as query, mutationGeneric as mutation, internalMutationGeneric as internalMutation, internalActionGeneric as internalAction, anyApi } from "convex/server";
  import { v } from "convex/values";
  export const plan = mutation({ args: { name: v.string(), text: v.optional(v.string()), after: v.optional(v.number()), fail: v.optional(v.boolean()) },
    handler: async (ctx, { name, text, after, fail }) => {
      const id = await ctx.scheduler.runAfter(after ?? 0, anyApi.jobs[name], { text: text ?? name });
      if (fail) throw new Error("never mind");
      return id;
    } });
  export const planAt = mutation({ args: { at: v.number() }, handler: async (ctx, { at }) => await ctx.scheduler.runAt(new Date(at), anyApi.jobs.note, { text: "at" }) });
  export const cancel = mutation({ args: { id: v.id("_scheduled_functions") }, handler: async (ctx, { id }) => { await ctx.scheduler.cancel(id); } });
  export const note = internalMutation({ args: { text: v.string() }, handler: async (ctx, { text }) => { await ctx.db.insert("notes", { text }); } });
  export const broken = internalMutation({ args: { text: v.string() }, handler: async (ctx, { text }) => { await ctx.db.insert("notes", { text }); throw new Error("broken"); } });
  export const act = internalAction({ args: { text: v.string() }, handler: async (ctx, { text }) => { await ctx.runMutation(anyApi.jobs.note, { text }); } });
  export const slow = internalAction({ args: { text: v.string() }, handler: async (ctx, { text }) => {
    await ctx.runMutation(anyApi.jobs.note, { text });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  } });
  export const actFails = internalAction({ args: { text: v.string() }, handler: async () => { throw new Error("failed"); } });
  export const actPlans = internalAction({ args: { text: v.string() }, handler: async (ctx) => {
    const id = await ctx.scheduler.runAfter(60_000, anyApi.jobs.note, { text: "never" });
    await ctx.scheduler.runAfter(0, anyApi.jobs.note, { text: "from an action" });
    await ctx.scheduler.cancel(id);
  } });
  export const again = internalMutation({ args: { text: v.string() }, handler: async (ctx, { text }) => {
    await ctx.db.insert("notes", { text });
    if (Number(text) < 3) await ctx.scheduler.runAfter(0, anyApi.jobs.again, { text: String(Number(text) + 1) });
  } });
  export const planMany = mutation({ args: { n: v.number() }, handler: async (ctx, { n }) => { for (let i = 0; i < n; i++) await ctx.scheduler.runAfter(0, anyApi.jobs.note, { text: String(i) }); } });
  export const planQuery = mutation({ args: {}, handler: async (ctx) => { await ctx.scheduler.runAfter(0, anyApi.jobs.notes as never, {}); } });
  export const planNothing = mutation({ args: {}, handler: async (ctx) => { await ctx.scheduler.runAfter(0, anyApi.jobs.absent, {}); } });
  export const job = query({ args: { id: v.id("_scheduled_functions") }, handler: async (ctx, { id }) => await ctx.db.system.get(id) });
  export const jobs = query({ args: {}, handler: async (ctx) => (await ctx.db.system.query("_scheduled_functions").collect()).map((j) => j.state.kind) });
  export const notes = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map((n) => n.text) });
  export const metadata = internalMutation({ args: { text: v.string() }, handler: async (ctx) => {
    const { scheduledFunctionId } = await ctx.meta.getRequestMetadata();
    await ctx.db.insert("notes", { text: String(scheduledFunctionId) });
  } });
`;

let fixture: Fixture;
let now: (() => number) | undefined;
let scheduler: Awaited<ReturnType<typeof startScheduler>>;
const start = async (): Promise<void> => {
  scheduler = await startScheduler(fixture.runner, now);
};
const value = (...args: Parameters<Fixture["value"]>): Promise<Json> => fixture.value(...args);
const job = async (
  id: Json,
): Promise<{ state: { kind: string; error?: string }; name: string; args: Json; scheduledTime: number; completedTime?: number }> =>
  (await value("jobs:job", { id })) as never;
const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 20 });

beforeEach(async () => {
  now = undefined;
  fixture = await Fixture.start();
  await fixture.push({ "jobs.ts": JOBS });
  await start();
});
afterEach(async () => {
  await scheduler.stop();
  await fixture.remove();
});

describe("scheduled mutations", () => {
  test("run once and report success", async () => {
    const before = Date.now();
    const id = await value("jobs:plan", { name: "note" });
    await eventually(async () => expect((await job(id)).state).toEqual({ kind: "success" }));
    const { name, args, scheduledTime, completedTime } = await job(id);
    expect({ name, args }).toEqual({ name: "jobs.js:note", args: [{ text: "note" }] });
    expect(scheduledTime).toBeGreaterThanOrEqual(before - 1);
    expect(completedTime).toBeGreaterThanOrEqual(scheduledTime);
    expect(await value("jobs:notes")).toEqual(["note"]);
  });

  test("are not scheduled when the scheduling mutation fails", async () => {
    await fixture.failure("jobs:plan", { name: "note", fail: true });
    expect(await value("jobs:jobs")).toEqual([]);
  });

  test("write only the error when they fail", async () => {
    const id = await value("jobs:plan", { name: "broken" });
    await eventually(async () => expect((await job(id)).state.kind).toBe("failed"));
    expect((await job(id)).state.error).toMatch(/^Uncaught Error: broken/);
    expect(await value("jobs:notes")).toEqual([]);
  });

  test("wait for their time and can be canceled until then", async () => {
    const at = Date.now() + 400;
    const timed = await value("jobs:planAt", { at });
    const canceled = await value("jobs:plan", { name: "note", after: 300 });
    expect((await job(timed)).state.kind).toBe("pending");
    await value("jobs:cancel", { id: canceled });
    expect((await job(canceled)).state).toEqual({ kind: "canceled" });
    await eventually(async () => expect((await job(timed)).state.kind).toBe("success"));
    expect(Date.now()).toBeGreaterThanOrEqual(at);
    await value("jobs:cancel", { id: timed });
    expect((await job(timed)).state.kind).toBe("success");
    expect(await value("jobs:notes")).toEqual(["at"]);
  });

  test("can schedule the next job and read their own id", async () => {
    await value("jobs:plan", { name: "again", text: "1" });
    await eventually(async () => expect(await value("jobs:notes")).toEqual(["1", "2", "3"]));
    const id = await value("jobs:plan", { name: "metadata" });
    await eventually(async () => expect(await value("jobs:notes")).toContain(id));
  });

  test("all run, however many are due at once", async () => {
    await value("jobs:planMany", { n: 100 });
    await eventually(async () => expect(((await value("jobs:notes")) as string[]).length).toBe(100));
    expect(new Set((await value("jobs:notes")) as string[]).size).toBe(100);
  });

  test("are rejected above the limit of one transaction", async () => {
    expect((await fixture.failure("jobs:planMany", { n: 1_001 })).message).toMatch(/Too many functions scheduled/);
    expect(await value("jobs:jobs")).toEqual([]);
  });

  test("are rejected for functions that cannot be scheduled", async () => {
    expect((await fixture.failure("jobs:planQuery")).message).toMatch(/Queries cannot be scheduled/);
    expect((await fixture.failure("jobs:planNothing")).message).toMatch(/nonexistent path: jobs:absent/);
  });

  test("run after the deployment was down when they were due", async () => {
    await scheduler.stop();
    const id = await value("jobs:plan", { name: "note" });
    await fixture.restart();
    expect((await job(id)).state.kind).toBe("pending");
    await start();
    await eventually(async () => expect((await job(id)).state.kind).toBe("success"));
    expect(await value("jobs:notes")).toEqual(["note"]);
  });
});

describe("scheduled actions", () => {
  test("run and store their result", async () => {
    const [good, bad] = [await value("jobs:plan", { name: "act" }), await value("jobs:plan", { name: "actFails" })];
    await eventually(async () => expect([(await job(good)).state.kind, (await job(bad)).state.kind]).toEqual(["success", "failed"]));
    expect((await job(bad)).state.error).toMatch(/^Uncaught Error: failed/);
    expect(await value("jobs:notes")).toEqual(["act"]);
  });

  test("schedule and cancel jobs", async () => {
    await value("jobs:plan", { name: "actPlans" });
    await eventually(async () => expect(await value("jobs:notes")).toEqual(["from an action"]));
    expect(await value("jobs:jobs")).toEqual(expect.arrayContaining(["canceled"]));
  });

  test("are marked as failed after an interruption and never restart", { tags: "slow" }, async () => {
    const id = await value("jobs:plan", { name: "slow" });
    await eventually(async () => expect(await value("jobs:notes")).toEqual(["slow"]));
    expect((await job(id)).state.kind).toBe("inProgress");
    await Promise.all([fixture.runner.close(), scheduler.stop()]);
    await fixture.open();
    await start();
    expect((await job(id)).state).toMatchObject({ kind: "failed", error: expect.stringContaining("at most once") });
    expect(await value("jobs:notes")).toEqual(["slow"]);
  });
});

test("ended jobs are deleted after seven days, pending ones are not", async () => {
  await value("jobs:plan", { name: "note" });
  await value("jobs:plan", { name: "note", after: 30 * 24 * 3_600_000 });
  await eventually(async () => expect(await value("jobs:jobs")).toEqual(["success", "pending"]));
  await scheduler.stop();
  now = () => Date.now() + 8 * 24 * 3_600_000;
  await start();
  await eventually(async () => expect(await value("jobs:jobs")).toEqual(["pending"]));
});

describe("crons", () => {
  const crons = (schedule: string): string => `
    import { cronJobs, anyApi } from "convex/server";
    const crons = cronJobs();
    ${schedule}
    export default crons;`;

  test("an interval starts when deployed, survives pushes and ends when removed", { tags: "slow" }, async () => {
    let time = Date.now();
    await scheduler.stop();
    now = () => time;
    await start();
    const often = `crons.interval("often", { minutes: 10 }, anyApi.jobs.note, { text: "tick" });`;
    await fixture.push({ "jobs.ts": JOBS, "crons.ts": crons(often) });
    time = Date.now();
    const notes = async (): Promise<number> => ((await value("jobs:notes")) as string[]).filter((text) => text === "tick").length;
    const poll = async (): Promise<void> => {
      await scheduler.stop();
      await start();
    };
    await poll();
    await eventually(async () => expect(await notes()).toBe(1));
    await fixture.push({
      "jobs.ts": `${JOBS}\n// changed`,
      "crons.ts": crons(`${often} crons.daily("later", { hourUTC: 3 }, anyApi.jobs.note, { text: "daily" });`),
    });
    await poll();
    expect(await notes()).toBe(1);
    time += 35 * 60_000;
    await poll();
    await eventually(async () => expect(await notes()).toBe(2));
    await fixture.push({ "jobs.ts": JOBS });
    time += 35 * 60_000;
    await poll();
    expect(await notes()).toBe(2);
  });

  test("run actions, and run again at the next turn after a failure", { tags: "slow" }, async () => {
    await fixture.push({
      "jobs.ts": JOBS,
      "crons.ts": crons(
        `crons.interval("act", { seconds: 1 }, anyApi.jobs.act, { text: "acted" }); crons.interval("bad", { seconds: 1 }, anyApi.jobs.broken, { text: "x" });`,
      ),
    });
    const errors: string[] = [];
    fixture.runner.onLog(({ path, error }) => {
      if (path === "jobs:broken" && error) errors.push(error);
    });
    await eventually(async () => {
      expect(((await value("jobs:notes")) as string[]).filter((text) => text === "acted").length).toBeGreaterThanOrEqual(2);
      expect(errors.length).toBeGreaterThanOrEqual(2);
    });
  });
});

test("a client is served while jobs are pending", async () => {
  let ended = 0;
  const firstJob = Promise.withResolvers<void>();
  fixture.runner.onLog(({ path }) => {
    if (path !== "jobs:note") return;
    ended += 1;
    firstJob.resolve();
  });
  await value("jobs:planMany", { n: 500 });
  await firstJob.promise;
  const outcome = await fixture.runner.mutation(call("jobs:plan", { name: "note", after: 60_000 }));
  expect(outcome.ok).toBe(true);
  expect(ended).toBeLessThan(500);
});
