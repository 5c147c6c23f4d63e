import type { Page } from "@playwright/test";
import { expect, hydrated, test } from "../../harness/test.ts";
import { signedInAddresses } from "../support/signed-in-addresses.ts";

test.describe.configure({ mode: "parallel" });

test.use({ saveData: false, allowedErrors: [/ERR_CONNECTION_REFUSED|Decoded|turbo-stream|dynamically imported module/] });

const pointAtLinks = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href^='/']")];
    for (const link of links) {
      link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      link.focus();
      link.dispatchEvent(new TouchEvent("touchstart", { bubbles: true }));
    }
    return links.length;
  });

test("pointing at links keeps each page while the server is unreachable", { tag: "@slow" }, async ({ page, app, person }) => {
  const { addresses } = await signedInAddresses(app, person);
  for (const address of addresses) {
    await page.goto(address);
    await hydrated(page);
    await page.evaluate(() => void Object.assign(window, { marked: true }));
    await page.route("**/*", (route) => route.abort("connectionrefused"));
    expect(await pointAtLinks(page), address).toBeGreaterThan(2);
    await page.evaluate(() => fetch("/none").catch(() => new Promise((idle) => requestIdleCallback(idle))));
    expect(await page.evaluate(() => "marked" in window), address).toBe(true);
    await expect(page.getByRole("button", { name: "Try Again" }), address).toHaveCount(0);
    await page.unroute("**/*");
  }
});

for (const status of [502, 504]) {
  test(`each page shows the error screen inside the shell when its load fails: ${status}`, async ({ page, app, person }) => {
    const { addresses } = await signedInAddresses(app, person);
    await page.goto("/projects");
    await hydrated(page);
    await page.route(/\.data(?:\?|$)/, (route) => route.fulfill({ status, body: "<h1>Bad Gateway</h1>", contentType: "text/html" }));
    for (const address of addresses) {
      const hasLoader = await page.evaluate(async (to) => {
        const router = Object(window.__reactRouterDataRouter);
        await router.navigate(to);
        return Boolean(Object(window.__reactRouterManifest?.routes[router.state.matches.at(-1).route.id]).hasLoader);
      }, address);
      await expect(page, address).toHaveURL(address);
      await expect(page.getByRole("button", { name: "Try Again" }), address).toHaveCount(hasLoader ? 1 : 0);
      await expect(page.getByRole("main").getByRole("link").first(), address).toBeVisible();
      await expect(page.getByRole("complementary", { name: "Sidebar" }), address).toContainText(person.name);
    }
    await page.unroute(/\.data(?:\?|$)/);
    await page.evaluate(() => Object(window.__reactRouterDataRouter).navigate("/account"));
    await expect(page.getByLabel("Your name")).toHaveValue(person.name);
  });
}
