import { format } from "node:util";
import type { Log } from "./log.ts";

/** Logs the output of libraries, such as Better Auth's router, scrubbed and as JSON. */
export function redirectConsole(printer: Pick<Console, "log" | "info" | "warn" | "error">, log: Log): void {
  for (const [name, level] of [
    ["log", "info"],
    ["info", "info"],
    ["warn", "warn"],
    ["error", "error"],
  ] as const)
    printer[name] = (...args: unknown[]) => log[level]({ from: "console" }, "%s", format(...args));
}
