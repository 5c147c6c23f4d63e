import { expect, it, vi } from "vitest";
import { redirectConsole } from "./console.ts";
import { log } from "./log.ts";

it("logs output of libraries and errors with their stack, without secrets", { tags: "@logs-what-libraries-print-errors-stack" }, () => {
  const error = vi.spyOn(log, "error").mockImplementation(() => {});
  const printer = { log() {}, info() {}, warn() {}, error: (..._parts: unknown[]) => {} };
  redirectConsole(printer, log);
  printer.error("# SERVER_ERROR: ", new Error("100%s"), { a: 1 });
  expect(error.mock.calls).toEqual([
    [{ from: "console" }, "%s", expect.stringMatching(/^# SERVER_ERROR: {2}Error: 100%s\n {4}at [^]*\{ a: 1 \}$/)],
  ]);
  error.mockRestore();
});
