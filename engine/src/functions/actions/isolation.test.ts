import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi, type MockInstance } from "vitest";
import type { Json } from "../../values/types.ts";
import { ACTION_BLOCKED, OUT_OF_MEMORY } from "../error-messages.ts";
import { Fixture } from "../testing.ts";

const SOURCE = `
  import { actionGeneric as action, internalMutationGeneric as internalMutation, internalQueryGeneric as internalQuery, anyApi } from "convex/server";
  import { v } from "convex/values";
  export const open = internalMutation({ args: {}, handler: async (ctx) => { await ctx.db.insert("gates", {}); } });
  export const isOpen = internalQuery({ args: {}, handler: async (ctx) => (await ctx.db.query("gates").first()) !== null });
  export const waits = action({ args: {}, handler: async (ctx) => {
    while (!(await ctx.runQuery(anyApi.work.isOpen, {}))) await new Promise((resolve) => setTimeout(resolve, 5));
    return "waited";
  } });
  export const computes = action({ args: { ms: v.number() }, handler: async (ctx, { ms }) => {
    const end = Date.now() + ms;
    while (Date.now() < end) {}
    return "computed";
  } });
  export const loopsLater = action({ args: {}, handler: async () => {
    let turns = 1000;
    const later = () => { while (turns === 0) {} turns -= 1; queueMicrotask(later); };
    later();
  } });
  export const fills = action({ args: { mebibytes: v.number() }, handler: async (ctx, { mebibytes }) => {
    const blocks = [];
    while (blocks.length < mebibytes) blocks.push(new Uint8Array(1024 * 1024).fill(1));
    return blocks.length;
  } });
  export const trivial = action({ args: {}, handler: async () => "done" });
`;

let fixture: Fixture;
let threads: Worker[];
let warn: MockInstance<typeof console.warn>;
const notice = (worker: Worker): unknown => threads.push(worker);
beforeEach(async () => {
  threads = [];
  process.on("worker", notice);
  warn = vi.spyOn(console, "warn").mockReturnValue();
  fixture = await Fixture.start();
});
afterEach(async () => {
  process.off("worker", notice);
  await fixture.remove();
  warn.mockRestore();
});

const value = (path: string, args: Json = {}): Promise<Json> => fixture.value(path, args, { visibility: "any" });

test("an action does not wait for others that compute", async () => {
  await fixture.push({ "work.ts": SOURCE });
  const computing = Promise.all([1, 2, 3].map(() => value("work:computes", { ms: 1_500 })));
  expect(await Promise.race([computing, value("work:trivial")])).toBe("done");
  expect(await computing).toEqual(["computed", "computed", "computed"]);
});

test("an action does not wait for a loop that an ended action started", async () => {
  await fixture.push({ "work.ts": SOURCE });
  expect(await value("work:loopsLater")).toBeNull();
  expect(await value("work:trivial")).toBe("done");
  expect(warn.mock.calls).toEqual([[`an action that has ended: ${ACTION_BLOCKED}`]]);
});

test("an action with too many typed arrays ends alone and is named in the log", async () => {
  await fixture.push({ "work.ts": SOURCE });
  const waiting = value("work:waits");
  expect((await fixture.failure("work:fills", { mebibytes: 3_000 })).message).toBe(OUT_OF_MEMORY);
  expect(warn.mock.calls).toEqual([[`work:fills: ${OUT_OF_MEMORY}`]]);
  expect(await value("work:fills", { mebibytes: 48 })).toBe(48);
  await value("work:open");
  expect(await waiting).toBe("waited");
});

test("threads start on demand and end after a minute without work", async () => {
  await fixture.push({ "work.ts": SOURCE });
  const before = threads.length;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const waiting = [1, 2].map(() => value("work:waits"));
    await value("work:open");
    await Promise.all(waiting);
    const started = threads.slice(before);
    expect(started).toHaveLength(2);
    await value("work:trivial");
    expect(threads).toHaveLength(before + 2);
    vi.advanceTimersByTime(59_000);
    await sleep(0);
    expect(started.map(({ threadId }) => threadId > 0)).toEqual([true, true]);
    const ends = started.map((thread) => once(thread, "exit"));
    vi.advanceTimersByTime(1_000);
    await Promise.all(ends);
    expect(await value("work:trivial")).toBe("done");
    expect(threads).toHaveLength(before + 3);
  } finally {
    vi.useRealTimers();
  }
});
