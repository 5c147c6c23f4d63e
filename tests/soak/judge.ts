import type { Half, Soak } from "./soak.ts";
import type { Sample } from "./watch.ts";

const SLOWER = 1.1;
/** Allowed growth of a process from the third quarter to the last: garbage is not collected at regular times. */
const GROWTH = 1.1;
const SLOWEST_AFTER_RESTART_MS = 300;

export function judge({
  halves,
  cpu: [cpuBefore, cpuAfter],
  failures,
  samples,
  restart,
}: Pick<Soak, "halves" | "cpu" | "failures" | "samples" | "restart">): string[] {
  const problems: string[] = [];
  const [first, second] = halves;
  for (const what of ["p50", "p99"] as const satisfies (keyof Half)[])
    if (second[what] > first[what] * SLOWER)
      problems.push(`${what} is ${second[what]} ms in the second half and was ${first[what]} ms in the first`);
  if (second.perMinute * SLOWER < first.perMinute)
    problems.push(`${second.perMinute} operations a minute in the second half and ${first.perMinute} in the first`);
  if (cpuAfter > cpuBefore * SLOWER)
    problems.push(
      `an operation takes ${cpuAfter.toFixed(1)} ms of CPU time in the second half and took ${cpuBefore.toFixed(1)} ms in the first`,
    );
  const used: [string, (each: Sample) => number][] = [
    ["memory of the app (MiB)", ({ memory: [app] }) => app],
    ["memory of the deployment (MiB)", ({ memory: [, deployment] }) => deployment],
    ["open descriptors", ({ descriptors }) => descriptors],
    ["files", ({ files }) => files],
  ];
  const half = samples.slice(Math.floor(samples.length / 2));
  const [earlier, later] = [half.slice(0, Math.floor(half.length / 2)), half.slice(Math.floor(half.length / 2))];
  for (const [what, read] of used) {
    const [before, after] = [mean(earlier.map(read)), mean(later.map(read))];
    if (after > before * GROWTH) problems.push(`${what} grew from ${before.toFixed(0)} to ${after.toFixed(0)} over the last half`);
  }
  if (failures.length > 0) problems.push(`${failures.length} operations failed; the first: ${failures[0]}`);
  if (restart.slowestMs > SLOWEST_AFTER_RESTART_MS) problems.push(`the slowest answer after the restart took ${restart.slowestMs} ms`);
  return problems;
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
