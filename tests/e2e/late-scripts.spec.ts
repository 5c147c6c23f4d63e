/** A page is painted before its scripts are asked for (docs/decisions/094). */
import type { Page } from "@playwright/test";
import { expect, hydrated, test } from "../harness/test.ts";
import { addPictures, makeDesign } from "./pictures.ts";

/** Opens a page whose scripts come when the answer is called. */
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

test("asks for no script before its style sheet is here, and works with them then", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  const style = Promise.withResolvers<void>();
  await page.route(/\.css$/, async (route) => {
    await style.promise;
    await route.continue();
  });
  // The markup asks for the font behind all that stands at the head's beginning.
  const font = page.waitForRequest(/\.woff2$/);
  await page.goto("/sign-in", { waitUntil: "commit" });
  await font;
  // Behind whatever else is asked for without haste.
  await page.evaluate(async () => (await fetch("/healthz", { priority: "low" })).text());
  expect(scripts).toEqual([]);

  style.resolve();
  await hydrated(page);
  expect(scripts.filter((url) => /\/entry\.client/.test(url))).toHaveLength(1);
  expect(new Set(scripts).size, "each is fetched once").toBe(scripts.length);
});

test("asks for them at once where nobody sees the page, which is not painted then", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(document, "hidden", { get: () => true });
    window.requestAnimationFrame = () => 0;
  });
  const entry = page.waitForRequest(/\/entry\.client/);
  await page.goto("/sign-in");
  await entry;
});

test("what is typed, ticked and chosen before they have come stays, and counts", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person, "Clock tower");
  await addPictures(app, person, designId, ["fig", "clock"]);

  const searching = await openWithoutScripts(page, "/search");
  await page.getByRole("searchbox", { name: "Words to search by" }).fill("tow");
  await page.getByText("Filters").click();
  await page.getByRole("combobox", { name: "Kind" }).selectOption("design");
  await searching();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveText(/Clock tower/);
  await expect(page).toHaveURL("/search?q=tow&kind=design");
  await expect(page.getByRole("searchbox", { name: "Words to search by" })).toHaveValue("tow");

  const choosing = await openWithoutScripts(page, `${path}?select=1`);
  for (const name of ["fig.jpg", "clock.webp"]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await choosing();
  const bar = page.getByRole("form", { name: "Selection" });
  await expect(bar).toContainText("2 images selected");
  await page.getByRole("checkbox", { name: "Select fig.jpg" }).uncheck();
  await expect(bar).toContainText("1 image selected");
});
