import { expect, it } from "vitest";
import { highlightParts } from "./highlight";

const marked = (text: string, typed: string) =>
  highlightParts(text, typed)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join("");

it("marks typed words anywhere in a text, ignoring case and accents", () => {
  expect(marked("Clock tower clock", "clock")).toBe("[Clock] tower [clock]");
  expect(marked("Café crème", "creme CAF")).toBe("[Caf]é [crème]");
  expect(marked("dandelions.png", "lion")).toBe("dande[lion]s.png");
  expect(marked("首页设计稿", "设计")).toBe("首页[设计]稿");
  expect(marked("Straße ﬁnal", "final")).toBe("Straße [ﬁnal]");
  expect(marked("Größe und Straße", "STRASSE grosse")).toBe("[Größe] und [Straße]");
  expect(marked("ไทยดีไซน์", "ดีไซน์")).toBe("ไทย[ดีไซน์]");
});

it("marks nothing without a match", () => {
  expect(marked("Poster", "")).toBe("Poster");
  expect(marked("Poster", "?!")).toBe("Poster");
  expect(marked("", "a")).toBe("");
});
