import { assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { searchQuery } from "./searchQuery";
import { searchWords, trigramsOf, wordsIn } from "./words";

const termsOf = (name: string) => searchWords({ name }).split(" ");
const wordTerms = (name: string) => termsOf(name).filter((term) => !term.startsWith("ƿ"));

/** Splits text as Convex documents: https://docs.convex.dev/search/text-search (Tantivy's `SimpleTokenizer` and `RemoveLongFilter`). */
const tokens = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{Alphabetic}\p{N}]+/u)
    .filter((token) => token !== "" && Buffer.byteLength(token) < 32);

function convexFinds(stored: string, search: string): boolean {
  const there = new Set(tokens(stored));
  const terms = tokens(search).slice(0, 16);
  const last = terms.at(-1) ?? "\n";
  return terms.some((term) => there.has(term)) || [...there].some((token) => token.startsWith(last));
}

function isFound(name: string, text: string): boolean {
  const query = searchQuery(text, false);
  return query !== null && query.fits({ name }) && query.exact.some((terms) => convexFinds(searchWords({ name }), terms));
}

const SCRIPTS = "abcXYZéßİıøŁæςΣΏюЁйأةى्किहท่ีดデｶﾞが設计홈페🎨🇩🇪€0९'’-‐ \u0301\u200C\u200D\u00AD,.";
const name = oneof(
  string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  string({ unit: constantFrom(...Array.from(SCRIPTS)), minLength: 1, maxLength: 200 }),
  string({ unit: "binary", minLength: 1, maxLength: 60 }),
);

test("finds every name by itself and by each of its words", { tags: "@finds-every-name-each-words" }, () => {
  assert(
    property(name, (text) => {
      const parts = text.split(/[\s,.]+/u).filter((part) => wordsIn(part).length > 0);
      for (const part of wordsIn(text).length === 0 ? [] : [text, ...parts]) expect(isFound(text, part), part).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("stores only terms that are short enough for Convex's index", () => {
  assert(
    property(name, (text) => {
      const stored = searchWords({ name: text });
      expect(tokens(stored)).toEqual(stored === "" ? [] : stored.split(" "));
    }),
    { numRuns: 2000 },
  );
});

test("searches for at most 16 terms of less than 32 bytes", () => {
  const text = oneof(name, string({ unit: "grapheme", maxLength: 300 }));
  assert(
    property(text, (typed) => {
      const query = searchQuery(typed, true);
      for (const terms of query === null ? [] : [query.exact[0] ?? "", query.trigrams]) {
        expect(tokens(terms)).toEqual(terms === "" ? [] : terms.split(" "));
        expect(tokens(terms).length).toBeLessThanOrEqual(16);
      }
    }),
  );
});

test("stores a word and its parts", () => {
  expect(wordTerms("iPhone15ProMax.png")).toEqual(["iphone15promax", "iphone", "15", "promax", "i", "phone", "pro", "max", "png"]);
  expect(wordTerms("O’Brien's e-mail")).toEqual(["obriens", "obrien", "o", "brien", "s", "email", "e", "mail"]);
  expect(wordTerms("新しい案 3月")).toEqual(["新し", "しい", "い案", "案", "3", "月"]);
  expect(wordTerms("بالصفحة")).toEqual(["بالصفحه", "صفحه"]);
  expect(termsOf("🎨 🇩🇪")).toEqual(["ƿ901f3a8", "ƿ901f1e901f1ea"]);
});

test("stores trigrams of words from four letters", () => {
  expect(trigramsOf("lion")).toEqual(["ƿ0li", "ƿlio", "ƿion", "ƿon0"]);
  expect(trigramsOf("png")).toEqual([]);
  expect(trigramsOf("2024")).toEqual([]);
  const letters = "abcdefghijklmnopqrst";
  const long = Array.from(letters, (one) => Array.from(letters, (other) => `${one}${other}${one}x`).join(" ")).join(" ");
  expect(termsOf(long).filter((term) => term.startsWith("ƿ"))).toHaveLength(256);
});

test.each([
  ["dandelions", "lion", 0],
  ["dandelions", "dandelons", 1],
  ["dandelions", "dandelinos", 1],
  ["dandelions", "dandalio", 1],
  ["dandelions", "sandelion", 1],
  ["dandelions", "dandeliions", 1],
  ["dandelions", "dandolones", null],
  ["lines", "lion", null],
  ["posting", "poste", null],
  ["Größenwahn", "grosenwahn", 1],
  ["iPhone15ProMax", "ihpone15", 1],
  ["iPhone15ProMax", "ihpone16", null],
])("computes the distance of %s and the typed %s", (text, typed, distance) => {
  const row = { name: text, words: searchWords({ name: text }) };
  const query = searchQuery(typed, false);
  expect(query?.distanceTo(row)).toBe(distance);
  expect(distance === null || convexFinds(row.words, query?.trigrams ?? "")).toBe(true);
});
