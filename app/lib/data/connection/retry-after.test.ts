import { describe, expect, it } from "vitest";
import { delayOf } from "./retry-after";

describe("delayOf", () => {
  it.each([
    [null, 0],
    ["7", 7000],
    ["soon", 0],
    [new Date(0).toUTCString(), 0],
  ])("parses Retry-After %s", (header, ms) => {
    expect(delayOf(header)).toBe(ms);
  });

  it("parses a date in the future", () => {
    expect(delayOf(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(0);
  });
});
