import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const FAILURE_LINES = 12;
const RESULTS = join(ROOT, "test-results");

type Totals = { passed: number; failed: number; failures?: string[] };
type Step = { title: string; command: string[]; totals?: () => Promise<Totals> };

const CHECKS: Step[] = [
  { title: "types", command: ["npm", "run", "--silent", "typecheck"] },
  { title: "lint", command: ["npm", "run", "--silent", "lint"] },
  { title: "format", command: ["npm", "run", "--silent", "format:check"] },
  { title: "unused code", command: ["npm", "run", "--silent", "knip"] },
  { title: "licences", command: ["npm", "run", "--silent", "licences"] },
];

const TESTS: Step[] = [unitTests("unit tests", "!slow"), endToEndTests("end to end", "--grep-invert=@slow")];

const LONG_TESTS: Step[] = [unitTests("slow unit tests", "slow"), endToEndTests("long and slow end to end", "--config=tests/long")];

function unitTests(title: string, tags: string): Step {
  const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${join(RESULTS, "vitest.json")}`];
  return {
    title,
    command: ["npm", "run", "--silent", "test:unit", "--", `--tags-filter=${tags}`, ...output],
    totals: async () => vitest.parse(await json("vitest.json")),
  };
}

function endToEndTests(title: string, ...options: string[]): Step {
  return {
    title,
    command: ["npm", "run", "--silent", "test:e2e", "--", ...options],
    totals: async () => playwright.parse(await json("playwright.json")),
  };
}

const vitest = z
  .object({
    numPassedTests: z.number(),
    numFailedTests: z.number(),
    numFailedTestSuites: z.number(),
    testResults: z.array(
      z.object({
        name: z.string(),
        status: z.string(),
        message: z.string().optional(),
        assertionResults: z.array(z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() })),
      }),
    ),
  })
  .transform((result) => ({
    passed: result.numPassedTests,
    failed: Math.max(result.numFailedTests, Math.min(result.numFailedTestSuites, 1)),
    failures: result.testResults
      .filter(({ status }) => status === "failed")
      .flatMap(({ name, message, assertionResults }) => {
        const failed = assertionResults.filter(({ status }) => status === "failed");
        const file = relative(ROOT, name);
        return failed.length === 0
          ? [failure(file, message)]
          : failed.map((test) => failure(`${file} › ${test.fullName}`, test.failureMessages?.[0]));
      }),
  }));

type Suite = { title: string; specs: z.infer<typeof spec>[]; suites?: Suite[] | undefined };

const spec = z.object({
  title: z.string(),
  ok: z.boolean(),
  tests: z.array(z.object({ results: z.array(z.object({ error: z.object({ message: z.string().optional() }).optional() })) })),
});
const suite: z.ZodType<Suite> = z.lazy(() => z.object({ title: z.string(), specs: z.array(spec), suites: z.array(suite).optional() }));

const playwright = z
  .object({
    stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
    errors: z.array(z.object({ message: z.string().optional() })),
    suites: z.array(suite),
  })
  .transform(({ stats, errors, suites }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    failures: [...suites.flatMap((each) => failedSpecs(each, [])), ...errors.map(({ message }) => failure("outside a test", message))],
  }));

function failedSpecs({ title, specs, suites }: Suite, above: string[]): string[] {
  const titles = [...above, title];
  const own = specs.filter(({ ok }) => !ok);
  return [
    ...own.map((each) =>
      failure([...titles, each.title].join(" › "), each.tests.flatMap(({ results }) => results).find(({ error }) => error)?.error?.message),
    ),
    ...(suites ?? []).flatMap((each) => failedSpecs(each, titles)),
  ];
}

const failure = (title: string, message = ""): string =>
  [title, ...stripVTControlCharacters(message).split("\n").slice(0, FAILURE_LINES)].join("\n    ");

const json = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(RESULTS, name), "utf8"));

async function main(steps: Step[]): Promise<void> {
  await rm(RESULTS, { recursive: true, force: true });
  const totals: Totals = { passed: 0, failed: 0 };
  const red: string[] = [];
  const failures: string[] = [];
  for (const { title, command, totals: read } of steps) {
    console.log(`\n── ${title}`);
    const started = Date.now();
    const ok = (await run(command)) === 0;
    const counted: Totals = (await read?.().catch(() => null)) ?? { passed: ok && !read ? 1 : 0, failed: ok && !read ? 0 : 1 };
    totals.passed += counted.passed;
    totals.failed += ok ? counted.failed : Math.max(counted.failed, 1);
    if (!ok || counted.failed > 0) red.push(title);
    failures.push(...(counted.failures ?? []));
    console.log(`${red.includes(title) ? "failed" : "passed"} after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
  if (failures.length > 0) console.log(`\n── failures\n${failures.join("\n")}`);
  if (red.length > 0) console.log(`\nRed: ${red.join(", ")}`);
  console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
  process.exitCode = red.length > 0 ? 1 : 0;
}

async function run([command = "", ...args]: string[]): Promise<number | null> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  const [code]: (number | null)[] = await once(child, "exit");
  return code ?? null;
}

const SUITES: Record<string, Step[]> = { check: CHECKS, long: LONG_TESTS, all: [...CHECKS, ...TESTS, ...LONG_TESTS] };

await main(SUITES[process.argv[2] ?? ""] ?? [...CHECKS, ...TESTS]);
