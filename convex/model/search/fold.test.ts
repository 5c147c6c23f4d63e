import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { fold, foldTag } from "./fold";

test.each([
  ["ÑANDÚ Crème", "nandu creme"],
  ["Cafe\u0301", "cafe"],
  ["STRASSE", "straße"],
  ["STRAẞE", "straße"],
  ["İSTANBUL", "ıstanbul"],
  ["ΟΔΟΣ", "οδος"],
  ["ﬁle Ⅳ ①", "FILE iv 1"],
  ["Ёлки", "елки"],
  ["ﾃﾞｻﾞｲﾝ", "デザイン"],
  ["أَحْمَد", "احمد"],
  ["שָׁלוֹם", "שלום"],
  ["soft\u00ADhyphen", "softhyphen"],
])("folds %s and %s to the same text", (one, other) => {
  expect(fold(one)).toBe(fold(other));
});

test.each([
  ["か", "が"],
  ["หา", "ห่า"],
  ["हिन", "हन"],
  ["o", "0"],
])("distinguishes %s and %s", (one, other) => {
  expect(fold(one)).not.toBe(fold(other));
});

test.each([fold, foldTag])("returns folded text unchanged", (folds) => {
  assert(
    property(string({ unit: "grapheme" }), (text) => {
      expect(folds(folds(text))).toBe(folds(text));
    }),
    { numRuns: 1000 },
  );
});

test("distinguishes tags that differ in a diacritic", () => {
  expect(foldTag(" Groß  STADT")).toBe(foldTag("gross stadt"));
  expect(foldTag("schon")).not.toBe(foldTag("schön"));
});
