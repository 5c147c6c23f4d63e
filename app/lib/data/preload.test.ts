import { describe, expect, it } from "vitest";
import { timestampOf } from "./preload";

function encoded(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("base64");
}

describe("timestampOf", () => {
  it.each([0n, 1n, 255n, 256n, 1_795_249_424_341_000_000n, 2n ** 64n - 1n])("reads %i", (value) => {
    expect(timestampOf(encoded(value))).toBe(value);
  });
  it.each(["", "AAAA", "not base64!", "AAAAAAAAAAAAAAAA"])("returns null for %j", (text) => {
    expect(timestampOf(text)).toBeNull();
  });
});
