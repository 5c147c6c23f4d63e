import { defineConfig } from "@playwright/test";
import { launchOptions } from "./tests/harness/chromium.ts";

export default defineConfig({
  testDir: "tests",
  testMatch: "**/*.spec.ts",
  // `npm run test:browsers` and `npm run test:proxy` run these: they need programs that npm does not install.
  testIgnore: ["**/browsers/**", "**/proxy/**", ...elsewhere()],
  outputDir: "test-results",
  // One Chromium, one set of baselines (tests/e2e/shell/visual.spec.ts).
  snapshotPathTemplate: "tests/baselines/{arg}{ext}",
  globalSetup: "./tests/harness/build.ts",
  // Three on two cores: while one waits for its page another has the processor.
  workers: 3,
  fullyParallel: false,
  // A test that passes at the second try hides a race.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Generous: they end what hangs, on a machine ten times as slow as well. A page without its connection tries again after up to 16 s (specification 9).
  // How fast things are is measured in bench/.
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
    // A quarter of the whole time; `npx playwright test --trace on …` for one that fails.
    trace: "off",
  },
});

/**
 * What has nothing to say of another app than the sources' own (`npm run test:container`, `npm run test:balanced`): what tests their folder; and of
 * servers that forward nothing, what tests forwarding.
 */
function elsewhere(): string[] {
  const ofThisFolder = "**/{build,shell-build,dev,shipped}.spec.ts";
  if (process.env.TEST_BALANCED) return [ofThisFolder, "**/forwarding.spec.ts"];
  return process.env.TEST_CONTAINER ? [ofThisFolder] : [];
}
