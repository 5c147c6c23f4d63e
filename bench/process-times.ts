import { cpuMs, isDeployment, type Process, processesBelow } from "../tests/harness/processes.ts";

export type ProcessTimes = Map<string, number>;

export function processTimes(): ProcessTimes {
  const times: ProcessTimes = new Map([["benchmark", cpuMs(process.pid)]]);
  for (const each of processesBelow(process.pid)) {
    const kind = kindOf(each);
    times.set(kind, (times.get(kind) ?? 0) + cpuMs(each.pid));
  }
  return times;
}

export const since = (before: ProcessTimes, after = processTimes()): ProcessTimes =>
  new Map(Array.from(after, ([kind, ms]) => [kind, ms - (before.get(kind) ?? 0)] as const).filter(([, ms]) => ms > 0));

export function addTimes(sum: ProcessTimes, times: ProcessTimes): ProcessTimes {
  return new Map([...sum, ...Array.from(times, ([kind, ms]) => [kind, (sum.get(kind) ?? 0) + ms] as const)]);
}

export const sumOf = (times: ProcessTimes): number => [...times.values()].reduce((sum, ms) => sum + ms, 0);

export function timesText(times: ProcessTimes, count: number): string {
  const largest = [...times].toSorted(([, a], [, b]) => b - a).filter(([, ms]) => ms / count >= 0.5);
  return largest.map(([kind, ms]) => `${kind} ${(ms / count).toFixed(0)} ms`).join(", ");
}

function kindOf(process: Process): string {
  const { command } = process;
  const type = /--type=([\w-]+)/.exec(command)?.[1];
  if (type === "utility") return /--utility-sub-type=(\w+)/.exec(command)?.[1] === "network" ? "browser's network" : "browser's storage";
  if (type !== undefined) return `browser's ${type}`;
  if (isDeployment(process)) return "deployment";
  if (command.includes("processes/main")) return "app";
  return command.includes("chrom") ? "browser" : "other";
}
