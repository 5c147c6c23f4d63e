import { UsageError } from "../usage-error.ts";
import { HOSTED, HOSTED_CLOCK_SKEW_MS, NO_SIMULATION, type Simulation } from "./options.ts";

export const SIMULATION_FLAGS = {
  hosted: { type: "boolean" },
  latency: { type: "string" },
  "commit-delay": { type: "string" },
  "concurrent-queries": { type: "string" },
  "concurrent-mutations": { type: "string" },
  "concurrent-actions": { type: "string" },
  "concurrent-scheduled": { type: "string" },
  "write-throughput": { type: "string" },
  "clock-skew": { type: "string" },
  "redact-errors": { type: "boolean" },
} as const;

export const SIMULATION_USAGE = `To behave like a remote deployment, for tests:

  --hosted            sets all options below to the values in brackets; the value none switches one off
  --latency MS        of an HTTP request, or of a websocket message and its answer; half in each direction (40)
  --commit-delay MS   from a mutation's run to its commit. A mutation that others conflict with meanwhile is
                      rerun, at most 4 times (10)
  --concurrent-queries N, --concurrent-mutations N, --concurrent-actions N
                      limit the calls that run at a time; others wait, at most 5 s (16 each)
  --concurrent-scheduled N
                      limits the scheduled functions that run at a time (8)
  --write-throughput BYTES
                      limits what mutations write per second (4194304)
  --clock-skew MS     shifts the deployment's clock; --clock-skew=-2000 shifts it back (2000)
  --redact-errors     hides messages of thrown errors and log lines from clients; --no-redact-errors shows them`;

type TextFlag = Exclude<keyof typeof SIMULATION_FLAGS, "hosted" | "redact-errors">;
type Values = { [flag in TextFlag]?: string | undefined } & { hosted?: boolean | undefined; "redact-errors"?: boolean | undefined };
type Format = { pattern: RegExp; meaning: string };

const MILLISECONDS: Format = { pattern: /^\d{1,5}$/, meaning: "milliseconds from 0 to 99999, or none" };
const SKEW: Format = { pattern: /^-?\d{1,8}$/, meaning: "milliseconds, negative or positive, or none" };
const COUNT: Format = { pattern: /^[1-9]\d{0,4}$/, meaning: "a number from 1 to 99999, or none" };
const BYTES: Format = { pattern: /^[1-9]\d{0,11}$/, meaning: "a number of bytes, or none" };

/** Reads the flags. Single flags override the preset. @throws UsageError */
export function readSimulation(values: Values): { simulation: Simulation; clockSkewMs: number } {
  const preset = values.hosted ? HOSTED : NO_SIMULATION;
  const read = (flag: TextFlag, format: Format, ofPreset: number | null): number | null => {
    const value = values[flag];
    if (value === undefined) return ofPreset;
    if (value === "none") return null;
    if (!format.pattern.test(value)) throw new UsageError(`--${flag} must be ${format.meaning}, not ${JSON.stringify(value)}.`);
    return Number(value);
  };
  return {
    simulation: {
      latencyMs: read("latency", MILLISECONDS, preset.latencyMs) ?? 0,
      commitDelayMs: read("commit-delay", MILLISECONDS, preset.commitDelayMs),
      concurrentQueries: read("concurrent-queries", COUNT, preset.concurrentQueries),
      concurrentMutations: read("concurrent-mutations", COUNT, preset.concurrentMutations),
      concurrentActions: read("concurrent-actions", COUNT, preset.concurrentActions),
      concurrentScheduled: read("concurrent-scheduled", COUNT, preset.concurrentScheduled),
      writeBytesPerSecond: read("write-throughput", BYTES, preset.writeBytesPerSecond),
      redactErrors: values["redact-errors"] ?? preset.redactErrors,
    },
    clockSkewMs: read("clock-skew", SKEW, values.hosted ? HOSTED_CLOCK_SKEW_MS : null) ?? 0,
  };
}
