import { expect, it } from "vitest";
import { rgbaToThumbHash } from "thumbhash";
import { colourOf, hasAppearance } from "./imageAppearance";

const filled = (...rgb: [number, number, number]) =>
  Buffer.from(rgbaToThumbHash(4, 4, Uint8Array.from(Array.from({ length: 16 }, () => [...rgb, 255]).flat()))).toString("base64");

it("names the average colour", () => {
  const colours: [string, [number, number, number]][] = [
    ["red", [200, 30, 30]],
    ["orange", [230, 130, 30]],
    ["yellow", [230, 215, 40]],
    ["green", [50, 150, 60]],
    ["blue", [40, 80, 200]],
    ["purple", [130, 50, 200]],
    ["pink", [240, 100, 180]],
    ["black", [10, 10, 10]],
    ["grey", [128, 128, 128]],
    ["white", [250, 250, 250]],
  ];
  expect(colours.map(([, rgb]) => colourOf({ placeholder: filled(...rgb) }))).toEqual(colours.map(([name]) => name));
  expect([colourOf({ placeholder: null }), colourOf({ placeholder: "?" })]).toEqual([undefined, undefined]);
});

it("checks orientation, size and colour together", () => {
  const image = { width: 4000, height: 3000, placeholder: filled(40, 80, 200) };
  expect(hasAppearance(image, { orientation: "landscape", size: "large", colour: "blue" })).toBe(true);
  expect(hasAppearance(image, {})).toBe(true);
  expect(hasAppearance({ ...image, width: 3000 }, { orientation: "square" })).toBe(true);
  expect(hasAppearance({ ...image, width: 300, height: 400 }, { orientation: "portrait", size: "small" })).toBe(true);
  expect([
    hasAppearance(image, { orientation: "portrait" }),
    hasAppearance(image, { size: "medium" }),
    hasAppearance(image, { colour: "red" }),
  ]).toEqual([false, false, false]);
});
