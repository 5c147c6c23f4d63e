import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LatestSender } from "./latest-sender";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function senderOf(send: () => Promise<void> = async () => {}) {
  const sent: { value: number; at: number }[] = [];
  const sender = new LatestSender((value: number) => {
    sent.push({ value, at: Date.now() });
    return send();
  }, 220);
  return { sender, sent };
}

it("sends the first value at once, and at most five in any second", async () => {
  const { sender, sent } = senderOf();
  for (let value = 0; value < 300; value++) {
    sender.push(value);
    expect(sent.length).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(10);
  }
  for (const { at } of sent) expect(sent.filter((each) => each.at >= at && each.at < at + 1000).length).toBeLessThanOrEqual(5);
  expect(sent.length).toBeGreaterThan(12);
});

it("sends the last value after a pause, and then nothing", async () => {
  const { sender, sent } = senderOf();
  for (const value of [1, 2, 3]) sender.push(value);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent.map(({ value }) => value)).toEqual([1, 3]);
});

it("waits for the answer to the previous value", async () => {
  const first = Promise.withResolvers<void>();
  const { sender, sent } = senderOf(() => first.promise);
  sender.push(1);
  sender.push(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent).toHaveLength(1);
  first.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(2);
});

it("continues after a failure and does not send a cleared value", async () => {
  const { sender, sent } = senderOf(() => Promise.reject(new Error("lost")));
  sender.push(1);
  sender.push(2);
  await vi.advanceTimersByTimeAsync(300);
  sender.push(3);
  sender.clear();
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent.map(({ value }) => value)).toEqual([1, 2]);
});
