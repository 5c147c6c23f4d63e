import { expect, it } from "vitest";
import { shownTo } from "./shown.ts";

const failure = (message: string) => ({ ok: false as const, message, logLines: [] });

it("keeps the stack from all but the administrator", () => {
  const message = "Uncaught Error: two\nlines\n    at handler (../convex/a.ts:1:2)\n    at async run (../convex/b.ts:3:4)";
  expect(shownTo("user", failure(message)).message).toBe("Uncaught Error: two\nlines");
  expect(shownTo("none", failure(`${message}\n`)).message).toBe("Uncaught Error: two\nlines");
  expect(shownTo("admin", failure(message)).message).toBe(message);
});

it("leaves what is no stack", () => {
  for (const message of ["at noon", "Uncaught Error: look\n  at this\nline", ""])
    expect(shownTo("none", failure(message)).message).toBe(message);
});
