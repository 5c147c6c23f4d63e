import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { recordDelays } from "../support/delays.ts";
import { pageActions } from "../support/page-actions.ts";
import { deploymentAs } from "../support/pictures.ts";
import { SIDEBAR } from "../support/specified-sizes.ts";

test.describe.configure({ mode: "parallel" });

const PROGRESS = { minimum: 0.08, trickleMs: 800 };

const sidebar = (page: Page) => page.getByLabel("Sidebar", { exact: true });
const width = async (page: Page) => Math.round((await sidebar(page).boundingBox())?.width ?? 0);

withAndWithoutJavaScript((javaScript) => {
  test(
    "the sidebar has the title, the projects, and the user block with its menu",
    { tag: ["@sidebar-has-title-projects-user-block", "@slow"] },
    async ({ page, person }) => {
      const she = pageActions(page, javaScript);
      await she.open("/projects");
      await expect(sidebar(page).getByRole("link", { name: "Atelier" })).toBeVisible();
      await expect(sidebar(page).getByRole("link", { name: "Projects" })).toHaveAttribute("aria-current", "page");
      await expect(sidebar(page).getByLabel("Your projects")).toHaveCount(0);
      const path = await she.makeProject("Nightfall");
      await she.open("/projects");
      const link = sidebar(page).getByRole("link", { name: "Nightfall" });
      await expect(link).toHaveAttribute("href", path);
      await sidebar(page).getByLabel("Your projects").click();
      await expect(link).toBeHidden();
      if (javaScript) {
        await page.reload();
        await she.ready();
        await expect(link).toBeHidden();
      }
      await sidebar(page).getByLabel("Your projects").click();
      await link.click();
      await expect(page).toHaveURL(path);
      await expect(link).toHaveAttribute("aria-current", "page");
      await she.ready();
      await she.create("design", "Cover");
      await expect(page).toHaveURL(/\/design\//);
      await expect(link).toHaveAttribute("aria-current", "true");
      await she.open(`${path}/activity`);
      await expect(link).toHaveAttribute("aria-current", "true");
      await expect(sidebar(page).getByRole("link", { name: "Projects" })).not.toHaveAttribute("aria-current");

      await she.ready();
      const user = sidebar(page).getByRole("button", { name: person.name });
      await expect(user).toContainText(person.email);
      for (const [name, address, heading] of [
        ["Upgrade to Pro", "/billing", "Billing"],
        ["Account", "/account", "Account"],
        ["Billing", "/billing", "Billing"],
        ["Notifications", "/notifications", "Notifications"],
      ] as const) {
        await user.click();
        await page.getByRole("group", { name: "You" }).getByRole("link", { name, exact: true }).click();
        await expect(page).toHaveURL(address);
        await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
        await she.ready();
      }
      await user.click();
      await page.getByRole("button", { name: "Log out", exact: true }).click();
      await expect(page).toHaveURL("/sign-in");
      await expect(sidebar(page)).toHaveCount(0);
    },
  );

  test(
    "a panel of 16rem collapses to 3rem and back, and the server stores its state",
    { tag: "@panel-16rem-collapses-3rem-back-server" },
    async ({ page, person, context }) => {
      expect(person.id).not.toBe("");
      const she = pageActions(page, javaScript);
      await she.makeProject("Nightfall");
      await expect.poll(() => width(page)).toBe(SIDEBAR.width);
      const before = Date.now() / 1000;
      await page.getByRole("button", { name: "Collapse the sidebar" }).click();
      await expect.poll(() => width(page)).toBe(SIDEBAR.iconWidth);
      const sidebarState = async () => (await context.cookies()).find(({ name }) => name === "sidebar_state");
      await expect.poll(async () => (await sidebarState())?.value).toBe("false");
      const cookie = await sidebarState();
      expect(cookie?.sameSite).toBe("Lax");
      const lasts = SIDEBAR.cookieDays * 86_400;
      expect(cookie?.expires).toBeGreaterThanOrEqual(Math.floor(before + lasts));
      expect(cookie?.expires).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000 + lasts));

      await she.open("/projects");
      await expect.poll(() => width(page)).toBe(SIDEBAR.iconWidth);
      const projects = sidebar(page).getByRole("link", { name: "Projects" });
      await expect(projects).toBeVisible();
      await expect(sidebar(page).getByRole("link", { name: "Nightfall" })).toBeHidden();
      const tooltip = () =>
        projects.evaluate((link) => {
          const { content, visibility } = getComputedStyle(link, "::after");
          return `${content} ${visibility}`;
        });
      expect(await tooltip()).toMatch(/^"Projects".* hidden$/);
      await projects.hover();
      await expect.poll(tooltip).toMatch(/^"Projects".* visible$/);
      if (javaScript) await expectAccessible(page);
      await page.getByRole("button", { name: "Expand the sidebar" }).click();
      await expect.poll(() => width(page)).toBe(SIDEBAR.width);
    },
  );

  test("lists all projects, beyond one page (specification 1)", async ({ app, page, person }) => {
    const convex = await deploymentAs(app, person);
    await convex.mutation(api.projects.create, { name: "The oldest" });
    for (let number = 1; number <= 201; number++) await convex.mutation(api.projects.create, { name: `Project ${number}` });
    const she = pageActions(page, javaScript);
    await she.open("/trash");
    const all = sidebar(page).getByRole("link", { name: "All projects" });
    const oldest = sidebar(page).getByRole("link", { name: "The oldest" });
    await expect(oldest).toHaveCount(0);
    if (javaScript) {
      await all.scrollIntoViewIfNeeded();
      await expect(oldest).toBeAttached();
      await expect(all).toHaveCount(0);
      await oldest.click();
      await expect(page.getByRole("heading", { name: "The oldest" })).toBeVisible();
    } else {
      await all.click();
      await expect(page).toHaveURL("/projects");
      await page.getByRole("link", { name: "More projects" }).click();
      await expect(page.getByRole("main").getByText("The oldest")).toBeVisible();
    }
  });

  test("the off-canvas sidebar is a sheet on wide screens too, stored by the server", async ({ page, person, context }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, javaScript);
    await she.open("/projects");
    await expect(page.getByRole("button", { name: "Open the sidebar" })).toBeHidden();
    await page.getByRole("button", { name: "Hide the sidebar" }).click();
    await expect(sidebar(page)).toBeHidden();
    const sidebarState = async () => (await context.cookies()).find(({ name }) => name === "sidebar_state")?.value;
    await expect.poll(sidebarState).toBe("hidden");

    await she.open("/projects");
    await expect(sidebar(page)).toBeHidden();
    if (javaScript) await expectAccessible(page);
    await page.getByRole("button", { name: "Open the sidebar" }).click();
    await expect.poll(() => width(page)).toBe(SIDEBAR.mobileWidth);
    if (javaScript) await expectAccessible(page);
    await page.getByRole("button", { name: "Expand the sidebar" }).click();
    await expect.poll(() => width(page)).toBe(SIDEBAR.width);
    await expect.poll(sidebarState).toBe("true");
  });

  test(
    "the sidebar is a sheet of 18rem from the left below 768 px",
    { tag: "@below-768-px-sheet-18rem-from" },
    async ({ page, person }) => {
      expect(person.id).not.toBe("");
      const she = pageActions(page, javaScript);
      await page.setViewportSize({ width: SIDEBAR.breakpoint - 1, height: 800 });
      await she.open("/projects");
      await expect(sidebar(page)).toBeHidden();
      await page.getByRole("button", { name: "Open the sidebar" }).click();
      await expect(sidebar(page)).toBeVisible();
      await expect.poll(async () => (await sidebar(page).boundingBox())?.x).toBe(0);
      expect(await width(page)).toBe(SIDEBAR.mobileWidth);
      if (javaScript) await expectAccessible(page);
      await page.keyboard.press("Escape");
      await expect(sidebar(page)).toBeHidden();

      await page.getByRole("button", { name: "Open the sidebar" }).click();
      await sidebar(page).getByRole("button", { name: /Ada/ }).click();
      await page.getByRole("group", { name: "You" }).getByRole("link", { name: "Account" }).click();
      await expect(page).toHaveURL("/account");
      await expect(sidebar(page)).toBeHidden();
      await page.setViewportSize({ width: SIDEBAR.breakpoint, height: 800 });
      await expect.poll(() => width(page)).toBe(SIDEBAR.width);
    },
  );

  test(
    "the theme is dark by default; the server renders a chosen light or system theme",
    { tag: "@dark-default-light-system-chosen-once" },
    async ({ page, person, request }) => {
      const she = pageActions(page, javaScript);
      await she.open("/projects");
      const colourScheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
      await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
      await expect(page.locator("html")).toContainClass("dark");
      expect(await colourScheme()).toBe("dark");
      await sidebar(page).getByRole("button", { name: person.name }).click();
      await page.getByRole("button", { name: "Light" }).click();
      await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
      await expect(page.locator("html")).toHaveClass(/^(?!.*dark).*light/);
      expect(await colourScheme()).toBe("light");
      await page.goto("/notifications");
      await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
      const html = await (await request.get("/sign-in", { headers: { Cookie: "theme=system" } })).text();
      expect(html).toContain('data-theme="system"');
      const odd = await (await request.get("/sign-in", { headers: { Cookie: "theme=<script>" } })).text();
      expect(odd).toContain('data-theme="dark"');
    },
  );

  test(
    "an unknown path keeps the shell for a signed-in user",
    { tag: "@unknown-path-keeps-shell-signed-user" },
    async ({ page, person, context }) => {
      expect(person.id).not.toBe("");
      const she = pageActions(page, javaScript);
      expect((await she.open("/nowhere"))?.status()).toBe(404);
      await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
      await expect(sidebar(page)).toBeVisible();
      await context.clearCookies();
      expect((await she.open("/nowhere"))?.status()).toBe(404);
      await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
      await expect(sidebar(page)).toHaveCount(0);
      await page.getByRole("link", { name: "Start Over" }).click();
      await expect(page).toHaveURL("/sign-in");
    },
  );
});

test("Ctrl+b and Cmd+b toggle the panel, or the sheet", { tag: "@ctrl-b-cmd-b-toggle-panel" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  await page.goto("/projects");
  await hydrated(page);
  for (const [keys, expected] of [
    ["Control+b", SIDEBAR.iconWidth],
    ["Meta+b", SIDEBAR.width],
    ["Control+B", SIDEBAR.iconWidth],
  ] as const) {
    await page.keyboard.press(keys);
    await expect.poll(() => width(page)).toBe(expected);
  }
  await page.setViewportSize({ width: 500, height: 800 });
  await expect(sidebar(page)).toBeHidden();
  await page.keyboard.press("Control+b");
  await expect(sidebar(page)).toBeVisible();
  await expect(page.locator("[inert] main")).toBeVisible();
  for (let tab = 0; tab < 12; tab++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main"))).toBeNull();
  }
  await page.keyboard.press("Control+b");
  await expect(sidebar(page)).toBeHidden();
});

async function recordBar(page: Page) {
  await page.evaluate(() => {
    const places: number[] = [];
    Object.assign(window, { places });
    new MutationObserver(() => {
      const moved = document.querySelector<HTMLElement>(".bprogress .bar")?.style.transform ?? "";
      const missing = /translate3d\((-?[\d.]+)%/.exec(moved)?.[1];
      const place = 1 + Number(missing) / 100;
      if (missing !== undefined && place !== places.at(-1)) places.push(place);
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["style"] });
  });
  return () => page.evaluate(() => ("places" in window && Array.isArray(window.places) ? window.places.map(Number) : []));
}

test("a bar at the top shows while a route loads", { tag: "@bar-top-shows-while-route-loads" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const delays = await recordDelays(page);
  await page.goto("/projects");
  await hydrated(page);
  const places = await recordBar(page);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/billing\.data/, async (route) => {
    await held;
    await route.continue();
  });
  await sidebar(page).getByRole("button", { name: /Ada/ }).click();
  await page.getByRole("group", { name: "You" }).getByRole("link", { name: "Billing" }).click();
  const bar = page.locator(".bprogress");
  await expect(bar).toBeVisible();
  await expect.poll(async () => (await places()).length).toBeGreaterThan(1);
  const [first = 0, second = 0] = await places();
  expect(first).toBeCloseTo(PROGRESS.minimum, 5);
  expect(second).toBeGreaterThan(first);
  expect(await delays()).toContain(PROGRESS.trickleMs);
  release();
  await expect(page).toHaveURL("/billing");
  await expect(bar).toBeHidden();
});
