import { expect, it } from "vitest";
import { edgeSpeed } from "./selectable-items";

it("scrolls only near the window's edges, faster closer to them, up to a limit", () => {
  const height = 800;
  expect([64, 400, height - 64].map((y) => edgeSpeed(y, height))).toEqual([0, 0, 0]);
  const [far = 0, near = 0, edge = 0, beyond = 0] = [750, 780, 800, 2000].map((y) => edgeSpeed(y, height));
  expect(far).toBeGreaterThan(0);
  expect(near).toBeGreaterThan(far);
  expect(edge).toBeGreaterThan(near);
  expect(beyond).toBe(edge);
  expect(edgeSpeed(0, height)).toBe(-edge);
});
