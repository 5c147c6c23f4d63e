import { assert, nat, oneof, property } from "fast-check";
import { expect, it } from "vitest";
import { relativeTimeText, changeAfter } from "./relative-time";

const minute = 60_000;
const day = 24 * 60 * minute;

it.each([
  [0, "just now"],
  [59_999, "just now"],
  [-5 * minute, "just now"],
  [minute, "1 minute ago"],
  [3 * minute, "3 minutes ago"],
  [60 * minute, "1 hour ago"],
  [day, "yesterday"],
  [6 * day, "6 days ago"],
  [7 * day, "last week"],
  [45 * day, "last month"],
  [800 * day, "2 years ago"],
])("describes %i ms ago as %s", (passed, text) => {
  expect(relativeTimeText(1_800_000_000_000 - passed, 1_800_000_000_000)).toBe(text);
});

it("returns the time at which the text changes", () => {
  const at = 1_800_000_000_000;
  assert(
    property(oneof(nat(2 * day), nat(1000 * day)), (passed) => {
      const change = changeAfter(at, at + passed);
      expect(change).toBeGreaterThan(at + passed);
      expect(relativeTimeText(at, change - 1)).toBe(relativeTimeText(at, at + passed));
      expect(relativeTimeText(at, change)).not.toBe(relativeTimeText(at, at + passed));
    }),
  );
  expect(changeAfter(at, at - 5 * minute)).toBe(at + minute);
});
