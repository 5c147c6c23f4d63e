import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

/** `npm run test:proxy`: the same browser and settings as the end-to-end suite, behind the system's nginx. */
export default defineConfig(suite, {
  testDir: ".",
  testIgnore: [],
  outputDir: "../../test-results/proxy",
  globalSetup: "../harness/build.ts",
  workers: 1,
  reporter: "list",
});
