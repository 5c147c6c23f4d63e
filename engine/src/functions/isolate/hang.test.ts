import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Fixture } from "../testing.ts";

const SOURCE = `
  import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
  const parse = JSON.parse;
  let hangs = false;
  JSON.parse = (text, ...more) => {
    while (hangs && String(text).includes('"_creationTime"')) {}
    return parse(text, ...more);
  };
  export const insert = mutation({ args: {}, handler: async (ctx) => { await ctx.db.insert("notes", { text: "note" }); } });
  export const hang = query({ args: {}, handler: async (ctx) => {
    hangs = true;
    return await ctx.db.query("notes").filter((q) => q.eq(q.field("text"), "other")).first();
  } });
`;

let fixture: Fixture;
let threads: Worker[];
const notice = (worker: Worker): unknown => threads.push(worker);
beforeEach(async () => {
  threads = [];
  process.on("worker", notice);
  fixture = await Fixture.start();
});
afterEach(async () => {
  process.off("worker", notice);
  await fixture.remove();
});

test("a thread that hangs in a syscall stops reporting progress; an idle one does not", { tags: "slow" }, async () => {
  const silentMs = () => fixture.runner.silentMs();
  await fixture.push({ "notes.ts": SOURCE });
  await fixture.value("notes:insert");
  const idle = performance.now() + 60_000;
  fixture.runner.silentMs(idle);
  await expect.poll(() => fixture.runner.silentMs(idle + 30_000)).toBe(0);
  const hanging = fixture.failure("notes:hang");
  await expect.poll(silentMs, { timeout: 20_000 }).toBeGreaterThan(2_500);
  await threads.at(-1)?.terminate();
  expect((await hanging).message).toMatch(/ended/);
  await expect.poll(silentMs).toBeLessThan(2_500);
});
