import { describe, expect, it } from "vitest";
import { parseRange } from "./storage.ts";

describe("ranges", () => {
  it.each([
    [undefined, null],
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=2-", { start: 2, end: 9 }],
    ["bytes=-3", { start: 7, end: 9 }],
    ["bytes=-30", { start: 0, end: 9 }],
    ["bytes=5-100", { start: 5, end: 9 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-2", null],
    ["bytes=-", null],
    ["bytes=0-1,3-4", null],
    ["lines=0-1", null],
  ])("%s of ten bytes", (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });

  it("ignores a range of an empty file", () => {
    expect(parseRange("bytes=0-", 0)).toBeNull();
    expect(parseRange("bytes=-1", 0)).toBeNull();
  });
});
