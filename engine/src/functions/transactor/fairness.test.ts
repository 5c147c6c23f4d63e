import { afterAll, beforeAll, expect, test } from "vitest";
import { call, Fixture, user } from "../testing.ts";

const SOURCE = `
  import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
  import { v } from "convex/values";
  const lane = { lane: v.number() };
  const compute = async () => { let sum = 0; for (let i = 0; i < 10_000_000; i++) sum += Math.sqrt(i); return sum; };
  export const trivial = query({ args: {}, handler: async () => "done" });
  export const long = query({ args: lane, handler: compute });
  export const longToo = mutation({ args: lane, handler: compute });
`;
/** Functions have no clock: a call computes for about 10 ms (250 ms until V8 has compiled it), and the share of 250 ms has about 25 calls. */
const CALLS = 96;
const BEFORE = 48;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.push({ "work.ts": SOURCE });
});
afterAll(() => fixture.remove());

const lanes = Array.from({ length: CALLS }, (_, lane) => lane);
const by = (subject: string) => ({ identity: user(subject) });
const trivial = () => call("work:trivial", {}, by("ada"));

test.each<["query" | "mutation", string]>([
  ["query", "work:long"],
  ["mutation", "work:longToo"],
])("a caller waits for a few of another caller's many calls of a long %s", async (kind, path) => {
  const { runner } = fixture;
  let ended = 0;
  const flood = lanes.map(async (lane) => {
    const long = call(path, { lane }, by("eve"));
    const outcome = kind === "query" ? (await runner.queries([long]))[0] : await runner.mutation(long);
    ended += 1;
    return outcome?.ok || outcome;
  });
  const endedBefore = runner.queries([trivial()]).then(() => ended);
  expect(await endedBefore).toBeLessThanOrEqual(BEFORE);
  expect(await Promise.all(flood)).toEqual(lanes.map(() => true));
});

test("a caller does not wait for another caller's batch of queries", async () => {
  const { runner } = fixture;
  const batch = runner.queries(lanes.map((lane) => call("work:long", { lane }, by("mallory"))));
  let ended = false;
  const endedBefore = runner.queries([trivial()]).then(() => ended);
  const outcomes = await batch.finally(() => (ended = true));
  expect(await endedBefore).toBe(false);
  expect(outcomes).toHaveLength(CALLS);
  expect(new Set(outcomes.map(({ ts }) => ts)).size).toBe(1);
});

test("a round of subscriptions leaves out a caller's queries after the share", async () => {
  const calls = [...lanes.map((lane) => call("work:long", { lane }, by("oscar"))), trivial()];
  const outcomes = await fixture.runner.queryRound(calls);
  expect(outcomes.at(-1)?.ok).toBe(true);
  const run = outcomes.filter((outcome) => outcome !== null).length;
  expect(run).toBeGreaterThan(1);
  expect(run).toBeLessThanOrEqual(BEFORE);
});
