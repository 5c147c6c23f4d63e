import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type History, recordHistory } from "./history.server";
import { metrics } from "./metrics.server";

const observe = (seconds: number, status: number | string = 200) =>
  metrics.requests.observe({ method: "GET", route: "/projects", status }, seconds);

let history: History;
beforeEach(() => {
  vi.useFakeTimers();
  metrics.requests.reset();
  history = recordHistory({ websockets: () => 3, everyMs: 1000, kept: 4 });
});
afterEach(() => {
  history.close();
  vi.useRealTimers();
});

describe("recordHistory", () => {
  it("counts requests and errors of each interval, with the current one", { tags: "@counts-requests-of-intervals" }, async () => {
    observe(0.01);
    observe(0.01, 500);
    observe(0.01, 503);
    observe(0.01, 404);
    observe(0.01, "left");
    await vi.advanceTimersByTimeAsync(1000);
    observe(0.01);
    const samples = await history.samples();
    expect(samples.map(({ requests, errors }) => [requests, errors])).toEqual([
      [5, 2],
      [1, 0],
    ]);
    expect(samples[0]).toMatchObject({ websockets: 3, at: expect.any(Number) });
    expect(samples[0]?.memory).toBeGreaterThan(1e7);
  });

  it("interpolates the 95th percentile, per interval", async () => {
    for (let each = 0; each < 100; each += 1) observe(each < 90 ? 0.02 : 0.4);
    await vi.advanceTimersByTimeAsync(1000);
    const [first, second] = await history.samples();
    // The 95th of 100 requests is in the middle of the 10 requests that took 250 to 500 ms.
    expect(first?.latency).toBeCloseTo(375, 5);
    expect(second).toMatchObject({ requests: 0, latency: null });
    observe(30);
    expect((await history.samples()).at(-1)?.latency, "the last bucket has no upper bound").toBe(10_000);
  });

  it("keeps a bounded number of samples", async () => {
    await vi.advanceTimersByTimeAsync(20_000);
    const times = (await history.samples()).map(({ at }) => at);
    expect(times).toHaveLength(5);
    expect(times.toSorted((one, other) => one - other)).toEqual(times);
  });
});
