import { describe, expect, it } from "vitest";
import { firstLetter } from "./avatar";

describe("firstLetter", () => {
  it.each([
    ["Ada", "A"],
    ["  ada", "a"],
    ["Émile", "É"],
    ["👩‍🎨 Artist", "👩‍🎨"],
    ["", ""],
    ["   ", ""],
  ])("for %j is %j", (name, letter) => {
    expect(firstLetter(name)).toBe(letter);
  });
});
