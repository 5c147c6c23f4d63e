import { expect, it } from "vitest";
import { placeText } from "./place-text";

it("describes a point, an area and the whole item", () => {
  expect(placeText({ anchor: { x: 0.254, y: 1 } })).toBe("Point 25% from the left and 100% from the top");
  const area = { x: 0, y: 0.1, width: 0.5, height: 0.333 };
  expect(placeText({ anchor: area })).toBe("Area from 0% from the left and 10% from the top, 50% wide and 33% high");
  expect(placeText({})).toBe("");
});
