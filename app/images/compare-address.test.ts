import { expect, it } from "vitest";
import { compareAddress, read, written } from "./compare-address";

it("names two images, or versions of them, and how they stand", () => {
  const [a, b] = [{ imageId: "i1", versionId: "v1" }, { imageId: "i2" }];
  expect(compareAddress(a, b, "swipe")).toBe("/compare?a=i1%7Ev1&b=i2&mode=swipe");
  expect(compareAddress(b, null)).toBe("/compare?a=i2");
  for (const each of [a, b]) expect(read(written(each))).toEqual(each);
  expect([read(null), read("")]).toEqual([null, null]);
});
