import { defineConfig } from "@playwright/test";
import type { TestOptions } from "./test.ts";

/** `npm run test:browsers`: Playwright only runs these tests. The browsers are the system's own, driven by `drivers/`. */
export default defineConfig<TestOptions>({
  testDir: ".",
  outputDir: "../../test-results/browsers",
  globalSetup: "./setup.ts",
  workers: 1,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: "list",
  projects: [
    { name: "Firefox", use: { browserUnderTest: "Firefox" }, testIgnore: "**/live.spec.ts" },
    { name: "WebKit", use: { browserUnderTest: "WebKit" }, testIgnore: "**/live.spec.ts" },
    { name: "Firefox and WebKit", testMatch: "**/live.spec.ts" },
  ],
});
