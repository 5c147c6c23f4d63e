import { expect, it } from "vitest";
import { exposureText } from "./image-details";

it("formats the known values of an exposure in photographic notation", () => {
  expect(exposureText({ exposureTime: 1 / 250, aperture: 2.8, iso: 400, focalLength: 50 })).toBe("1/250 s, ƒ/2.8, ISO 400, 50 mm");
  expect(exposureText({ exposureTime: 2.5, focalLength: 4.25 })).toBe("2.5 s, 4.3 mm");
  expect(exposureText({})).toBe("");
});
