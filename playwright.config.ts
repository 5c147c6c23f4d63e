import { defineConfig } from "@playwright/test";
import { launchOptions } from "./tests/harness/chromium.ts";

export default defineConfig({
  testDir: "tests",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results",
  // One Chromium, one set of baselines (tests/e2e/visual.spec.ts).
  snapshotPathTemplate: "tests/baselines/{arg}{ext}",
  globalSetup: "./tests/harness/build.ts",
  workers: 2,
  fullyParallel: false,
  // A test that passes at the second try hides a race.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 45_000,
  expect: { timeout: 7000 },
  reporter: [["list"], ["json", { outputFile: "test-results/playwright.json" }]],
  use: {
    browserName: "chromium",
    headless: true,
    launchOptions: await launchOptions(),
    locale: "en-GB",
    timezoneId: "Europe/London",
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
});
