import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

/** The first part of `npm run test:container`: the image itself, its start, stop and operation. */
export default defineConfig(suite, {
  testDir: ".",
  testIgnore: [],
  outputDir: "../../test-results/container",
  globalSetup: [],
  workers: 1,
  reporter: "list",
});
