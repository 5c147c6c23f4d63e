import { expect, it } from "vitest";
import { firstLetter } from "./avatar";

it.each([
  ["Ada", "A"],
  ["  ada", "a"],
  ["Émile", "É"],
  ["👩‍🎨 Artist", "👩‍🎨"],
  ["", ""],
  ["   ", ""],
])("begins %j with %j", (name, letter) => {
  expect(firstLetter(name)).toBe(letter);
});
