import { format } from "node:util";
import type { Log } from "./log.ts";

/**
 * Leads what libraries print by themselves into the log: as one JSON object a line like all else, and scrubbed. Better Auth's router prints the errors that
 * it could not place, for one.
 */
export function leadConsole(printer: Pick<Console, "log" | "info" | "warn" | "error">, log: Log): void {
  for (const [name, level] of [
    ["log", "info"],
    ["info", "info"],
    ["warn", "warn"],
    ["error", "error"],
  ] as const)
    printer[name] = (...parts: unknown[]) => log[level]({ from: "console" }, "%s", format(...parts));
}
