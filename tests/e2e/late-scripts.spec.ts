/** A page is painted before its scripts are asked for (docs/decisions/094). */
import { expect, hydrated, test } from "../harness/test.ts";

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
