import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

/** `npm run test:long`: tests that kill, restart and fill servers, and long walks. */
export default defineConfig(suite, {
  testDir: ".",
  testIgnore: [],
  outputDir: "../../test-results/long",
  globalSetup: "../harness/build.ts",
  reporter: "list",
});
