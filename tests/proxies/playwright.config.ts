import { defineConfig } from "@playwright/test";
import suite from "../../playwright.config.ts";

process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";

/** `npm run test:proxies`: the same browser and settings as the end-to-end suite, behind Debian's proxies. */
export default defineConfig(suite, {
  testDir: ".",
  testIgnore: [],
  outputDir: "../../test-results/proxies",
  globalSetup: "./setup.ts",
  workers: 1,
  reporter: "list",
  use: { ignoreHTTPSErrors: true },
});
