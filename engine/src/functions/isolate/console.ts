/** The format of `logForFunction` in `src/browser/logging.ts` and `formatLogLineMessage` in `src/cli/lib/logs.ts`. */
import { inspect } from "node:util";
import type { LogLine } from "../../values/types.ts";
import { withMappedStacks } from "../bundles/source-maps.ts";

type Level = "LOG" | "DEBUG" | "INFO" | "WARN" | "ERROR";

const MAX_LINES = 256;
const MAX_LINE_LENGTH = 32_768;

const show = (value: unknown): string =>
  withMappedStacks(inspect(value, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 120 }));

function writeLine(lines: LogLine[], level: Level, values: readonly unknown[]): void {
  if (lines.length > MAX_LINES) return;
  if (lines.length === MAX_LINES) {
    lines.push(`[ERROR] Log overflow (maximum ${MAX_LINES}). Remaining log lines omitted.`);
    return;
  }
  const text = values.map(show).join(" ");
  lines.push(`[${level}] ${text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)} (truncated due to length)` : text}`);
}

export function captureConsole(sink: () => LogLine[] | undefined): Partial<Console> {
  const write = (level: Level, values: readonly unknown[]): void => {
    const lines = sink();
    if (lines) writeLine(lines, level, values);
  };
  const counts = new Map<string, number>();
  const timers = new Map<string, number>();
  const elapsed = (label: string, rest: readonly unknown[]): void => {
    const started = timers.get(label);
    if (started === undefined) write("WARN", [`Timer '${label}' does not exist`]);
    else write("INFO", [`${label}: ${Math.round(performance.now() - started)}ms`, ...rest]);
  };
  return {
    log: (...values: unknown[]) => write("LOG", values),
    debug: (...values: unknown[]) => write("DEBUG", values),
    info: (...values: unknown[]) => write("INFO", values),
    warn: (...values: unknown[]) => write("WARN", values),
    error: (...values: unknown[]) => write("ERROR", values),
    trace: (...values: unknown[]) => write("LOG", [Object.assign(new Error(values.map(show).join(" ")), { name: "Trace" })]),
    dir: (value: unknown) => write("LOG", [value]),
    dirxml: (...values: unknown[]) => write("LOG", values),
    table: (value: unknown) => write("LOG", [value]),
    group: (...values: unknown[]) => write("LOG", values),
    groupCollapsed: (...values: unknown[]) => write("LOG", values),
    groupEnd: () => undefined,
    clear: () => undefined,
    assert: (condition?: unknown, ...values: unknown[]) => {
      if (!condition) write("ERROR", ["Assertion failed", ...values]);
    },
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      write("INFO", [`${label}: ${counts.get(label)}`]);
    },
    countReset: (label = "default") => {
      counts.delete(label);
    },
    time: (label = "default") => {
      timers.set(label, performance.now());
    },
    timeLog: (label = "default", ...rest: unknown[]) => elapsed(label, rest),
    timeEnd: (label = "default") => {
      elapsed(label, []);
      timers.delete(label);
    },
  };
}
