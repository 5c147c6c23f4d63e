import { expect, it } from "vitest";
import { createLineSpeed } from "./line-speed";

const MB = 1_000_000;

it("after a fast large request, files below a second of transfer count as fast", () => {
  const line = createLineSpeed();
  expect(line.isFastFor(5 * MB)).toBe(false);
  line.record(5 * MB, 250);
  expect([5, 19, 21].map((size) => line.isFastFor(size * MB))).toEqual([true, true, false]);
  line.record(5 * MB, 1_000);
  expect(line.isFastFor(MB)).toBe(false);
});

it("does not measure the speed of small requests", () => {
  const line = createLineSpeed();
  line.record(2_000, 0.1);
  expect(line.isFastFor(2_000)).toBe(false);
});
