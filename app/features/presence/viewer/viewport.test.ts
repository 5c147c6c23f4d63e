import { expect, it } from "vitest";
import { boxOf } from "~/features/images/viewer/zoom";
import { isPartial, viewOfPart, visiblePart } from "./viewport";

const picture = { width: 1000, height: 500 };
const ROTATIONS = [0, 90, 180, 270] as const;

it("returns the whole image when it is on the stage, and a part when it is larger", () => {
  const whole = visiblePart({ left: 100, top: 50, width: 400, height: 200 }, { width: 600, height: 300 }, 0);
  expect(whole).toEqual({ x: 0, y: 0, width: 1, height: 1 });
  const part = visiblePart({ left: -400, top: -100, width: 800, height: 400 }, { width: 200, height: 200 }, 0);
  expect(part).toEqual({ x: 0.5, y: 0.25, width: 0.25, height: 0.5 });
  expect([isPartial(whole), isPartial(part)]).toEqual([false, true]);
});

it.each(ROTATIONS)("shows the same part on another stage, at a rotation of %s degrees", (rotation) => {
  const part = { x: 0.5, y: 0.2, width: 0.25, height: 0.5 };
  const turned = rotation % 180 === 0 ? picture : { width: picture.height, height: picture.width };
  const scene = { stage: { width: 300, height: 700 }, picture: turned, scalable: false };
  const view = viewOfPart(part, rotation, scene);
  const shown = visiblePart(boxOf(view, { ...scene, corner: { x: 0, y: 0 }, density: 1 }), scene.stage, rotation);
  for (const [from, length] of [
    ["x", "width"],
    ["y", "height"],
  ] as const) {
    expect(shown[from]).toBeLessThanOrEqual(part[from] + 0.001);
    expect(shown[from] + shown[length]).toBeGreaterThanOrEqual(part[from] + part[length] - 0.001);
  }
  expect(Math.min(shown.width - part.width, shown.height - part.height)).toBeLessThan(0.002);
});

it("fits an image that is visible as a whole, without enlarging a small one", () => {
  const small = { stage: { width: 600, height: 600 }, picture: { width: 32, height: 32 }, scalable: false };
  expect(viewOfPart({ x: 0, y: 0, width: 1, height: 1 }, 0, small)).toEqual({ scale: 1, x: 0, y: 0 });
});
