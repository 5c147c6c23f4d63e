import { expect, it } from "vitest";
import { shownTo } from "./shown.ts";

const failure = (message: string) => ({ ok: false as const, message, logLines: [], requestId: "0123456789abcdef" });
const HEAD = "[Request ID: 0123456789abcdef] Server Error\n";

it("keeps the stack from all but the administrator", () => {
  const message = "Uncaught Error: two\nlines\n    at handler (../convex/a.ts:1:2)\n    at async run (../convex/b.ts:3:4)";
  expect(shownTo("user", failure(message)).message).toBe(`${HEAD}Uncaught Error: two\nlines`);
  expect(shownTo("none", failure(`${message}\n`)).message).toBe(`${HEAD}Uncaught Error: two\nlines`);
  expect(shownTo("admin", failure(message)).message).toBe(HEAD + message);
});

it("leaves what is no stack, and what did not fail", () => {
  for (const message of ["at noon", "Uncaught Error: look\n  at this\nline", ""])
    expect(shownTo("none", failure(message)).message).toBe(HEAD + message);
  const done = { ok: true as const, value: 1, logLines: [] };
  expect(shownTo("none", done)).toBe(done);
});

it("gives what has no number one of its own", () => {
  expect(shownTo("none", { ok: false, message: "No.", logLines: [] })).toMatchObject({
    message: expect.stringMatching(/^\[Request ID: [0-9a-f]{16}\] Server Error\nNo\.$/),
  });
});
