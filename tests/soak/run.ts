import { parseArgs } from "node:util";
import { ensureBuilt } from "../../server/build/ensure.ts";
import { YEARS } from "./fill.ts";
import { judge } from "./judge.ts";
import { soak } from "./soak.ts";

/** `npm run test:soak -- --people 16 --minutes 40 [--filled]` */
const { values } = parseArgs({
  options: {
    people: { type: "string", default: "16" },
    minutes: { type: "string", default: "40" },
    /** Begins with 10⁵ images, cached files and finished uploads, and 10⁶ rows. */
    filled: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});

await ensureBuilt();
const profile = values.profile;
const result = await soak({
  people: Number(values.people),
  minutes: Number(values.minutes),
  ...(values.filled && { filled: YEARS }),
  ...(profile !== undefined && { settings: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` } }),
  progress: console.log,
});
const [first, second] = result.halves;
console.log(`\n${result.operations} operations, ${result.failures.length} failed`);
console.table({ "first half": first, "second half": second });
console.log(`CPU time per operation: ${result.cpu.map((ms) => `${ms.toFixed(1)} ms`).join(", ")}`);
console.table(
  Object.fromEntries(
    result.kinds.map(({ kind, halves: [before, after] }) => [
      kind,
      { "p50 before": before.p50, "p50 after": after.p50, "p99 before": before.p99, "p99 after": after.p99 },
    ]),
  ),
);
console.log(result.metrics.join("\n"));
console.log(`restart: ready after ${result.restart.readyMs} ms, slowest answer in the first minute ${result.restart.slowestMs} ms`);
for (const failure of new Set(result.failures.slice(0, 20))) console.log(failure);
const problems = judge(result);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
