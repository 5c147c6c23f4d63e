import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

export default defineConfig(suite, {
  testDir: undefined,
  testIgnore: undefined,
  outputDir: "../../test-results/long",
  globalSetup: "../harness/build.ts",
  reporter: [["list"], ["json", { outputFile: "../../test-results/playwright.json" }]],
  projects: [
    { name: "long", testDir: "." },
    { name: "slow", testDir: "..", testIgnore: suite.testIgnore, grep: /@slow/ },
  ],
});
