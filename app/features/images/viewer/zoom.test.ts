import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boxOf,
  boxWithin,
  fitScale,
  isLarger,
  panBy,
  percent,
  pinch,
  type Scene,
  clampView,
  step,
  toggleZoom,
  type View,
  viewOf,
  zoomBy,
} from "./zoom";

const scene = (more: Partial<Scene> = {}): Scene => ({
  stage: { width: 1000, height: 800 },
  picture: { width: 4000, height: 2000 },
  corner: { x: 0, y: 0 },
  density: 1,
  scalable: false,
  ...more,
});
const small = scene({ picture: { width: 300, height: 200 } });

const under = (view: View, point: { x: number; y: number }) => ({ x: (point.x - view.x) / view.scale, y: (point.y - view.y) / view.scale });

describe("the view at fit, fill and 100%", () => {
  it("fit shows the whole picture without enlarging it", () => {
    expect(viewOf("fit", scene())).toEqual({ scale: 0.25, x: 0, y: 0 });
    expect(fitScale(small)).toBe(1);
    expect(fitScale(scene({ picture: { width: 300, height: 200 }, density: 2 }))).toBe(1);
  });
  it("fit enlarges a drawing", () => {
    expect(fitScale(scene({ picture: { width: 300, height: 200 }, scalable: true }))).toBeCloseTo(1000 / 300);
  });
  it("fill leaves no empty space", () => {
    expect(viewOf("fill", scene()).scale).toBe(0.4);
  });
  it("100% maps one pixel to one screen pixel at any density", () => {
    for (const density of [1, 1.5, 2, 3]) {
      const view = viewOf("actual", scene({ density }));
      expect(view.scale * density).toBeCloseTo(1);
      expect(percent(view, scene({ density }))).toBe(100);
    }
  });
  it("100% aligns pixels with the screen's, wherever the picture is moved", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 2000 }),
        fc.integer({ min: 200, max: 2000 }),
        fc.float({ min: -3000, max: 3000, noNaN: true }),
        fc.constantFrom(1, 1.25, 1.5, 2),
        fc.constantFrom(0, 54.59375, 7.3),
        (width, height, x, density, y) => {
          const at = scene({ stage: { width, height }, density, corner: { x: 0, y } });
          const { left, top } = boxOf(clampView({ scale: 1 / density, x, y: x / 3 }, at), at);
          for (const edge of [left, top + y]) expect(Math.abs(edge * density - Math.round(edge * density))).toBeLessThan(1e-6);
        },
      ),
    );
  });
});

describe("zooming and panning", () => {
  it("keeps the point under the pointer", () => {
    const view = viewOf("actual", scene());
    const point = { x: 120, y: -40 };
    const closer = zoomBy(view, 2, point, scene());
    expect(under(closer, point).x).toBeCloseTo(under(view, point).x);
    expect(under(closer, point).y).toBeCloseTo(under(view, point).y);
  });
  it("stops at the picture's edge and centres a smaller picture", () => {
    expect(panBy(viewOf("actual", scene()), { x: 99_999, y: -99_999 }, scene())).toEqual({ scale: 1, x: 1500, y: -600 });
    expect(panBy(viewOf("fit", small), { x: 50, y: 50 }, small)).toEqual({ scale: 1, x: 0, y: 0 });
  });
  it("pinches around the point between the fingers", () => {
    const view = viewOf("actual", scene());
    const closer = pinch(
      view,
      [
        { x: -50, y: 0 },
        { x: 50, y: 0 },
      ],
      [
        { x: -90, y: 20 },
        { x: 110, y: 20 },
      ],
      scene(),
    );
    expect(closer.scale).toBeCloseTo(2);
    expect(under(closer, { x: 10, y: 20 }).x).toBeCloseTo(under(view, { x: 0, y: 0 }).x);
  });
  it("stays within its limits for any gestures", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.float({ min: Math.fround(0.01), max: 100, noNaN: true }), fc.integer(), fc.integer())), (moves) => {
        let view = viewOf("fit", scene());
        for (const [factor, x, y] of moves) view = zoomBy(panBy(view, { x, y }, scene()), factor, { x: y % 500, y: x % 400 }, scene());
        expect(view.scale).toBeGreaterThanOrEqual(0.25);
        expect(view.scale).toBeLessThanOrEqual(16);
        const { left, top, width, height } = boxOf(view, scene());
        const covers = (start: number, length: number, room: number) => length < room || (start <= 1e-6 && start + length >= room - 1e-6);
        expect([covers(left, width, 1000), covers(top, height, 800)]).toEqual([true, true]);
      }),
    );
  });
});

it("fits a compared picture into the other's box in its own proportions", () => {
  const box = { left: 100, top: 50, width: 800, height: 400 };
  expect(boxWithin(box, { width: 1600, height: 800 })).toEqual(box);
  expect(boxWithin(box, { width: 100, height: 100 })).toEqual({ left: 300, top: 50, width: 400, height: 400 });
});

describe("steps", () => {
  it("zoom in and out by round numbers", () => {
    let view = viewOf("fit", scene());
    const seen = [];
    for (let each = 0; each < 5; each++) seen.push(percent((view = step(view, "in", scene())), scene()));
    expect(seen).toEqual([33, 50, 67, 75, 100]);
    expect(percent(step(view, "out", scene()), scene())).toBe(75);
    expect(step(viewOf("fit", scene()), "out", scene())).toEqual(viewOf("fit", scene()));
  });
  it("a double click toggles between fit, 100% and a closer view", () => {
    const first = toggleZoom(viewOf("fit", scene()), scene(), { x: 0, y: 0 });
    expect([first.fitting, percent(first.view, scene()), isLarger(first.view, scene())]).toEqual(["actual", 100, true]);
    expect(toggleZoom(first.view, scene(), { x: 0, y: 0 }).view).toEqual(viewOf("fit", scene()));
    expect(percent(toggleZoom(viewOf("fit", small), small, { x: 0, y: 0 }).view, small)).toBe(200);
  });
});
