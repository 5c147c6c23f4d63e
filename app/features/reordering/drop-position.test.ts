import { expect, it } from "vitest";
import { dropPositionAt, dropPositionFor, indexBeside, markerBox } from "./drop-position";

const box = (left: number, right: number, top: number, bottom = top + 100) => ({ left, right, top, bottom });
const rows = [box(0, 100, 0), box(110, 300, 0), box(0, 200, 120), box(210, 300, 120)];
const column = [box(0, 300, 0, 40), box(0, 300, 40, 80), box(0, 300, 80, 120)];

it("drops on the pointer's side of the nearest item", () => {
  expect(dropPositionAt(rows, { x: 20, y: 50 }, false)).toEqual({ side: "before", index: 0 });
  expect(dropPositionAt(rows, { x: 250, y: 50 }, false)).toEqual({ side: "after", index: 1 });
  expect(dropPositionAt(rows, { x: 900, y: 90 }, false)).toEqual({ side: "after", index: 1 });
  expect(dropPositionAt(rows, { x: 20, y: 900 }, false)).toEqual({ side: "before", index: 2 });
  expect(dropPositionAt(column, { x: 250, y: 45 }, false)).toEqual({ side: "before", index: 1 });
  expect(dropPositionAt(column, { x: 10, y: 75 }, false)).toEqual({ side: "after", index: 1 });
  expect(dropPositionAt([], { x: 0, y: 0 }, false)).toBeNull();
});

it("mirrors sides in a list that starts at the right", () => {
  const mirrored = [box(200, 300, 0), box(0, 190, 0)];
  expect(dropPositionAt(mirrored, { x: 290, y: 50 }, true)).toEqual({ side: "before", index: 0 });
  expect(dropPositionAt(mirrored, { x: 20, y: 50 }, true)).toEqual({ side: "after", index: 1 });
  expect(markerBox(mirrored, { side: "before", index: 0 }, true)).toEqual({ left: 306, right: 309, top: 0, bottom: 100 });
  expect(markerBox(mirrored, { side: "after", index: 1 }, true)).toEqual({ left: -8, right: -5, top: 0, bottom: 100 });
  expect(markerBox(column, { side: "before", index: 1 }, true)).toEqual(markerBox(column, { side: "before", index: 1 }, false));
});

it("drops before the target when moving up and after it when moving down", () => {
  expect([dropPositionFor(3, 1), dropPositionFor(1, 3), dropPositionFor(2, 2)]).toEqual([
    { side: "before", index: 1 },
    { side: "after", index: 3 },
    null,
  ]);
});

it("finds the index before or after a neighbour in either direction", () => {
  expect([indexBeside("before", 3, 1), indexBeside("before", 0, 2), indexBeside("after", 3, 1), indexBeside("after", 0, 2)]).toEqual([
    1, 1, 2, 2,
  ]);
});

it("draws a line in the gap", () => {
  expect(markerBox(rows, { side: "after", index: 0 }, false)).toEqual({ left: 106, right: 109, top: 0, bottom: 100 });
  expect(markerBox(column, { side: "before", index: 1 }, false)).toEqual({ left: 0, right: 300, top: 39, bottom: 42 });
  expect(markerBox(rows, { side: "before", index: 9 }, false)).toBeNull();
});
