import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";

export default defineConfig(suite, {
  testDir: ".",
  testIgnore: [],
  outputDir: "../../test-results/proxies",
  globalSetup: "./setup.ts",
  workers: 1,
  reporter: "list",
  use: { ignoreHTTPSErrors: true },
});
