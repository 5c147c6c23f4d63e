import { writeFile } from "node:fs/promises";
import { test as base } from "@playwright/test";
import { type RunningApp, START_TIMEOUT, startApp } from "../harness/app.ts";
import { type Person, signIn, signUp } from "../harness/people.ts";
import type { Installation } from "./drivers/driver.ts";
import { firefox } from "./drivers/firefox.ts";
import { webkit } from "./drivers/webkit.ts";
import { type Page, createPage } from "./page.ts";

export { expect } from "@playwright/test";

/** React Router rejects when a busy machine has not rendered within 4 s. The page then changes without a transition. */
const SLOW_TRANSITION = /View transition update callback timed out/;

export const BROWSERS: Installation[] = [firefox, webkit];

type OpenOptions = {
  user?: Person;
  browser?: Installation["name"];
  width?: number;
  javaScript?: boolean;
  app?: RunningApp;
};

export type TestOptions = {
  browserUnderTest: Installation["name"];
};

type Fixtures = {
  open: (options?: OpenOptions) => Promise<Page>;
  user: Person;
  ownApp: RunningApp;
};

export const test = base.extend<Fixtures & TestOptions, { app: RunningApp }>({
  browserUnderTest: ["Firefox", { option: true }],
  app: [
    async ({}, use) => {
      const app = await startApp();
      await use(app);
      await app.dispose();
    },
    { scope: "worker", timeout: 2 * START_TIMEOUT },
  ],
  user: async ({ app }, use) => use(await signUp(app.url)),
  ownApp: async ({}, use) => {
    const app = await startApp();
    await use(app);
    await app.dispose();
  },
  open: async ({ app: shared, browserUnderTest }, use, info) => {
    const pages: Page[] = [];
    await use(async ({ user, browser = browserUnderTest, width = 1440, javaScript = true, app = shared } = {}) => {
      const installation = BROWSERS.find(({ name }) => name === browser);
      if (!installation) throw new Error(`There is no driver for ${browser}.`);
      const driver = await installation.launch({ width, height: 900, javaScript });
      const page = createPage(driver, app.url, javaScript);
      pages.push(page);
      info.annotations.push({ type: "browser", description: driver.version });
      if (user) await driver.addCookies((await signIn(app.url, user)).cookies);
      return page;
    });
    const errors: string[] = [];
    for (const { driver } of pages) {
      if (info.status !== info.expectedStatus) {
        const path = info.outputPath(`${driver.version}.png`);
        await writeFile(path, await driver.screenshot());
        await info.attach("screenshot", { path, contentType: "image/png" });
      }
      errors.push(...(await driver.errors().catch((error: unknown) => [String(error)])));
      await driver.close();
    }
    base
      .expect(
        errors.filter((error) => !SLOW_TRANSITION.test(error)),
        "uncaught errors",
      )
      .toEqual([]);
  },
});
