import { expect, it } from "vitest";
import { cutText } from "./cutText";

it("returns short texts unchanged", () => {
  expect(cutText("ab😀", 4)).toBe("ab😀");
  expect(cutText("", 4)).toBe("");
});

it("cuts before a character that crosses the limit", () => {
  expect(cutText("ab😀c", 3)).toBe("ab");
  expect(cutText("ab😀c", 4)).toBe("ab😀");
});
