import { expect, test } from "vitest";
import { tagAddress, tagsWith, tagsWithout } from "./tag-list";

test("adds several tags at once and ignores duplicates in other spelling", () => {
  expect(tagsWith(undefined, " Poster, final ,, POSTER")).toEqual(["Poster", "final"]);
  expect(tagsWith(["Two  words"], "two words, ﬁnal")).toEqual(["Two  words", "ﬁnal"]);
  expect(tagsWith(undefined, " , ")).toBeUndefined();
});

test("returns undefined after the last tag is removed", () => {
  expect(tagsWithout(["Poster", "final"], "poster")).toEqual(["final"]);
  expect(tagsWithout(["final"], "final")).toBeUndefined();
  expect(tagsWithout(undefined, "final")).toBeUndefined();
});

test("encodes any tag in an address", () => {
  expect(new URLSearchParams(tagAddress("a & b=c #1").split("?")[1]).get("tag")).toBe("a & b=c #1");
});
