import { expect, it } from "vitest";
import { outcomeFor } from "./shown.ts";

const failure = (message: string) => ({ ok: false as const, message, logLines: [], requestId: "0123456789abcdef" });
const HEAD = "[Request ID: 0123456789abcdef] Server Error\n";

it("shows the stack only to administrators", () => {
  const message = "Uncaught Error: two\nlines\n    at handler (../convex/a.ts:1:2)\n    at async run (../convex/b.ts:3:4)";
  expect(outcomeFor("user", failure(message)).message).toBe(`${HEAD}Uncaught Error: two\nlines`);
  expect(outcomeFor("none", failure(`${message}\n`)).message).toBe(`${HEAD}Uncaught Error: two\nlines`);
  expect(outcomeFor("admin", failure(message)).message).toBe(HEAD + message);
});

it("leaves other text and successful results unchanged", () => {
  for (const message of ["at noon", "Uncaught Error: look\n  at this\nline", ""])
    expect(outcomeFor("none", failure(message)).message).toBe(HEAD + message);
  const done = { ok: true as const, value: 1, logLines: [] };
  expect(outcomeFor("none", done)).toBe(done);
});

it("adds a request id where it is missing", () => {
  expect(outcomeFor("none", { ok: false, message: "No.", logLines: [] })).toMatchObject({
    message: expect.stringMatching(/^\[Request ID: [0-9a-f]{16}\] Server Error\nNo\.$/),
  });
});
