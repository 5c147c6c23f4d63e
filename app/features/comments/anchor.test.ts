import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROTATIONS, type Rotation } from "~/features/images/display/image-address";
import { rotationAfter } from "#convex/model/images/rotationAfter";
import { boxOf, clampView, type Scene } from "~/features/images/viewer/zoom";
import { type Anchor, anchorAt, anchorBetween, boxOnStage, fractionAt, movedBy, panToShow, positionText, rotateAnchor } from "./anchor";

const box = { left: 100, top: 50, width: 400, height: 200 };
const rotation = fc.constantFrom(...ROTATIONS);
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const anchor: fc.Arbitrary<Required<Anchor>> = fc
  .tuple(fraction, fraction, fraction, fraction)
  .map(([x, y, width, height]) => ({ x, y, width: width * (1 - x), height: height * (1 - y) }));

const expectNear = (given: Record<string, number | undefined>, expected: Record<string, number | undefined>, precision = 6) => {
  for (const [key, value] of Object.entries(expected)) expect(given[key], key).toBeCloseTo(value ?? 0, precision);
};

describe("anchors on a rotated image", () => {
  it.each<[Rotation, Required<Anchor>]>([
    [0, { x: 0.1, y: 0.2, width: 0.3, height: 0.4 }],
    [90, { x: 0.4, y: 0.1, width: 0.4, height: 0.3 }],
    [180, { x: 0.6, y: 0.4, width: 0.3, height: 0.4 }],
    [270, { x: 0.2, y: 0.6, width: 0.4, height: 0.3 }],
  ])("turn clockwise by %i degrees", (degrees, expected) => {
    expectNear(rotateAnchor({ x: 0.1, y: 0.2, width: 0.3, height: 0.4 }, degrees), expected);
  });
  it("return to their place after four turns to the right", () => {
    fc.assert(
      fc.property(anchor, rotation, (at, start) => {
        let now = at;
        for (let turns = 0; turns < 4; turns++) now = rotateAnchor(now, 90);
        expectNear(now, at);
        expectNear(rotateAnchor(at, rotationAfter(start, "right")), rotateAnchor(rotateAnchor(at, start), 90));
      }),
    );
  });
});

describe("between stage and image", () => {
  const scenes = fc.record({
    stage: fc.record({ width: fc.integer({ min: 200, max: 2000 }), height: fc.integer({ min: 200, max: 2000 }) }),
    picture: fc.record({ width: fc.integer({ min: 20, max: 9000 }), height: fc.integer({ min: 20, max: 9000 }) }),
    corner: fc.constant({ x: 0, y: 54.6 }),
    density: fc.constantFrom(1, 1.5, 2, 3),
    scalable: fc.boolean(),
  }) satisfies fc.Arbitrary<Scene>;
  const views = fc.record({
    scale: fc.double({ min: 0.01, max: 32, noNaN: true }),
    x: fc.integer({ min: -3000, max: 3000 }),
    y: fc.integer({ min: -3000, max: 3000 }),
  });

  it("an anchor is where it was placed, at any zoom and rotation", () => {
    fc.assert(
      fc.property(scenes, views, rotation, fraction, fraction, (scene, view, degrees, x, y) => {
        const shown = boxOf(clampView(view, scene), scene);
        const point = { x: shown.left + x * shown.width, y: shown.top + y * shown.height };
        const placed = anchorBetween(point, point, shown, degrees);
        expectNear(boxOnStage(placed, shown, degrees), { left: point.x, top: point.y, width: 0, height: 0 }, 3);
      }),
    );
  });
  it("a rectangle keeps its corners, at any zoom and rotation", () => {
    const half = fc.double({ min: 0.25, max: 0.5, noNaN: true });
    const wide = fc.record({ x: half, y: half, width: half, height: half });
    const large = scenes.map((scene) => ({ ...scene, picture: { width: 400 + scene.picture.width / 9, height: 500 } }));
    fc.assert(
      fc.property(large, views, rotation, wide, (scene, view, degrees, at) => {
        const shown = boxOf(clampView(view, scene), scene);
        const { left, top, width, height } = boxOnStage(at, shown, degrees);
        const placed = anchorBetween({ x: left + width, y: top }, { x: left, y: top + height }, shown, degrees);
        expectNear(placed, at, 3);
      }),
    );
  });
  it("places every anchor within the image", () => {
    const anywhere = fc.record({
      x: fc.double({ min: -9999, max: 9999, noNaN: true }),
      y: fc.double({ min: -9999, max: 9999, noNaN: true }),
    });
    fc.assert(
      fc.property(anywhere, anywhere, rotation, (from, to, degrees) => {
        const { x, y, width = 0, height = 0 } = anchorBetween(from, to, box, degrees);
        for (const edge of [x, y, x + width, y + height]) {
          expect(edge).toBeGreaterThanOrEqual(0);
          expect(edge).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
  it("a short drag places a point where it began", () => {
    expect(anchorBetween({ x: 200, y: 100 }, { x: 205, y: 190 }, box, 0)).toEqual({ x: 0.25, y: 0.25 });
    expect(anchorBetween({ x: 300, y: 200 }, { x: 200, y: 100 }, box, 0)).toEqual({ x: 0.25, y: 0.25, width: 0.25, height: 0.5 });
  });
});

describe("the crosshair", () => {
  it("moves by pixels and stops at the image's edges", () => {
    expect(movedBy({ x: 0.5, y: 0.5 }, { x: 40, y: -20 }, box)).toEqual({ x: 0.6, y: 0.4 });
    expect(movedBy({ x: 0.99, y: 0.01 }, { x: 40, y: -20 }, box)).toEqual({ x: 1, y: 0 });
    expect(fractionAt({ x: 0, y: 100 }, box)).toEqual({ x: 0, y: 0.25 });
  });
  it("places an anchor in the image without rotation", () => {
    expect(anchorAt({ x: 0.25, y: 0.5 }, 90)).toEqual({ x: 0.5, y: 0.75 });
  });
  it("is described by its distance from the displayed left and top", () => {
    expect(positionText({ x: 0.25, y: 0.1 }, 0)).toBe("25% from the left, 10% from the top");
    expect(positionText({ x: 0.2, y: 0.1, width: 0.2, height: 0.2 }, 90)).toBe("80% from the left, 30% from the top");
  });
});

describe("panning to an anchor", () => {
  const stage = { width: 400, height: 300 };
  it("is not needed for an anchor on the stage", () => {
    expect(panToShow({ left: 60, top: 60, width: 100, height: 100 }, stage)).toEqual({ x: 0, y: 0 });
  });
  it("moves the picture by the least distance", () => {
    expect(panToShow({ left: -52, top: 400, width: 0, height: 0 }, stage)).toEqual({ x: 100, y: -148 });
  });
  it("centres an anchor that is larger than the stage", () => {
    expect(panToShow({ left: 0, top: 60, width: 1000, height: 10 }, stage)).toEqual({ x: -300, y: 0 });
  });
});
