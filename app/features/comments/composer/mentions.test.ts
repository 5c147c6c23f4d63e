import { describe, expect, it } from "vitest";
import { fromTokens, mentionAt, suggestedPeople, toTokens, withMention } from "./mentions";

const ADA = { id: "k1", name: "Ada Lovelace" };
const ANN = { id: "k2", name: "Ann" };
const ANNA = { id: "k3", name: "Anna Čapek" };

describe("a mention that is being typed", () => {
  it.each([
    ["@", { start: 0, query: "" }],
    ["Hi @ad", { start: 3, query: "ad" }],
    ["(@Ada Lo", { start: 1, query: "Ada Lo" }],
    ["a\n@b", { start: 2, query: "b" }],
    ["@[x](k1) @a", { start: 9, query: "a" }],
    ["ada@example", null],
    ["@ then", null],
    ["@a\nb", null],
    ["no", null],
    [`@${"a".repeat(41)}`, null],
  ])("is read from %j", (text, expected) => {
    expect(mentionAt(text, text.length)).toEqual(expected);
  });
  it("is read up to the caret", () => {
    expect(mentionAt("@ad and more", 3)).toEqual({ start: 0, query: "ad" });
  });
  it("is replaced by the chosen name", () => {
    expect(withMention("Hi @ad, look", 3, 6, ADA)).toEqual({ text: "Hi @Ada Lovelace, look", caret: 16 });
    expect(withMention("@ab", 0, 2, ADA)).toEqual({ text: "@Ada Lovelace b", caret: 14 });
  });
});

describe("suggested people", () => {
  it("have a word that begins with the query, ignoring case and accents", () => {
    const people = [ANNA, ADA, ANN];
    expect(suggestedPeople(people, "an").map(({ id }) => id)).toEqual(["k3", "k2"]);
    expect(suggestedPeople(people, "CAP").map(({ id }) => id)).toEqual(["k3"]);
    expect(suggestedPeople(people, "love").map(({ id }) => id)).toEqual(["k1"]);
    expect(suggestedPeople(people, "x")).toEqual([]);
  });
});

describe("stored texts", () => {
  const people = { Ann: "k2", "Anna Čapek": "k3", "A.*": "k4" };
  it("have tokens instead of chosen names", () => {
    expect(toTokens("@Ann and @Anna Čapek, @Annabel, @A.*", people)).toBe("@[Ann](k2) and @[Anna Čapek](k3), @Annabel, @[A.*](k4)");
    expect(toTokens("@Ann", {})).toBe("@Ann");
  });
  it("are unchanged after a conversion to the field's text and back", () => {
    const stored = "@[Ann](k2) and @[Anna Čapek](k3)";
    const edited = fromTokens(stored);
    expect(edited).toEqual({ text: "@Ann and @Anna Čapek", people: { Ann: "k2", "Anna Čapek": "k3" } });
    expect(toTokens(edited.text, edited.people)).toBe(stored);
  });
});
