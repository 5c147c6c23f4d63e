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
  /** Somebody new, signed in in this test's `page`. A test that does not ask for one is signed out. */
  person: Person;
  /** Somebody else, who has nothing to do with `person`. */
  stranger: Person;
  /** Opens another browser: signed in as whom it is given, in a session of its own; signed out without. */
  otherBrowser: (who?: Person, options?: { javaScriptEnabled?: boolean }) => Promise<Page>;
  /** An app of this test's own, to be killed and started again. */
  ownApp: RunningApp;
  /** Makes an app of this test's own with other settings. */
  launch: (settings: Record<string, string>) => Promise<RunningApp>;
  /** What pages may log as an error in this test: everything else fails it. */
  allowedErrors: RegExp[];
  noErrors: undefined;
};

type WorkerFixtures = {
  /** The app that a worker's tests share; each test makes people of its own. With `npm run test:balanced` these are two, behind a balancer. */
  app: RunningApp;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are asked for from this pattern
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

  otherBrowser: async ({ browser, app, javaScriptEnabled, allowedErrors }, use) => {
    const opened: { context: BrowserContext; errors: string[] }[] = [];
    await use(async (who, options) => {
      const settings = { baseURL: app.url, javaScriptEnabled, ...options };
      const context = await browser.newContext(settings);
      if (!settings.javaScriptEnabled) scriptless.add(context);
      opened.push({ context, errors: watch(context) });
      if (who) await context.addCookies((await signIn(app.url, who)).cookies);
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
    // A page that is open while its app ends would complain of what it asks for then.
    for (const page of browser.contexts().flatMap((context) => context.pages())) {
      if (apps.some((app) => page.url().startsWith(app.url))) await page.goto("about:blank");
    }
    await Promise.all(apps.map((app) => app.dispose()));
  },

  allowedErrors: [[], { option: true }],
  noErrors: [
    async ({ context, javaScriptEnabled, allowedErrors }, use) => {
      if (!javaScriptEnabled) scriptless.add(context);
      const errors = watch(context);
      await use(undefined);
      expectNone(errors, allowedErrors);
    },
    { auto: true },
  ],
});

/** Runs the same tests with JavaScript and without. */
export function bothWays(tests: (javaScript: boolean) => void): void {
  for (const javaScriptEnabled of [true, false]) {
    test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
      test.use({ javaScriptEnabled });
      tests(javaScriptEnabled);
    });
  }
}

/** Opens a page in a browser that belongs to no fixture, for apps that a test started itself. Close its context. */
export async function openBrowser(browser: Browser, app: RunningApp, who?: Person): Promise<Page> {
  const context = await browser.newContext({ baseURL: app.url });
  if (who) await context.addCookies(who.cookies);
  return context.newPage();
}

/**
 * Waits until React has taken the page over: before that a click is the document's, as without JavaScript, and a key is nobody's. React marks what
 * it hydrates while it renders, and says at the root once that stands; the effects follow in tasks of their own.
 */
export async function hydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const key = Object.keys(document).find((each) => each.startsWith("__reactContainer$"));
    const root: unknown = key && Reflect.get(document, key);
    const standing = Object(root).stateNode?.current?.memoizedState?.isDehydrated === false;
    return standing && Object.keys(document.body.firstElementChild ?? {}).some((each) => each.startsWith("__react"));
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

/**
 * Waits until nothing moves any more: what is just being enabled has not its colours yet, and what a pointer does while one view passes into the next is
 * lost. What moves for ever does not count.
 */
export async function still(page: Page): Promise<void> {
  const moving = () =>
    page.evaluate(() => {
      const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
      return Boolean(Reflect.get(document, "activeViewTransition")) || ending.some(({ playState }) => playState === "running");
    });
  await expect.poll(moving, { intervals: [20] }).toBe(false);
}

/** Waits until toasts can appear, for tests that take the network away. */
export const toastsStand = (page: Page) => expect(page.locator("section[aria-label^=Notifications]")).toBeAttached();

/**
 * axe finds nothing to object to (WCAG 2.2 A and AA, and its best practices).
 * @param rules only these, where the rest is known: what a theme changes is its colours
 */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  await still(page);
  const violations = await examine(page, rules);
  const told = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`,
  );
  expect(told.join("\n\n")).toBe("");
}

/** Contexts in which JavaScript is off. */
const scriptless = new WeakSet<BrowserContext>();

/** axe is a script itself: a page without JavaScript is looked at as its copy, without the page's own scripts, in a browser that runs axe's. */
async function examine(page: Page, rules?: string[]): Promise<Violation[]> {
  const browser = page.context().browser();
  if (!scriptless.has(page.context()) || !browser) return violationsIn(page, rules);
  const context = await browser.newContext({
    storageState: await page.context().storageState(),
    viewport: page.viewportSize(),
    javaScriptEnabled: true,
  });
  const copy = await context.newPage();
  const body = (await page.content()).replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, "");
  await copy.route(page.url(), (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body }));
  await copy.goto(page.url());
  const results = await violationsIn(copy, rules);
  await context.close();
  return results;
}

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string | undefined }[] };

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** axe itself, brought into a page once: our pages have no frames, for which its own adapter would open a page more and send all of it anew. */
async function violationsIn(page: Page, rules: string[] | undefined): Promise<Violation[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    const axe: typeof Axe = Reflect.get(window, "axe");
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...(only && { runOnly: only }) });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  }, rules);
}

/** Collects what the pages of a context complain about: uncaught errors, hydration, the content security policy. */
function watch(context: BrowserContext): string[] {
  const errors: string[] = [];
  context.on("weberror", (error) => errors.push(String(error.error().stack)));
  context.on("console", (message) => {
    // That a resource answered 404 or 422 is the test's own business.
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
