import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startHeartbeat } from "./heartbeat.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("stops while the transactor thread makes no progress, then continues", () => {
  let silentMs = 0;
  const send = vi.fn<() => void>();
  const report = vi.fn<(line: string) => void>();
  const end = startHeartbeat({ silentMs: () => silentMs, send, report });
  vi.advanceTimersByTime(10_000);
  expect(send).toHaveBeenCalledTimes(5);
  silentMs = 30_000;
  vi.advanceTimersByTime(10_000);
  expect(send).toHaveBeenCalledTimes(5);
  expect(report.mock.calls).toEqual([["The transactor thread has made no progress for 30 s."]]);
  silentMs = 0;
  vi.advanceTimersByTime(2_000);
  expect(send).toHaveBeenCalledTimes(6);
  end();
  vi.advanceTimersByTime(10_000);
  expect(send).toHaveBeenCalledTimes(6);
});
