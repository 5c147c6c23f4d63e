import { expect, test } from "vitest";
import { hasAnyWord, searchWords } from "./words";

test("a thing is found by all that is told about it", () => {
  expect(searchWords({ name: "Cover", description: "In\nblue", tags: ["final", "night"] })).toBe("Cover\nIn\nblue\nfinal\nnight");
  expect(searchWords({ name: "a.png", caption: "" })).toBe("a.png");
});

test("any whole word finds, and the beginning of one where it is the last", () => {
  const has = (asked: string) => hasAnyWord("Autumn leaves, été 2026.png", asked);
  expect(["LEAVES", "nothing leaves", "lea", "x ét", "202", "png"].map(has)).not.toContain(false);
  expect(["eaves", "lea nothing", "", "…"].map(has)).not.toContain(true);
});
