import type { Page } from "@playwright/test";
import { expect, hydrated, openBrowser, signUp, test } from "../../harness/test.ts";
import { pageActions, stored } from "../support/page-actions.ts";
import { controlConnection } from "../support/controlled-connection.ts";

test.describe.configure({ mode: "parallel" });

test.use({ saveData: false, allowedErrors: [/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/] });

const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { marked: true }));
const isSame = (page: Page) => page.evaluate(() => "marked" in window);

async function pointAtLinks(page: Page): Promise<void> {
  const links = await page.locator("a[href^='/']:visible").all();
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    await link.hover();
    await link.focus();
    await link.dispatchEvent("touchstart");
  }
}

for (const outage of ["offline", "stopped"] as const) {
  test(`prefetching keeps the page and its pending change, server ${outage}`, { tag: "@slow" }, async ({ ownApp, browser }) => {
    const person = await signUp(ownApp.url);
    const page = await openBrowser(browser, ownApp, person);
    const she = pageActions(page, true);
    const controlled = await controlConnection(page);
    await she.open("/projects");
    await controlled.live();
    await mark(page);
    if (outage === "offline") await Promise.all([controlled.cut(), page.context().setOffline(true)]);
    else await ownApp.kill();
    const connection = page.getByRole("button", { name: /^(Offline|Reconnecting)/ });
    await expect(connection).toBeVisible();
    await she.create("project", "Waiting");
    await expect(connection).toContainText("1 change pending");
    await pointAtLinks(page);
    if (outage === "offline") await page.context().setOffline(false);
    await expect(connection).toContainText(/attempt [3-9]/);
    controlled.restore();
    if (outage === "stopped") await ownApp.start();
    await expect.poll(async () => (await stored(ownApp, person)).map(({ name }) => name)).toEqual(["Waiting"]);
    expect(await isSame(page)).toBe(true);
    await page.context().close();
  });
}

test("keeps a half-typed form when links are hovered while the server is stopped", { tag: "@slow" }, async ({ ownApp, browser }) => {
  const page = await openBrowser(browser, ownApp);
  await page.goto("/sign-in");
  await hydrated(page);
  await mark(page);
  await page.getByLabel("Email").fill("ada@example.com");
  await ownApp.kill();
  await pointAtLinks(page);
  await ownApp.start();
  await page.getByRole("link", { name: /sign up|create/i }).click();
  await expect(page).toHaveURL(/\/sign-up/);
  expect(await isSame(page)).toBe(true);
  await page.context().close();
});

test("keeps a half-typed form when the assets of hovered links are missing", { tag: "@slow" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const she = pageActions(page, true);
  await she.open("/search");
  const used = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  // As after a deployment: only the assets of this page remain. A slow page may already have loaded the assets of its links.
  const ofLinks = /\/assets\/(projects|trash)-[^/]+\.js$/;
  await page.route("**/assets/*.js", (route) => {
    const url = route.request().url();
    const remains = used.includes(url) && !ofLinks.test(url) && route.request().method() === "GET";
    return remains ? route.continue() : route.fulfill({ status: 404 });
  });
  await she.open("/search");
  await mark(page);
  await page.getByRole("searchbox").last().fill("half-typed");
  await pointAtLinks(page);
  await expect(page.getByRole("status").getByText("There is a new version of Atelier.")).toBeAttached();
  await pointAtLinks(page);
  await expect(page.getByRole("searchbox").last()).toHaveValue("half-typed");
  expect(await isSame(page)).toBe(true);
});

for (const saveData of [false, true]) {
  test.describe(saveData ? "with Save-Data" : "without Save-Data", () => {
    test.use({ saveData });

    test(`${saveData ? "loads no route module" : "loads the route modules"} ahead`, async ({ page, person }) => {
      expect(person.id).not.toBe("");
      const loaded = () => page.evaluate(() => Object.keys(Object(Reflect.get(window, "__reactRouterRouteModules"))).length);
      await pageActions(page, true).open("/projects");
      if (!saveData) return expect.poll(loaded).toBeGreaterThan(20);
      // Idle callbacks run in order, so a callback of the app, if any, has begun.
      await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
      expect(await loaded()).toBeLessThan(10);
      const fetched = await page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .filter((entry) => entry instanceof PerformanceResourceTiming && entry.initiatorType === "fetch")
          .map(({ name }) => new URL(name).pathname),
      );
      expect(fetched.filter((path) => path.startsWith("/assets/"))).toEqual([]);
    });
  });
}
