import { expect, it } from "vitest";
import { dropAt, dropFor, markerBox } from "./place";

const box = (left: number, right: number, top: number, bottom = top + 100) => ({ left, right, top, bottom });
const rows = [box(0, 100, 0), box(110, 300, 0), box(0, 200, 120), box(210, 300, 120)];
const column = [box(0, 300, 0, 40), box(0, 300, 40, 80), box(0, 300, 80, 120)];

it("is put on the side of the nearest thing where the pointer is", () => {
  expect(dropAt(rows, { x: 20, y: 50 })).toEqual({ side: "before", index: 0 });
  expect(dropAt(rows, { x: 250, y: 50 })).toEqual({ side: "after", index: 1 });
  // Right of a row's end it is the end of that row, not the beginning of what lies below.
  expect(dropAt(rows, { x: 900, y: 90 })).toEqual({ side: "after", index: 1 });
  expect(dropAt(rows, { x: 20, y: 900 })).toEqual({ side: "before", index: 2 });
  expect(dropAt(column, { x: 250, y: 45 })).toEqual({ side: "before", index: 1 });
  expect(dropAt(column, { x: 10, y: 75 })).toEqual({ side: "after", index: 1 });
  expect(dropAt([], { x: 0, y: 0 })).toBeNull();
});

it("is put before what stands at its new place when it moves up, and after when it moves down", () => {
  expect([dropFor(3, 1), dropFor(1, 3), dropFor(2, 2)]).toEqual([{ side: "before", index: 1 }, { side: "after", index: 3 }, null]);
});

it("is shown by a line in the gap", () => {
  expect(markerBox(rows, { side: "after", index: 0 })).toEqual({ left: 106, right: 109, top: 0, bottom: 100 });
  expect(markerBox(column, { side: "before", index: 1 })).toEqual({ left: 0, right: 300, top: 39, bottom: 42 });
  expect(markerBox(rows, { side: "before", index: 9 })).toBeNull();
});
