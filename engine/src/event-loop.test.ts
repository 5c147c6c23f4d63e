import { afterEach, expect, it, vi } from "vitest";
import { type Block, blockText, watchEventLoop } from "./event-loop.ts";

afterEach(() => void vi.useRealTimers());

it("reports a block over 200 ms with the functions that ran", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let time = 0;
  let activities: string[] = [];
  const blocks: Block[] = [];
  const watch = watchEventLoop(
    (block) => blocks.push(block),
    () => activities.splice(0),
    () => time,
  );
  const tick = (ms: number) => {
    time += ms;
    vi.advanceTimersByTime(100);
  };
  activities = ["before"];
  tick(100);
  activities = ["GET /projects"];
  tick(100 + 201);
  activities = ["later"];
  tick(100 + 199);
  expect(blocks).toEqual([{ ms: 201, cpuMs: expect.any(Number), ran: ["GET /projects"] }]);
  expect([watch.longest(), watch.blocks()]).toEqual([0.201, 1]);
  watch.stop();
  tick(10_000);
  expect(watch.blocks()).toBe(1);
});

it("names the functions that ended during a block, if any", () => {
  const block = { ms: 321, cpuMs: 39 };
  expect(blockText({ ...block, ran: ["counters:add", "messages:list"] })).toMatch(
    /Functions that ended meanwhile: counters:add, messages:list$/,
  );
  expect(blockText({ ...block, ran: [] })).toMatch(/No function ended meanwhile$/);
});
