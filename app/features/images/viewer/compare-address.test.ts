import { expect, it } from "vitest";
import { compareAddress, parseCompared, formatCompared } from "./compare-address";

it("round-trips two images or versions and the comparison mode", () => {
  const [a, b] = [{ imageId: "i1", versionId: "v1" }, { imageId: "i2" }];
  expect(compareAddress(a, b, "swipe")).toBe("/compare?a=i1%7Ev1&b=i2&mode=swipe");
  expect(compareAddress(b, null)).toBe("/compare?a=i2");
  for (const each of [a, b]) expect(parseCompared(formatCompared(each))).toEqual(each);
  expect([parseCompared(null), parseCompared("")]).toEqual([null, null]);
});
