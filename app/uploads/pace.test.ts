import { expect, it } from "vitest";
import { createPace, leftText } from "./pace";

it("tells how fast it goes now, not how fast it went long ago", () => {
  const pace = createPace();
  pace.note(0, 0);
  expect(pace.speed(100)).toBeNull();
  pace.note(1000, 1000);
  expect(pace.speed(1000)).toBe(1000);
  for (let at = 2000; at <= 9000; at += 1000) pace.note(1000 + (at - 1000) / 10, at);
  expect(pace.speed(9000)).toBeCloseTo(100);
  // It has stopped.
  expect(pace.speed(20_000)).toBeNull();
});

it.each([
  [0.2, "1 s left"],
  [42, "42 s left"],
  [119, "2 min left"],
  [3_900, "1 h 5 min left"],
])("%d seconds are %s", (seconds, text) => expect(leftText(seconds)).toBe(text));
