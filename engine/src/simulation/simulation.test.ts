import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { DelayLine } from "./delay-line.ts";
import { readSimulation } from "./flags.ts";
import { HOSTED, NO_SIMULATION } from "./options.ts";
import { replaceClock } from "./replace-clock.ts";
import { WriteThroughput } from "./write-throughput.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("readSimulation", () => {
  test("simulates nothing without options, and everything with the preset", () => {
    expect(readSimulation({})).toEqual({ simulation: NO_SIMULATION, clockSkewMs: 0 });
    expect(readSimulation({ hosted: true })).toEqual({ simulation: HOSTED, clockSkewMs: 2_000 });
  });

  test("lets single options override the preset", () => {
    const { simulation, clockSkewMs } = readSimulation({
      hosted: true,
      latency: "100",
      "commit-delay": "none",
      "concurrent-queries": "none",
      "clock-skew": "-500",
      "redact-errors": false,
    });
    expect(simulation).toEqual({ ...HOSTED, latencyMs: 100, commitDelayMs: null, concurrentQueries: null, redactErrors: false });
    expect(clockSkewMs).toBe(-500);
    expect(readSimulation({ hosted: true, latency: "0", "clock-skew": "none" })).toMatchObject({
      simulation: { latencyMs: 0 },
      clockSkewMs: 0,
    });
  });

  test.each([
    [{ latency: "fast" }, "--latency must be milliseconds from 0 to 99999, or none, not "],
    [{ latency: "-1" }, "--latency"],
    [{ "commit-delay": "" }, "--commit-delay"],
    [{ "concurrent-mutations": "0" }, "--concurrent-mutations must be a number from 1 to 99999"],
    [{ "write-throughput": "4MiB" }, "--write-throughput must be a number of bytes"],
    [{ "clock-skew": "2s" }, "--clock-skew must be milliseconds, negative or positive"],
  ])("rejects %o", (values, message) => expect(() => readSimulation(values)).toThrow(message));
});

describe("DelayLine", () => {
  test("runs each task after the delay, in order, without adding delays up", async () => {
    const line = new DelayLine(20);
    const ran: [name: string, at: number][] = [];
    const started = performance.now();
    const push = (name: string) => line.push(() => ran.push([name, performance.now() - started]));
    push("a");
    push("b");
    await vi.advanceTimersByTimeAsync(5);
    push("c");
    await vi.advanceTimersByTimeAsync(14);
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(6);
    expect(ran).toEqual([
      ["a", 20],
      ["b", 20],
      ["c", 25],
    ]);
  });
});

describe("ConcurrencyLimit", () => {
  const never = () => new Promise<void>(() => undefined);

  test("runs as many calls as allowed, the others in order of arrival", async () => {
    const limit = new ConcurrencyLimit("queries", 2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const calls = [0, 1, 2, 3].map((n) =>
      limit.run(() => {
        started.push(n);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual([0, 1]);
    ends[1]?.();
    await calls[1];
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual([0, 1, 2]);
    for (const n of [0, 2, 3]) {
      ends[n]?.();
      await vi.advanceTimersByTimeAsync(0);
    }
    await Promise.all(calls);
  });

  test("rejects a call that waited five seconds, and calls beyond its queue", async () => {
    const limit = new ConcurrencyLimit("mutations", 1);
    void limit.run(never);
    const waiting = limit.run(never).catch((error: unknown) => error);
    for (let n = 1; n < 64; n++) limit.run(never).catch(() => undefined);
    await expect(limit.run(never)).rejects.toMatchObject({
      code: "TooManyConcurrentRequests",
      message: "Too many concurrent mutations (limit: 1). Try again later.",
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await waiting).toMatchObject({ name: "OverloadedError", code: "ExpiredInQueue" });
  });

  test("rejects the waiting calls when it is closed", async () => {
    const limit = new ConcurrencyLimit("actions", 1);
    void limit.run(never);
    const waiting = [limit.run(never), limit.run(never)].map((call) => call.catch((error: unknown) => error));
    limit.close();
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: "ExpiredInQueue" });
    await expect(limit.run(never)).rejects.toMatchObject({ code: "TooManyConcurrentRequests" });
  });

  test("allows another call after one failed", async () => {
    const limit = new ConcurrencyLimit("actions", 1);
    await expect(limit.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await limit.run(() => Promise.resolve("done"))).toBe("done");
  });
});

test("WriteThroughput refuses writes while earlier ones exceed the rate", () => {
  vi.useRealTimers();
  const throughput = new WriteThroughput(1);
  throughput.use(3_600);
  expect(() => throughput.use(1)).toThrow(expect.objectContaining({ code: "TooManyWritesInTimePeriod" }));
  const ample = new WriteThroughput(1e12);
  for (let n = 0; n < 1_000; n++) ample.use(1e6);
});

test("replaceClock shifts the present only, and keeps Date's own behaviour", () => {
  vi.useRealTimers();
  const RealDate = Date;
  const before = Date.now();
  replaceClock((actual) => actual() + 1e9);
  replaceClock((actual) => actual() + 1e9);
  try {
    for (const now of [Date.now(), new Date().getTime(), new Date(Date()).getTime() + 999])
      expect(now).toBeGreaterThanOrEqual(before + 2e9);
    expect(new Date(5).getTime()).toBe(5);
    expect(Date.UTC(1970, 0, 2)).toBe(86_400_000);
    expect([new Date() instanceof RealDate, new RealDate() instanceof Date, new Date().constructor === Date]).toEqual([true, true, true]);
    class Special extends Date {}
    expect(new Special() instanceof Special).toBe(true);
  } finally {
    globalThis.Date = RealDate;
    Object.defineProperty(RealDate.prototype, "constructor", { value: RealDate, configurable: true, writable: true });
  }
});
