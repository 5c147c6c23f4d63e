import { expect, it } from "vitest";
import { between, neighbourInDirection, touches } from "./range";

it("includes both ends in either order", () => {
  const ids = ["a", "b", "c", "d"];
  expect([between(ids, "b", "d"), between(ids, "d", "b"), between(ids, "c", "c")]).toEqual([["b", "c", "d"], ["b", "c", "d"], ["c"]]);
  expect([between(ids, "gone", "b"), between(ids, "b", "gone")]).toEqual([["b"], []]);
});

it("counts overlapping boxes, not adjacent ones", () => {
  const box = { left: 10, top: 10, right: 20, bottom: 20 };
  expect(touches(box, { left: 19, top: 0, right: 30, bottom: 11 })).toBe(true);
  expect(touches(box, { left: 20, top: 0, right: 30, bottom: 40 })).toBe(false);
  expect(touches(box, { left: 12, top: 12, right: 13, bottom: 13 })).toBe(true);
});

it("moves by arrow keys through rows of tiles of different widths", () => {
  const box = (left: number, right: number, top: number) => ({ left, right, top, bottom: top + 90 });
  //  [ 0 ][  1  ][2]
  //  [   3   ][  4  ]
  const boxes = [box(0, 100, 0), box(110, 260, 0), box(270, 320, 0), box(0, 180, 100), box(190, 320, 104)];
  const from = (index: number, ...keys: Parameters<typeof neighbourInDirection>[0][]) =>
    keys.map((key) => neighbourInDirection(key, boxes, index, false));
  expect(from(0, "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp")).toEqual([1, 0, 3, 0]);
  expect(from(2, "ArrowRight", "ArrowDown")).toEqual([3, 4]);
  expect(from(4, "ArrowUp", "ArrowDown", "Home", "End", "ArrowRight")).toEqual([1, 4, 0, 4, 4]);
  expect([neighbourInDirection("ArrowLeft", boxes, 1, true), neighbourInDirection("ArrowRight", boxes, 1, true)]).toEqual([2, 0]);
});
