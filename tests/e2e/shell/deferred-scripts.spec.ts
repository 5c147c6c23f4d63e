import type { Page } from "@playwright/test";
import { parseSync } from "vite";
import { expect, hydrated, test } from "../../harness/test.ts";
import { api } from "../../../convex/_generated/api.js";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

async function openWithoutScripts(page: Page, path: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  await page.route(/\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(path);
  return async () => {
    held.resolve();
    await hydrated(page);
  };
}

test("requests scripts after the style sheet, and hydrates the page", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  const style = Promise.withResolvers<void>();
  await page.route(/\.css$/, async (route) => {
    await style.promise;
    await route.continue();
  });
  const font = page.waitForRequest(/\.woff2$/);
  await page.goto("/sign-in", { waitUntil: "commit" });
  await font;
  // The browser sends this request after all other low-priority ones.
  await page.evaluate(async () => (await fetch("/healthz", { priority: "low" })).text());
  expect(scripts).toEqual([]);

  style.resolve();
  await hydrated(page);
  expect(scripts.filter((url) => /\/entry\.client/.test(url))).toHaveLength(1);
  expect(new Set(scripts).size, "each is fetched once").toBe(scripts.length);
});

test("leaves no static import and no preload in the page's HTML", async ({ page, app, person }) => {
  const { path } = await makeDesign(app, person, "Clock tower");
  for (const address of ["/projects", path]) {
    const html = await (await page.request.get(address)).text();
    expect(html).not.toContain('rel="modulepreload"');
    const modules = [...html.matchAll(/<script[^>]*type="module"[^>]*>([^]*?)<\/script>/g)].map(([, code = ""]) => code);
    expect(modules).toHaveLength(1);
    const { module } = parseSync("page.js", modules[0] ?? "");
    // If this fails, React Router has changed the output of <Scripts>: see app/lib/rendering/after-paint.ts.
    expect(module.staticImports).toEqual([]);
    expect(module.dynamicImports.length).toBeGreaterThan(3);
    expect(modules[0]).toContain("window.__reactRouterRouteModules");
  }
});

test("requests scripts at once in a hidden page, which is not painted", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(document, "hidden", { get: () => true });
    window.requestAnimationFrame = () => 0;
  });
  const entry = page.waitForRequest(/\/entry\.client/);
  await page.goto("/sign-in");
  await entry;
});

test("keeps input made before the scripts have loaded", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person, "Clock tower");
  await addPictures(app, person, designId, ["fig", "clock"]);

  const searching = await openWithoutScripts(page, "/search");
  await page.getByRole("combobox", { name: "Search terms" }).fill("tow");
  await page.getByText("Filters", { exact: true }).click();
  await page.getByRole("combobox", { name: "Kind" }).selectOption("design");
  await searching();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveText(/Clock tower/);
  await expect(page).toHaveURL("/search?q=tow&kind=design");
  await expect(page.getByRole("combobox", { name: "Search terms" })).toHaveValue("tow");

  const choosing = await openWithoutScripts(page, `${path}?select=1`);
  for (const name of ["fig.jpg", "clock.webp"]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await choosing();
  const bar = page.getByRole("form", { name: "Selection" });
  await expect(bar).toContainText("2 images selected");
  await page.getByRole("checkbox", { name: "Select fig.jpg" }).uncheck();
  await expect(bar).toContainText("1 image selected");
});

test.describe("when the network changes while scripts are loading", () => {
  test.use({ allowedErrors: [/Failed to load resource|Failed to fetch dynamically imported module/] });

  async function loseRoot(page: Page): Promise<() => void> {
    let isLost = true;
    await page.route(/\/assets\/root-[^/]+\.js$/, (route) => (isLost ? route.abort("internetdisconnected") : route.continue()));
    return () => (isLost = false);
  }

  test("the page reloads once by itself", async ({ page }) => {
    const restore = await loseRoot(page);
    let documents = 0;
    await page.route("**/sign-in", async (route) => {
      documents += 1;
      if (documents === 2) restore();
      await route.continue();
    });
    await page.goto("/sign-in");
    await expect.poll(() => documents).toBe(2);
    await hydrated(page);
    expect(documents).toBe(2);
  });

  test("the page stays without scripts when they still cannot be loaded after that", async ({ page }) => {
    await loseRoot(page);
    const documents: string[] = [];
    page.on("request", (request) => request.isNavigationRequest() && documents.push(request.url()));
    const failed = page.waitForEvent("pageerror");
    await page.goto("/sign-in");
    await failed;
    expect(documents).toHaveLength(2);
    await page.getByLabel("Email").fill("nobody@example.com");
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByRole("main")).toContainText("Invalid email or password");
    expect(documents).toHaveLength(3);
  });

  test("live changes begin once the live client can be loaded", { tag: "@live-client-retried" }, async ({ page, app, person }) => {
    let refused = 0;
    await page.route(/\/assets\/live-session-[^/]+\.js/, (route) =>
      ++refused <= 2 ? route.abort("internetdisconnected") : route.continue(),
    );
    await page.goto("/projects");
    await expect.poll(() => refused).toBeGreaterThan(2);
    await expect(page.getByRole("main")).toBeVisible();
    const convex = await deploymentAs(app, person);
    await convex.mutation(api.projects.create, { name: "Clock tower" });
    await expect(page.getByRole("main").getByRole("link", { name: "Clock tower" })).toBeVisible();
  });

  test("a page with typed text does not reload, and its form works", async ({ page }) => {
    const held = Promise.withResolvers<void>();
    await page.route(/\/assets\/root-[^/]+\.js$/, async (route) => {
      await held.promise;
      await route.abort("internetdisconnected");
    });
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill("nobody@example.com");
    const failed = page.waitForEvent("pageerror");
    held.resolve();
    await failed;
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await expect(page.getByLabel("Email")).toHaveValue("nobody@example.com");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByRole("main")).toContainText("Invalid email or password");
  });
});
