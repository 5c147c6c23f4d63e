import { describe, expect, it, vi } from "vitest";
import { Turns } from "./turns.ts";

describe("turns", () => {
  it("grants one turn at a time in order of arrival", () => {
    const turns = new Turns();
    const [first, second, third] = ["1", "2", "3"].map((address) => turns.request(address));
    if (!first || !second || !third) throw new Error("Three turns were requested.");
    expect([first, second, third].map(({ isWaiting }) => isWaiting)).toEqual([false, true, true]);
    turns.end(second);
    expect(third.isWaiting).toBe(true);
    turns.end(first);
    expect(third.isWaiting).toBe(false);
    turns.end(first);
    expect(turns.request("1").isWaiting).toBe(true);
  });

  it("prefers another address to the one that had the last turn", () => {
    const turns = new Turns();
    const [current, same, other] = ["1", "1", "2"].map((address) => turns.request(address));
    if (!current || !same || !other) throw new Error("Three turns were requested.");
    turns.end(current);
    expect([same.isWaiting, other.isWaiting]).toEqual([true, false]);
    turns.end(other);
    expect(same.isWaiting).toBe(false);
  });

  it("ends a turn that takes too long and grants the next one", () => {
    vi.useFakeTimers();
    const turns = new Turns(1_000);
    turns.request("1");
    const next = turns.request("1");
    vi.advanceTimersByTime(999);
    expect(next.isWaiting).toBe(true);
    vi.advanceTimersByTime(1);
    expect(next.isWaiting).toBe(false);
    vi.useRealTimers();
  });
});
