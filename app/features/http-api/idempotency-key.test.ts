import { expect, it } from "vitest";
import { commentKeyOf } from "./idempotency-key.server";

const keyFor = (path: string, text: string, key?: string) =>
  commentKeyOf(
    new Request(`https://atelier.example/api/v1${path}`, {
      method: "POST",
      ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
    }),
    { text },
  );

it("gives a repeated comment the same key, and every other one another", () => {
  const first = keyFor("/images/a/comments", "Larger?", "nightly-1");
  expect(keyFor("/images/a/comments", "Larger?", "nightly-1")).toBe(first);
  const others = [
    keyFor("/images/b/comments", "Larger?", "nightly-1"),
    keyFor("/threads/a/replies", "Larger?", "nightly-1"),
    keyFor("/images/a/comments", "Smaller?", "nightly-1"),
    keyFor("/images/a/comments", "Larger?", "nightly-2"),
    keyFor("/images/a/comments", "Larger?"),
    keyFor("/images/a/comments", "Larger?"),
  ];
  expect(new Set([first, ...others]).size).toBe(7);
  for (const key of [first, ...others]) expect(key.length).toBeLessThanOrEqual(64);
});
