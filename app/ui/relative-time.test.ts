import { expect, it } from "vitest";
import { ago } from "./relative-time";

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
])("says of what happened %i ms ago: %s", (passed, text) => {
  expect(ago(1_800_000_000_000 - passed, 1_800_000_000_000)).toBe(text);
});
