import { expect, test } from "vitest";
import { tagAddress, tagsWith, tagsWithout } from "./words";

test("several are added at once, and none twice however it is written", () => {
  expect(tagsWith(undefined, " Poster, final ,, POSTER")).toEqual(["Poster", "final"]);
  expect(tagsWith(["Two  words"], "two words, ﬁnal")).toEqual(["Two  words", "ﬁnal"]);
  expect(tagsWith(undefined, " , ")).toBeUndefined();
});

test("the last one taken off leaves none", () => {
  expect(tagsWithout(["Poster", "final"], "poster")).toEqual(["final"]);
  expect(tagsWithout(["final"], "final")).toBeUndefined();
  expect(tagsWithout(undefined, "final")).toBeUndefined();
});

test("an address carries any tag", () => {
  expect(new URLSearchParams(tagAddress("a & b=c #1").split("?")[1]).get("tag")).toBe("a & b=c #1");
});
