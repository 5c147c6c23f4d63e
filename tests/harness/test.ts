import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, expect, type Page, test as base } from "@playwright/test";
import type Axe from "axe-core";
import { type RunningApp, START_TIMEOUT, startApp } from "./app.ts";
import { BALANCED, startBalanced } from "./balanced.ts";
import { type Person, signIn, signUp } from "./people.ts";

export { expect } from "@playwright/test";
export type { RunningApp } from "./app.ts";
export { type Person, signIn, signUp } from "./people.ts";

type TestFixtures = {
  person: Person;
  stranger: Person;
  otherBrowser: (user?: Person, options?: { javaScriptEnabled?: boolean }) => Promise<Page>;
  ownApp: RunningApp;
  launch: (settings: Record<string, string>) => Promise<RunningApp>;
  /** Whether browsers send `Save-Data`, so that pages load only the route modules they use (docs/decisions/120-save-data.md). */
  saveData: boolean;
  allowedErrors: RegExp[];
  noErrors: undefined;
};

type WorkerFixtures = {
  app: RunningApp;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    async ({}, use) => {
      const app = await (BALANCED ? startBalanced() : startApp());
      await use(app);
      await app.dispose();
    },
    { scope: "worker", timeout: 2 * START_TIMEOUT },
  ],
  baseURL: async ({ app }, use) => use(app.url),

  person: async ({ app, context }, use) => {
    const person = await signUp(app.url);
    await context.addCookies(person.cookies);
    await use(person);
  },
  stranger: async ({ app }, use) => use(await signUp(app.url, "Stranger Danger")),

  otherBrowser: async ({ browser, app, javaScriptEnabled, allowedErrors, saveData }, use) => {
    const opened: { context: BrowserContext; errors: string[] }[] = [];
    await use(async (user, options) => {
      const settings = { baseURL: app.url, javaScriptEnabled, ...options };
      const context = await browser.newContext(settings);
      if (!settings.javaScriptEnabled) scriptless.add(context);
      opened.push({ context, errors: watch(context) });
      if (saveData) await context.addInitScript(askToSaveData);
      if (user) await context.addCookies((await signIn(app.url, user)).cookies);
      return context.newPage();
    });
    for (const { context, errors } of opened) {
      await context.close();
      expectNone(errors, allowedErrors);
    }
  },

  ownApp: async ({ launch }, use) => use(await launch({})),
  launch: async ({ browser }, use) => {
    const apps: RunningApp[] = [];
    await use(async (settings) => {
      const app = await startApp(settings);
      apps.push(app);
      return app;
    });
    for (const page of browser.contexts().flatMap((context) => context.pages())) {
      if (apps.some((app) => page.url().startsWith(app.url))) await page.goto("about:blank");
    }
    await Promise.all(apps.map((app) => app.dispose()));
  },

  saveData: [true, { option: true }],
  allowedErrors: [[], { option: true }],
  noErrors: [
    async ({ context, javaScriptEnabled, allowedErrors, saveData }, use) => {
      if (!javaScriptEnabled) scriptless.add(context);
      const errors = watch(context);
      await context.addInitScript(logCauses, CAUSE);
      if (saveData) await context.addInitScript(askToSaveData);
      await use(undefined);
      expectNone(errors, allowedErrors);
    },
    { auto: true },
  ],
});

export function withAndWithoutJavaScript(tests: (javaScript: boolean) => void): void {
  for (const javaScriptEnabled of [true, false]) {
    test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
      test.use({ javaScriptEnabled });
      tests(javaScriptEnabled);
    });
  }
}

export async function openBrowser(browser: Browser, app: RunningApp, user?: Person): Promise<Page> {
  const context = await browser.newContext({ baseURL: app.url });
  if (user) await context.addCookies(user.cookies);
  return context.newPage();
}

/** Waits for hydration: earlier clicks and keys do not reach React. React marks the root last; effects follow in later tasks. */
export async function hydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const key = Object.keys(document).find((each) => each.startsWith("__reactContainer$"));
    const root: unknown = key && Reflect.get(document, key);
    const standing = Object(root).stateNode?.current?.memoizedState?.isDehydrated === false;
    const elements = [...document.body.children];
    return standing && elements.some((element) => Object.keys(element).some((each) => each.startsWith("__react")));
  });
  await page.evaluate(async () => {
    for (let task = 0; task < 3; task++)
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener("message", resolve, { once: true });
        port1.start();
        port2.postMessage(null);
      });
  });
}

/** Waits until animations end, as pointer actions during a transition are lost. Ignores infinite ones. */
export async function waitForAnimations(page: Page): Promise<void> {
  const moving = () =>
    page.evaluate(() => {
      const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
      return Boolean(Reflect.get(document, "activeViewTransition")) || ending.some(({ playState }) => playState === "running");
    });
  await expect.poll(moving, { intervals: [20] }).toBe(false);
}

export const toasterReady = (page: Page) => expect(page.locator("section[aria-label^=Notifications]")).toBeAttached();

/** Expects no axe violations (WCAG 2.2 A and AA, best practices). `rules`: only these, such as colours for a theme. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  await waitForAnimations(page);
  const violations = await examine(page, rules);
  const messages = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`,
  );
  expect(messages.join("\n\n")).toBe("");
}

const scriptless = new WeakSet<BrowserContext>();

async function examine(page: Page, rules?: string[]): Promise<Violation[]> {
  const browser = page.context().browser();
  if (!scriptless.has(page.context()) || !browser) return violationsIn(page, rules);
  const copy = await copyPage(browser);
  await copy.context().clearCookies();
  await copy.context().addCookies(await page.context().cookies());
  const size = page.viewportSize();
  if (size) await copy.setViewportSize(size);
  const body = (await page.content()).replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, "");
  await copy.route(page.url(), (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body }));
  await copy.goto(page.url());
  const results = await violationsIn(copy, rules);
  await copy.unrouteAll();
  // Otherwise another fragment of the same address would show this copy again.
  await copy.goto("about:blank");
  return results;
}

const copies = new WeakMap<Browser, Page>();

async function copyPage(browser: Browser): Promise<Page> {
  const kept = copies.get(browser);
  if (kept && !kept.isClosed()) return kept;
  const context = await browser.newContext({ javaScriptEnabled: true });
  const page = await context.newPage();
  copies.set(browser, page);
  return page;
}

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string | undefined }[] };

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violationsIn(page: Page, rules: string[] | undefined): Promise<Violation[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    const axe: typeof Axe = Reflect.get(window, "axe");
    // A toast that is fading out would be measured half transparent.
    const still = new CSSStyleSheet();
    still.replaceSync("*, ::before, ::after { transition: none !important }");
    document.adoptedStyleSheets.push(still);
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...(only && { runOnly: only }) });
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== still);
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  }, rules);
}

const CAUSE = "Cause of ";

function logCauses(prefix: string): void {
  addEventListener("error", ({ error }) => {
    if (error instanceof Error && error.cause instanceof Error) console.error(prefix + error.message, error.cause.stack);
  });
}

function askToSaveData(): void {
  if ("connection" in navigator) Object.defineProperty(navigator.connection, "saveData", { value: true });
}

function watch(context: BrowserContext): string[] {
  const errors: string[] = [];
  context.on("weberror", (error) => {
    const { stack, message } = error.error();
    errors.push(stack || message);
  });
  context.on("console", (message) => {
    if (message.text().startsWith(CAUSE)) return console.log(message.text());
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) errors.push(message.text());
  });
  return errors;
}

function expectNone(errors: string[], allowed: RegExp[]): void {
  expect(
    errors.filter((error) => !allowed.some((pattern) => pattern.test(error))),
    "errors in the browser",
  ).toEqual([]);
}
