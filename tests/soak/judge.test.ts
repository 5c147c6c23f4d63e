import { expect, it } from "vitest";
import { judge } from "./judge.ts";

const half = { perMinute: 4000, p50: 50, p99: 300 };
const steady = (grow: (at: number) => number = () => 0) =>
  Array.from({ length: 40 }, (_, at) => ({
    at,
    memory: [400 + grow(at), 300] as [number, number],
    cpuMs: 0,
    descriptors: 100,
    files: 5000,
  }));
const good = {
  halves: [half, half] as [typeof half, typeof half],
  cpu: [15, 15.5] as [number, number],
  failures: [],
  samples: steady(),
  restart: { readyMs: 1000, slowestMs: 100 },
};

it("accepts a steady run", () => {
  expect(judge(good)).toEqual([]);
  expect(judge({ ...good, samples: steady((at) => (at < 20 ? at * 20 : 400)) })).toEqual([]);
});

it("rejects a slower second half, growing memory, failures and a slow restart", () => {
  const halves: typeof good.halves = [half, { perMinute: 2400, p50: 90, p99: 1050 }];
  const problems = judge({
    halves,
    cpu: [15, 20],
    failures: ["upload: 500"],
    samples: steady((at) => at * 20),
    restart: { readyMs: 1000, slowestMs: 400 },
  });
  for (const word of ["p50", "p99", "operations a minute", "CPU time", "memory of the app", "upload: 500", "400 ms"])
    expect(
      problems.some((problem) => problem.includes(word)),
      word,
    ).toBe(true);
  expect(problems).toHaveLength(7);
});
