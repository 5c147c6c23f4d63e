import { expect, it } from "vitest";
import { createTransferRate, remainingTimeText } from "./transfer-rate";

it("returns the current speed, not an earlier one", () => {
  const pace = createTransferRate();
  pace.record(0, 0);
  expect(pace.speed(100)).toBeNull();
  pace.record(1000, 1000);
  expect(pace.speed(1000)).toBe(1000);
  for (let at = 2000; at <= 9000; at += 1000) pace.record(1000 + (at - 1000) / 10, at);
  expect(pace.speed(9000)).toBeCloseTo(100);
  expect(pace.speed(20_000)).toBeNull();
});

it.each([
  [0.2, "1 s left"],
  [42, "42 s left"],
  [119, "2 min left"],
  [3_900, "1 h 5 min left"],
])("formats %d seconds as %s", (seconds, text) => expect(remainingTimeText(seconds)).toBe(text));
