import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Fixture } from "../functions/testing.ts";
import { startScheduler } from "./scheduler.ts";

const JOBS = `
  import { queryGeneric as query, mutationGeneric as mutation, internalMutationGeneric as internalMutation, internalActionGeneric as internalAction, anyApi } from "convex/server";
  import { v } from "convex/values";
  export const plan = mutation({ args: { n: v.number() }, handler: async (ctx, { n }) => {
    for (let i = 0; i < n; i++) await ctx.scheduler.runAfter(0, i % 10 === 0 ? anyApi.jobs.act : anyApi.jobs.note, { i });
  } });
  export const note = internalMutation({ args: { i: v.number() }, handler: async (ctx, { i }) => { await ctx.db.insert("notes", { i }); } });
  export const act = internalAction({ args: { i: v.number() }, handler: async (ctx, { i }) => { await ctx.runMutation(anyApi.jobs.note, { i }); } });
  export const notes = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map((n) => n.i) });
  export const states = query({ args: {}, handler: async (ctx) => (await ctx.db.system.query("_scheduled_functions").collect()).map((j) => j.name + " " + j.state.kind) });
`;
const PLANNED = 300;

let fixture: Fixture;
beforeEach(async () => {
  fixture = await Fixture.start();
  await fixture.push({ "jobs.ts": JOBS });
});
afterEach(() => fixture.remove());

async function runAndKill(afterMs: number): Promise<void> {
  const source = `
    const { startRunner } = await import(${JSON.stringify(new URL("../functions/runner.ts", import.meta.url).href)});
    const { startScheduler } = await import(${JSON.stringify(new URL("./scheduler.ts", import.meta.url).href)});
    await startScheduler(await startRunner({ dir: ${JSON.stringify(fixture.dir)}, cloudUrl: "http://127.0.0.1:1", siteUrl: "http://127.0.0.1:2" }));
    setInterval(() => {}, 1e6);
    console.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  await new Promise((resolve) => {
    setTimeout(resolve, afterMs);
  });
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("SIGKILL: each mutation runs exactly once, each action at most once", { tags: "slow" }, async () => {
  await fixture.value("jobs:plan", { n: PLANNED });
  await fixture.runner.close();
  for (const afterMs of [5, 20, 60]) await runAndKill(afterMs);
  await fixture.open();
  const scheduler = await startScheduler(fixture.runner);
  const states = async (): Promise<string[]> => (await fixture.value("jobs:states")) as string[];
  await vi.waitFor(async () => expect((await states()).filter((state) => /pending|inProgress/.test(state))).toEqual([]), {
    timeout: 60_000,
    interval: 50,
  });
  const notes = (await fixture.value("jobs:notes")) as number[];
  expect(new Set(notes).size).toBe(notes.length);
  const mutations = Array.from({ length: PLANNED }, (_, i) => i).filter((i) => i % 10 !== 0);
  expect(notes.filter((i) => i % 10 !== 0).toSorted((a, b) => a - b)).toEqual(mutations);
  expect((await states()).filter((state) => state === "jobs.js:note success")).toHaveLength(mutations.length);
  await scheduler.stop();
});
