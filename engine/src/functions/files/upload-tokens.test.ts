import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { UPLOAD_KEY_BYTES, UploadTokens } from "./upload-tokens.ts";

const HOUR = 60 * 60 * 1_000;
const key = Buffer.alloc(UPLOAD_KEY_BYTES, 1);

test("accepts every token issued with the key, repeatedly for an hour", () => {
  let now = 1_000_000;
  const tokens = new UploadTokens(key, () => now);
  const [first, second] = [new UploadTokens(key, () => now).issue(), tokens.issue()];
  now += HOUR - 1;
  tokens.check(first);
  tokens.check(first);
  now += 1;
  expect(() => tokens.check(second)).toThrow(/expired/);
});

test("rejects altered tokens and tokens of another key", () => {
  const tokens = new UploadTokens(key);
  expect(() => tokens.check(new UploadTokens(Buffer.alloc(UPLOAD_KEY_BYTES, 2)).issue())).toThrow(/Invalid/);
  const token = Buffer.from(tokens.issue(), "base64url");
  for (let i = 0; i < token.length; i++) {
    const altered = Buffer.from(token);
    altered[i] = (altered[i] ?? 0) ^ 1;
    expect(() => tokens.check(altered.toString("base64url"))).toThrow(/Invalid/);
  }
  for (const text of ["", "x", token.subarray(1).toString("base64url")]) expect(() => tokens.check(text)).toThrow(/Invalid/);
});
