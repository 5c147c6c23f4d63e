import { expect, it } from "vitest";
import { scrub } from "./scrub.ts";

it.each([
  ["no user ada.lovelace+x@mail.example here", "no user [address] here"],
  ['{"email":"ada@example.com","password":"correct horse"}', '{"email":"[address]","password":[secret]}'],
  ["GET /reset-password?token=abc123&x=1", "GET /reset-password?token=[secret]&x=1"],
  ["Authorization: Bearer abcdefghijklmnopqrst", "Authorization: [secret]"],
  ["sent Convex atelier|0123456789abcdef", "sent Convex [secret]"],
  ["smtps://user:hunter2@mail.example:465", "smtps://[secret]@mail.example:465"],
  ["at http://localhost:3000/s/abcdefghijklmnopqrstuv/images/1", "at http://localhost:3000/s/[token]/images/1"],
  ["signed eyJhbGciOi.eyJzdWIiOi.c2ln end", "signed [token] end"],
  ["ENOENT: no such file, open '/data/cache/ab/x.webp'", "ENOENT: no such file, open '/data/cache/ab/x.webp'"],
  ["at file:///app/node_modules/@react-router/node/index.js:105:5", "at file:///app/node_modules/@react-router/node/index.js:105:5"],
])("scrubs: %s", (text, without) => {
  expect(scrub(text)).toBe(without);
});

it("truncates long text", { tags: "@truncates-long-text" }, () => {
  const cut = scrub(`ada@example.com ${"x".repeat(1_000_000)}`);
  expect(cut).toMatch(/^\[address\] x+… \[1000016 characters\]$/);
  expect(cut.length).toBeLessThan(20_000);
});
