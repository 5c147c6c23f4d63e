import { describe, expect, it, vi } from "vitest";
import { redactOutcome } from "./redact-outcome.ts";

const failure = (message: string) => ({ ok: false as const, message, logLines: [], requestId: "0123456789abcdef" });
const HEAD = "[Request ID: 0123456789abcdef] Server Error\n";

it("shows the stack only to administrators", () => {
  const message = "Uncaught Error: two\nlines\n    at handler (../convex/a.ts:1:2)\n    at async run (../convex/b.ts:3:4)";
  expect(redactOutcome("user", failure(message)).message).toBe(`${HEAD}Uncaught Error: two\nlines`);
  expect(redactOutcome("none", failure(`${message}\n`)).message).toBe(`${HEAD}Uncaught Error: two\nlines`);
  expect(redactOutcome("admin", failure(message)).message).toBe(HEAD + message);
});

it("leaves other text and successful results unchanged", () => {
  for (const message of ["at noon", "Uncaught Error: look\n  at this\nline", ""])
    expect(redactOutcome("none", failure(message)).message).toBe(HEAD + message);
  const done = { ok: true as const, value: 1, logLines: [] };
  expect(redactOutcome("none", done)).toBe(done);
});

it("adds a request id where it is missing", () => {
  expect(redactOutcome("none", { ok: false, message: "No.", logLines: [] })).toMatchObject({
    message: expect.stringMatching(/^\[Request ID: [0-9a-f]{16}\] Server Error\nNo\.$/),
  });
});

describe("with redaction", () => {
  const logLines = ["[LOG] 'secret'"];
  const thrown = { ...failure("Uncaught Error: secret\n    at handler (../convex/a.ts:1:2)"), logLines };

  it("hides messages and log lines from everyone but administrators", () => {
    for (const caller of ["none", "user"] as const)
      expect(redactOutcome(caller, thrown, true)).toEqual({ ...thrown, message: HEAD.trim(), logLines: [] });
    expect(redactOutcome("admin", thrown, true)).toEqual({ ...thrown, message: HEAD + thrown.message });
  });

  it("passes the data of a ConvexError and errors of the deployment", () => {
    const refused = { ...thrown, data: { code: "limit" } };
    expect(redactOutcome("user", refused, true)).toMatchObject({ message: HEAD.trim(), data: { code: "limit" } });
    const conflict = { ...failure("Documents changed."), code: "OptimisticConcurrencyControlFailure" };
    expect(redactOutcome("none", conflict, true).message).toBe(`${HEAD}Documents changed.`);
  });

  it("removes log lines of results without parsing their values", () => {
    const parse = vi.fn<() => number>(() => 1);
    const done = {
      ok: true as const,
      logLines,
      get value() {
        return parse();
      },
    };
    expect(redactOutcome("none", done, true).logLines).toEqual([]);
    expect(parse).not.toHaveBeenCalled();
    expect(redactOutcome("none", done, true).value).toBe(1);
    expect(done.logLines).toBe(logLines);
  });
});
