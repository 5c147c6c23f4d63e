import { describe, expect, it } from "vitest";
import { changedEnvironment } from "./settings.ts";

const variables = (count: number, value: string) => Array.from({ length: count }, (_, n) => ({ name: `V${n}`, value }));

describe("the limits of environment variables", () => {
  it("allow 512 variables, names of 256 characters and values of 8 KiB", () => {
    expect(Object.keys(changedEnvironment({}, variables(512, "x")))).toHaveLength(512);
    const [name, value] = ["A".repeat(256), "é".repeat(4 * 1_024)];
    expect(changedEnvironment({}, [{ name, value }])).toEqual({ [name]: value });
  });

  it.each([
    ["513 variables", variables(513, "x"), "at most 512 environment variables"],
    ["more than 512 KiB in total", variables(64, "x".repeat(8 * 1_024)), "at most 524288 bytes"],
    ["a name of 257 characters", [{ name: "A".repeat(257), value: "x" }], "at most 256 letters"],
    ["a value above 8 KiB", [{ name: "A", value: "é".repeat(4 * 1_024 + 1) }], "larger than 8192 bytes"],
  ])("refuse %s", (_, changes, message) => {
    expect(() => changedEnvironment({}, changes)).toThrow(message);
  });
});
