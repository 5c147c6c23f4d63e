import type { Page } from "@playwright/test";
import { expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";

const sidebar = (page: Page) => page.getByRole("complementary", { name: "Sidebar" });

const FAILURES = [
  { name: "refused", fulfill: null },
  { name: "429", fulfill: { status: 429, headers: { "Retry-After": "7" }, body: "Too many requests" } },
  { name: "500", fulfill: { status: 500, body: "Internal Server Error" } },
  { name: "502", fulfill: { status: 502, body: "<h1>Bad Gateway</h1>", contentType: "text/html" } },
  { name: "504", fulfill: { status: 504, body: "Gateway Timeout" } },
];

test.use({ allowedErrors: [/ERR_FAILED|Decoded|turbo-stream/] });

for (const { name, fulfill } of FAILURES) {
  test(`shows the error screen inside the shell when a load fails: ${name}`, { tag: "@slow" }, async ({ page, person }) => {
    const she = pageActions(page, true);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    let requested = 0;
    await page.route(/\/projects\/\w+\.data/, (route) => {
      requested++;
      return fulfill ? route.fulfill(fulfill) : route.abort();
    });
    await page.getByRole("main").getByRole("link", { name: "Nightfall" }).press("Enter");
    await expect(page.getByRole("button", { name: "Try Again" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Go Back" })).toBeVisible();
    await expect(sidebar(page)).toContainText(person.name);
    await expectAccessible(page);
    const before = requested;
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect.poll(() => requested).toBeGreaterThan(before);
    await expect(page.getByRole("button", { name: "Try Again" })).toBeEnabled();
    await page.unroute(/\/projects\/\w+\.data/);
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("heading", { name: "Nightfall", level: 1 })).toBeAttached();
  });
}

test("retries a load after Retry-After, and not before", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const she = pageActions(page, true);
  await she.makeProject("Nightfall");
  await page.clock.install();
  await she.open("/projects");
  let requested = 0;
  await page.route(/\/projects\/\w+\.data/, (route) => {
    requested++;
    return route.fulfill({ status: 429, headers: { "Retry-After": "40" }, body: "Too many requests" });
  });
  await page.getByRole("main").getByRole("link", { name: "Nightfall" }).press("Enter");
  await expect(page.getByRole("button", { name: "Try Again" })).toBeVisible();
  const before = requested;
  await page.clock.runFor(35_000);
  expect(requested).toBe(before);
  await page.unroute(/\/projects\/\w+\.data/);
  await page.clock.runFor(6_000);
  await expect(page.getByRole("heading", { name: "Nightfall", level: 1 })).toBeAttached();
});

for (const path of ["/", "/sign-in", "/sign-up", "/two-factor", "/forgot-password", "/reset-password", "/verify-email", "/error"]) {
  test(`shows 'Try Again' and 'Home' when a load fails: ${path}`, async ({ page }) => {
    await page.goto(path === "/sign-in" ? "/sign-up" : "/sign-in");
    await hydrated(page);
    await page.route(/\.data(?:\?|$)/, (route) => route.fulfill({ status: 500, body: "Internal Server Error" }));
    await page.evaluate((to) => Object(window.__reactRouterDataRouter).navigate(to), path);
    await expect(page.getByRole("button", { name: "Try Again" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Home" })).toBeVisible();
    await expectAccessible(page);
    await page.unroute(/\.data(?:\?|$)/);
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("button", { name: "Try Again" })).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  });
}

test("shows the error screen inside the shell when a form's request fails", async ({ page, person }) => {
  const she = pageActions(page, true);
  await she.open("/account");
  await page.route(/\/account\.data/, (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 500, body: "Internal Server Error" }) : route.continue(),
  );
  await page.getByRole("main").getByLabel("Your name").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByRole("button", { name: "Try Again" })).toBeVisible();
  await expect(sidebar(page)).toContainText(person.name);
});

test.describe("a page whose module fails to load", () => {
  test.use({ saveData: false, allowedErrors: [/^$|ERR_FAILED|loading route module|dynamically imported module/] });

  test("is loaded from the server, and hydrates after its module loads", async ({ page, person }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, true);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    const module = await page.evaluate(() => window.__reactRouterManifest?.routes["routes/project"]?.module ?? "");
    expect(module).toMatch(/^\/assets\/.+\.js$/);
    await page.route(`**${module}`, (route) => route.abort());
    await she.open("/projects");
    const link = page.getByRole("main").getByRole("link", { name: "Nightfall" });
    await link.press("Enter");
    await expect(page.getByRole("heading", { name: "Nightfall", level: 1 })).toBeVisible();
    await expect(sidebar(page)).toContainText(person.name);
    await page.unroute(`**${module}`);
    await page.reload();
    await hydrated(page);
    await expect(page.getByRole("heading", { name: "Nightfall", level: 1 })).toBeAttached();
  });
});
