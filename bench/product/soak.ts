/** The short form of `npm run test:soak`: a few users for three minutes, with years of existing data. */
import { YEARS } from "../../tests/soak/fill.ts";
import { soak as run } from "../../tests/soak/soak.ts";
import { atMost, rounded, type Figure } from "../report.ts";

const PEOPLE = 8;
const MINUTES = 3;
/** Allowed slowdown of the second half; three minutes on a busy machine are no more precise. */
const SLOWER = 1.3;

export async function soak(): Promise<Figure[]> {
  const { halves, failures, samples, restart } = await run({ people: PEOPLE, minutes: MINUTES, filled: YEARS, progress: console.log });
  const [first, second] = halves;
  const last = samples.at(-1);
  return [
    { what: `operations a minute of ${PEOPLE} people, both halves`, value: halves.map(({ perMinute }) => rounded(perMinute)).join(", ") },
    { what: "p50 and p99 in the first half", value: `${rounded(first.p50)} and ${rounded(first.p99)} ms` },
    { what: "p50 and p99 in the second half", value: `${rounded(second.p50)} and ${rounded(second.p99)} ms` },
    atMost("p50, the second half : the first", second.p50 / first.p50, SLOWER, ""),
    atMost("p99, the second half : the first", second.p99 / first.p99, SLOWER, ""),
    atMost("operations that failed", failures.length, 0, ""),
    { what: "memory at the end, app and deployment", value: last ? last.memory.map((mib) => `${rounded(mib)} MiB`).join(" and ") : "" },
    { what: "ready again after", value: `${rounded(restart.readyMs)} ms` },
    atMost("slowest answer in the first minute after the restart", restart.slowestMs, 300, "ms"),
  ];
}
