import { defineConfig } from "@playwright/test";
import { launchOptions } from "./tests/harness/chromium.ts";

export default defineConfig({
  testDir: "tests",
  testMatch: "**/*.spec.ts",
  // These have commands of their own: they take long, or need programs that npm does not install.
  testIgnore: ["**/long/**", "**/browsers/**", "**/proxies/**", "**/container/**", ...elsewhere()],
  outputDir: "test-results",
  // One Chromium, one set of baselines (tests/e2e/shell/visual.spec.ts).
  snapshotPathTemplate: "tests/baselines/{arg}{ext}",
  globalSetup: "./tests/harness/build.ts",
  // Three on two cores, because each waits for its page at times.
  workers: 3,
  fullyParallel: false,
  // A retry would hide a race.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Ends tests that hang, also on a machine ten times slower. bench/ measures speed.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: [["list"], ["json", { outputFile: "test-results/playwright.json" }]],
  use: {
    browserName: "chromium",
    headless: true,
    launchOptions: await launchOptions(),
    locale: "en-GB",
    timezoneId: "Europe/London",
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    screenshot: "only-on-failure",
    // Traces take a quarter of the time. Use `npx playwright test --trace on …` for a test that fails.
    trace: "off",
  },
});

/** Returns the tests that do not apply to `test:container`, `test:balanced` and `test:remote`. */
function elsewhere(): string[] {
  const ofThisFolder = "**/{build,shipped}.spec.ts";
  if (process.env.TEST_BALANCED || process.env.TEST_REMOTE) return [ofThisFolder, "**/forwarding.spec.ts"];
  return process.env.TEST_CONTAINER ? [ofThisFolder] : [];
}
