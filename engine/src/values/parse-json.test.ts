import { describe, expect, it } from "vitest";
import { parseJson, JsonLimitError } from "./parse-json.ts";

describe("parseJson", () => {
  it.each([
    ["arrays", `[${"[],".repeat(2_000_000)}[]]`],
    ["objects", `[${"{},".repeat(1_000_001)}{}]`],
    ["numbers", `[${"1,".repeat(2_000_000)}1]`],
  ])("rejects more than two million %s", (_what, text) => {
    expect(() => parseJson(text)).toThrow(JsonLimitError);
  });

  it.each([
    ["[", "]"],
    ['{"a":', "}"],
  ])("rejects more than 1,000 levels of %s", (start, end) => {
    const nested = (levels: number) => `${start.repeat(levels)}0${end.repeat(levels)}`;
    expect(JSON.stringify(parseJson(nested(1_000)))).toBe(nested(1_000));
    expect(() => parseJson(nested(1_001))).toThrow(JsonLimitError);
  });

  it("does not count closed values as nested", () => {
    expect(parseJson(`[${"[],".repeat(2_000)}0]`)).toHaveLength(2_001);
  });

  it("counts nothing inside strings", () => {
    const text = String.raw`[{,\",`.repeat(500_000);
    expect(parseJson(`{"text":"${text}","more":"\\\\"}`)).toEqual({ text: text.replaceAll("\\", ""), more: "\\" });
  });

  it("rejects invalid JSON", () => {
    expect(() => parseJson(`"${"x".repeat(300_000)}`)).toThrow(SyntaxError);
    expect(() => parseJson("{")).toThrow(SyntaxError);
  });
});
