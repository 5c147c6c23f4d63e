import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check } from "./check";
import { refusalOf } from "./errors";
import { cleanName } from "./names";
import {
  addTag,
  captionImage,
  createDesign,
  createProject,
  NAME_MAX,
  nameFromFile,
  nameOfCopy,
  renameDesign,
  renameDesignImage,
  renameProject,
} from "./rules";

const rules = { createProject, renameProject, createDesign, renameDesign, renameDesignImage };

describe.each(Object.entries(rules))("%s", (_, rule) => {
  it("trims a name in NFC with visible characters, and changes nothing else", () => {
    for (const name of ["a", " a ", "Ünïcode 名前 🎨", "<b>&\"'", "a".repeat(NAME_MAX), ` ${"a".repeat(NAME_MAX)} `]) {
      expect(rule.parse({ name })).toEqual({ name: name.trim() });
    }
  });

  it("rejects an invalid name with one field error", { tags: "@rejects-invalid-name-field-error" }, () => {
    for (const name of [
      "",
      " \t ",
      "a".repeat(NAME_MAX + 1),
      "a\nb",
      "a\u0007b",
      "a\u2028b",
      "\ud83c",
      "\ud83c\u200b\udf00",
      undefined,
      7,
      null,
    ]) {
      const refusal = refusalFor(() => check(rule, { name }));
      expect(refusal).toMatchObject({ code: "invalid", fieldErrors: { name: [expect.stringMatching(/^[A-Z].*\.$/)] } });
    }
  });
});

const ENGLAND = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
const KEPT = {
  "Persian with a non-joiner": "طرح\u200cها",
  "a family emoji": "👨\u200d👩\u200d👧",
  "England's flag": `${ENGLAND} 2026`,
  "Devanagari with a joiner": "क्\u200dष",
  "Malayalam that ends with a joiner": "ന്\u200d",
  "a heart with a variation selector": "❤\uFE0F",
  "an ideographic variant": "葛\u{E0100}",
  "Mongolian with a vowel separator": "ᠠ\u180Eᠡ",
  "composed Vietnamese": "Tiếng Việt",
  "a braille word": "⠓\u2800⠊",
};
const CHANGED: Record<string, [name: string, stored: string]> = {
  "a decomposed name": ["Cafe\u0301", "Café"],
  "decomposed Hangul": ["\u1112\u1161\u11AB", "한"],
  "an override": ["photo\u202Egnp.exe", "photognp.exe"],
  isolates: ["a\u2066b\u2067c\u2068d\u2069e", "abcde"],
  marks: ["a\u200Eb\u200Fc\u061Cd", "abcd"],
  "zero-width spaces": ["\uFEFF \u200Ba\u2060b\u00AD \u200B", "ab"],
  "tag characters": ["a\u{E0068}\u{E0069}\u{E007F}", "a"],
  "an unfinished flag": [ENGLAND.slice(0, -2), "\u{1F3F4}"],
  "a Hangul filler": ["a\u3164b", "ab"],
  "a character between letter and accent": ["e\u200B\u0301", "é"],
};
const INVISIBLE = [
  "\u200B",
  "\u2060",
  "\u3164",
  "\u115F\u1160",
  "\uFFA0",
  "\u2800",
  " \u200D\uFE0F ",
  "\u202E",
  "\u{E0041}",
  "\u00A0\u00AD",
];

describe("cleanName", () => {
  it.each(Object.entries(KEPT))("keeps %s", (_, name) => {
    expect(renameDesign.parse({ name })).toEqual({ name });
    expect(nameFromFile(name)).toBe(name);
  });

  it.each(Object.entries(CHANGED))("cleans %s", (_, [name, stored]) => {
    expect(renameDesign.parse({ name })).toEqual({ name: stored });
    expect(nameFromFile(name)).toBe(stored);
  });

  it.each(INVISIBLE)("refuses the invisible name %j like an empty one", (name) => {
    const refusal = refusalFor(() => check(renameDesign, { name }));
    expect(refusal).toEqual(refusalFor(() => check(renameDesign, { name: "" })));
    expect(nameFromFile(name)).toBe("Untitled");
    expect(nameFromFile(`${name}.png`)).toBe("Untitled.png");
  });

  it("keeps a visible name that begins with a dot", () => {
    for (const name of [".png", ".NET", "..png", "\u200Ba.png"]) expect(nameFromFile(name)).toBe(name.replace("\u200B", ""));
  });

  it("returns its own results unchanged", { tags: "slow" }, () => {
    const parts = [
      ...Object.values(KEPT),
      ...Object.values(CHANGED).flat(),
      ...INVISIBLE,
      "\uDB40",
      "\uDC67",
      "\u{1F3F4}",
      "\u{E0067}",
      "\u0301",
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: "binary" })), { maxLength: 8 });
    fc.assert(
      fc.property(text, (each) => {
        const name = cleanName(each.join(""));
        expect(cleanName(name)).toBe(name);
      }),
      { numRuns: 300 },
    );
  });
});

it("composes captions and tags and removes what reorders them", () => {
  expect(captionImage.parse({ caption: "Cafe\u0301\u202E" })).toEqual({ caption: "Café" });
  expect(addTag.parse({ tag: "Cafe\u0301\u202E, \u200B, b" })).toEqual({ tag: ["Café", "b"] });
});

it("cuts between the characters of a flag without leaving any of them", () => {
  for (let length = NAME_MAX - 20; length < NAME_MAX; length++) {
    for (const name of [nameFromFile(`${"a".repeat(length)}${ENGLAND}${ENGLAND}.png`), nameOfCopy("a".repeat(length - 14) + ENGLAND)]) {
      expect(renameDesignImage.parse({ name })).toEqual({ name });
    }
  }
});

describe("nameFromFile", () => {
  it("keeps a valid name unchanged", () => {
    expect(nameFromFile("Poster final (2).png")).toBe("Poster final (2).png");
  });

  it("never splits a character when cutting", () => {
    for (let length = NAME_MAX - 3; length < NAME_MAX + 3; length++) {
      const cut = nameFromFile("a".repeat(length) + "🎨🎨🎨🎨.png");
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain("\uFFFD");
    }
  });

  it("turns any file name into a valid name", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), fc.string({ maxLength: 400 })), (file) => {
        const name = nameFromFile(file);
        expect(renameDesignImage.parse({ name })).toEqual({ name });
      }),
      { numRuns: 500 },
    );
  });
});

function refusalFor(action: () => unknown) {
  try {
    return action();
  } catch (error) {
    return refusalOf(error);
  }
}
