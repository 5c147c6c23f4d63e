import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

export default defineConfig(suite, {
  testDir: ".",
  testIgnore: [],
  outputDir: "../../test-results/container",
  globalSetup: [],
  workers: 1,
  reporter: "list",
});
