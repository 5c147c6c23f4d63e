import { YEARS } from "../../tests/soak/fill.ts";
import { soak as run } from "../../tests/soak/soak.ts";
import { atMost, rounded, type Figure } from "../report.ts";

const PEOPLE = 8;
const MINUTES = 3;
const MAX_SLOWDOWN = 1.3;

export async function soak(): Promise<Figure[]> {
  const { halves, cpu, failures, samples, restart } = await run({ people: PEOPLE, minutes: MINUTES, filled: YEARS, progress: console.log });
  const [first, second] = halves;
  const last = samples.at(-1);
  return [
    { name: "operations per minute (first half, second half)", value: halves.map(({ perMinute }) => rounded(perMinute)).join(", ") },
    { name: "p50 and p99, first half", value: `${rounded(first.p50)} and ${rounded(first.p99)} ms` },
    { name: "p50 and p99, second half", value: `${rounded(second.p50)} and ${rounded(second.p99)} ms` },
    atMost("p50, second ÷ first half", second.p50 / first.p50, MAX_SLOWDOWN, ""),
    atMost("p99, second ÷ first half", second.p99 / first.p99, MAX_SLOWDOWN, ""),
    { name: "CPU time per operation (first half, second half)", value: cpu.map((ms) => `${ms.toFixed(1)} ms`).join(", ") },
    atMost("failed operations", failures.length, 0, ""),
    { name: "memory at the end (app, deployment)", value: last ? last.memory.map((mib) => `${rounded(mib)} MiB`).join(" and ") : "" },
    { name: "restart until ready", value: `${rounded(restart.readyMs)} ms` },
    atMost("slowest answer of the first minute after the restart", restart.slowestMs, 300, "ms"),
  ];
}
