import { expect, it, vi } from "vitest";
import { leadConsole } from "./console.ts";
import { log } from "./log.ts";

it("leads what others print into the log, an error with its stack, and leaves it to the log what may be told of it", () => {
  const error = vi.spyOn(log, "error").mockImplementation(() => {});
  const printer = { log() {}, info() {}, warn() {}, error: (..._parts: unknown[]) => {} };
  leadConsole(printer, log);
  printer.error("# SERVER_ERROR: ", new Error("100%s"), { a: 1 });
  expect(error.mock.calls).toEqual([
    [{ from: "console" }, "%s", expect.stringMatching(/^# SERVER_ERROR: {2}Error: 100%s\n {4}at [^]*\{ a: 1 \}$/)],
  ]);
  error.mockRestore();
});
