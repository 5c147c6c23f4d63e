import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const RESULTS = join(ROOT, "test-results");

type Totals = { passed: number; failed: number };
type Step = { title: string; command: string[]; totals?: () => Promise<Totals> };

const CHECKS: Step[] = [
  { title: "types", command: ["npm", "run", "--silent", "typecheck"] },
  { title: "lint", command: ["npm", "run", "--silent", "lint"] },
  { title: "format", command: ["npm", "run", "--silent", "format:check"] },
  { title: "unused code", command: ["npm", "run", "--silent", "knip"] },
];

const TESTS: Step[] = [
  {
    title: "unit tests",
    command: [
      "npm",
      "run",
      "--silent",
      "test:unit",
      "--",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${join(RESULTS, "vitest.json")}`,
    ],
    totals: async () => vitest.parse(await json("vitest.json")),
  },
  {
    title: "end to end",
    command: ["npm", "run", "--silent", "test:e2e"],
    totals: async () => playwright.parse(await json("playwright.json")),
  },
];

const vitest = z
  .object({ numPassedTests: z.number(), numFailedTests: z.number(), numFailedTestSuites: z.number() })
  .transform((result) => ({
    passed: result.numPassedTests,
    failed: Math.max(result.numFailedTests, Math.min(result.numFailedTestSuites, 1)),
  }));

const playwright = z
  .object({ stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }), errors: z.array(z.unknown()) })
  .transform(({ stats, errors }) => ({ passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length }));

const json = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(RESULTS, name), "utf8"));

/** Runs each step to its end, whatever became of the one before, and says at the end what failed. */
async function main(steps: Step[]): Promise<void> {
  await rm(RESULTS, { recursive: true, force: true });
  const totals: Totals = { passed: 0, failed: 0 };
  const red: string[] = [];
  for (const { title, command, totals: read } of steps) {
    console.log(`\n── ${title}`);
    const started = Date.now();
    const ok = (await run(command)) === 0;
    // A runner that was ended before it could write its results has failed, as has one that says red and counts none.
    const counted = (await read?.().catch(() => null)) ?? { passed: ok && !read ? 1 : 0, failed: ok && !read ? 0 : 1 };
    totals.passed += counted.passed;
    totals.failed += ok ? counted.failed : Math.max(counted.failed, 1);
    if (!ok || counted.failed > 0) red.push(title);
    console.log(`${red.includes(title) ? "failed" : "passed"} after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
  if (red.length > 0) console.log(`\nRed: ${red.join(", ")}`);
  console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
  process.exitCode = red.length > 0 ? 1 : 0;
}

async function run([command = "", ...args]: string[]): Promise<number | null> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  const [code]: (number | null)[] = await once(child, "exit");
  return code ?? null;
}

await main(process.argv[2] === "check" ? CHECKS : [...CHECKS, ...TESTS]);
