import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/harness/longest-first.ts";
import { sharedFiles } from "./tests/harness/shared-files.ts";

const shared = sharedFiles();
const SEED = "tests/harness/chance.ts";

/** Unit tests are beside their sources. Playwright runs `*.spec.ts` in tests/, `npm run test:faults` tests/faults/, and `npm run test:components` engine/conformance/. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "isolated",
          include: ["{app,bench,engine,server,tests}/**/*.test.{ts,tsx}"],
          exclude: [
            ...configDefaults.exclude,
            "tests/convex/**",
            ...shared,
            ...(process.env.TEST_FAULTS ? [] : ["tests/faults/**"]),
            ...(process.env.TEST_COMPONENTS ? [] : ["engine/conformance/**"]),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          include: shared,
          // Starting a process per file takes three fifths of the processor time.
          isolate: false,
          setupFiles: ["tests/harness/isolate-file.ts", SEED],
        },
      },
      {
        extends: true,
        test: {
          name: "convex",
          include: ["{convex,tests/convex}/**/*.test.ts"],
          // Convex functions keep no state in modules, so their tests share processes, loaded modules and deployments.
          isolate: false,
          globalSetup: "tests/convex/temporary-folder.ts",
        },
      },
    ],
    environment: "node",
    setupFiles: SEED,
    // Other tags are stable ids that docs and tables cite (tests/test-ids.ts).
    tags: [{ name: "slow", description: "Not part of npm test." }],
    strictTags: false,
    // Three also on two cores, because tests wait for disks, timers and other processes.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Far above the normal duration: ends tests that hang, also on a busy machine.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // A limit for busy machines, not a measurement.
    expect: { poll: { timeout: 30_000 } },
    // Isolates tests from the mocks, variables and globals of others.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
