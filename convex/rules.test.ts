import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check } from "./check";
import { refusalOf } from "./errors";
import { createDesign, createProject, NAME_MAX, nameFromFile, renameDesign, renameDesignImage, renameProject } from "./rules";

const rules = { createProject, renameProject, createDesign, renameDesign, renameDesignImage };

describe.each(Object.entries(rules))("%s", (_, rule) => {
  it("trims a name and keeps everything else of it", () => {
    for (const name of ["a", " a ", "Ünïcode 名前 🎨", "<b>&\"'", "a".repeat(NAME_MAX), ` ${"a".repeat(NAME_MAX)} `]) {
      expect(rule.parse({ name })).toEqual({ name: name.trim() });
    }
  });

  it("refuses what is no name, with one message beside the field", () => {
    for (const name of ["", " \t ", "a".repeat(NAME_MAX + 1), "a\nb", "a\u0007b", "a\u2028b", "\ud83c", undefined, 7, null]) {
      const refusal = refusalFor(() => check(rule, { name }));
      expect(refusal).toMatchObject({ code: "invalid", fieldErrors: { name: [expect.stringMatching(/^[A-Z].*\.$/)] } });
    }
  });
});

describe("nameFromFile", () => {
  it("keeps a good name as it is", () => {
    expect(nameFromFile("Poster final (2).png")).toBe("Poster final (2).png");
  });

  it("never splits a character when it cuts", () => {
    for (let length = NAME_MAX - 3; length < NAME_MAX + 3; length++) {
      const cut = nameFromFile("a".repeat(length) + "🎨🎨🎨🎨.png");
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain("\uFFFD");
    }
  });

  it("makes of any file's name one that the rule for names accepts unchanged", () => {
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
