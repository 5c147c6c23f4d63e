import { assert, double, integer, property } from "fast-check";
import { expect, it } from "vitest";
import { CENTRE, CROP_FIELDS, MIN_SIDE, readCrop, toPixels } from "./crop";

const fields = (side: unknown, x: unknown, y: unknown) =>
  new Map([
    [CROP_FIELDS.side, String(side)],
    [CROP_FIELDS.x, String(x)],
    [CROP_FIELDS.y, String(y)],
  ]);

it("crops from the centre and from edge to edge", () => {
  expect(toPixels(CENTRE, 900, 300)).toEqual({ left: 300, top: 0, width: 300, height: 300 });
  expect(toPixels({ side: 1, x: 1, y: 0 }, 900, 300)).toEqual({ left: 600, top: 0, width: 300, height: 300 });
  expect(toPixels({ side: 0.5, x: 0, y: 1 }, 300, 900)).toEqual({ left: 0, top: 750, width: 150, height: 150 });
});

it("reads a form's crop and ignores invalid values", () => {
  expect(readCrop(fields(0.5, 0, 1))).toEqual({ side: 0.5, x: 0, y: 1 });
  for (const wrong of [fields(0, 0, 0), fields(1, -0.1, 0), fields(1, 0, 1.1), fields("", 0, 0), fields("NaN", 0, 0), fields("1e9", 0, 0)])
    expect(readCrop(wrong)).toBeNull();
  expect(readCrop(new Map())).toBeNull();
});

it("stays inside the picture", () => {
  const part = double({ min: 0, max: 1, noNaN: true });
  const length = integer({ min: 1, max: 20_000 });
  assert(
    property(double({ min: MIN_SIDE, max: 1, noNaN: true }), part, part, length, length, (side, x, y, width, height) => {
      const area = toPixels({ side, x, y }, width, height);
      expect(area.left).toBeGreaterThanOrEqual(0);
      expect(area.top).toBeGreaterThanOrEqual(0);
      expect(area.width).toBeGreaterThan(0);
      expect(area.left + area.width).toBeLessThanOrEqual(width);
      expect(area.top + area.height).toBeLessThanOrEqual(height);
    }),
  );
});
