import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/harness/longest-first.ts";

/** Unit tests stand beside what they test. Playwright's specs (`*.spec.ts` under tests/) are not Vitest's. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["{app,bench,convex,engine,server,tests}/**/*.test.{ts,tsx}"],
    environment: "node",
    setupFiles: "tests/harness/chance.ts",
    // Tags are stable ids that docs and tables cite (tests/cited-tests.ts).
    strictTags: false,
    // Two even on two cores: much of the time goes by in waiting for disks and other processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Held far above what anything takes: a limit ends what hangs, and says nothing of a busy machine.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // What is waited for comes soon on an idle machine and later on a busy one; it is no measurement.
    expect: { poll: { timeout: 30_000 } },
    // Each file tells only its own faults: nothing of one test's globals or modules is seen by the next.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
