import type { Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { expect, hydrated, still, test } from "../harness/test.ts";
import { holdable } from "./line.ts";
import { deploymentAs, manyImages } from "./pictures.ts";

/** As in convex/paging.ts. */
const PAGE = 200;
const ALL = PAGE + 5;

const gallery = (page: Page) => page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");
const scrolled = (page: Page) => page.evaluate(() => Math.round(window.scrollY));
const toTheEnd = (page: Page) => page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));

/** How many images the deployment says in a message, in lists and their pages. */
function imagesIn(message: string): number {
  const parsed: unknown = JSON.parse(message);
  let images = 0;
  JSON.stringify(parsed, (key, value: unknown) => {
    const rows = key === "page" || key === "value" ? value : null;
    if (Array.isArray(rows)) images += rows.filter((row) => Object(row).designId !== undefined).length;
    return value;
  });
  return images;
}

/** How many rows the pages have that the deployment says in a message. */
function pageSizesIn(message: string): number[] {
  const sizes: number[] = [];
  JSON.stringify(JSON.parse(message), (key, value: unknown) => {
    if (key === "page" && Array.isArray(value)) sizes.push(value.length);
    return value;
  });
  return sizes;
}

test("a long list goes on as one scrolls, stays live page by page, and is found again as it was left", async ({
  page,
  person,
  app,
  otherBrowser,
}) => {
  const { path } = await manyImages(app, person, ALL);
  const convex = await deploymentAs(app, person);
  const line = await holdable(page);
  await page.goto(path);
  await hydrated(page);
  await line.live();
  await expect(gallery(page)).toHaveCount(PAGE);

  await test.step("up to the last", async () => {
    await toTheEnd(page);
    await expect(gallery(page)).toHaveCount(ALL);
    await expect(gallery(page).last()).toContainText(`dot ${ALL}.png`);
    await expect(page.getByRole("navigation", { name: "More images" })).toHaveCount(0);
    await expect(page).toHaveURL(path);
  });

  await test.step("a change costs the page that it is on", async () => {
    let told = 0;
    line.rewrite((message) => {
      told += imagesIn(message);
      return message;
    });
    const id = (await gallery(page).last().getAttribute("id"))?.replace("image-", "") ?? "";
    await convex.mutation(api.designImages.rename, { id, name: "The very last" });
    await expect(gallery(page).last()).toContainText("The very last");
    expect(told).toBe(ALL - PAGE);
    // From the last page to the first: none is lost, and none stands twice.
    await convex.mutation(api.designImages.reorder, { id, to: "first" });
    await expect(gallery(page).first()).toContainText("The very last");
    await expect(gallery(page)).toHaveCount(ALL);
    await expect(gallery(page).last()).toContainText(`dot ${ALL - 1}.png`);
  });

  await test.step("what can be done with an image can be done there too", async () => {
    await page.getByRole("button", { name: `More for dot ${ALL - 1}.png`, exact: true }).click();
    await page.getByRole("link", { name: "Rename" }).click();
    await page.getByRole("dialog", { name: "Rename image" }).getByLabel("Name").fill("the last dot");
    await page.getByRole("dialog", { name: "Rename image" }).getByRole("link", { name: "Cancel" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(gallery(page)).toHaveCount(ALL);
  });

  await test.step("from an image, and from elsewhere, the way back leads to where one was", async () => {
    await gallery(page)
      .nth(ALL - 3)
      .getByRole("link")
      .first()
      .scrollIntoViewIfNeeded();
    const left = await scrolled(page);
    expect(left).toBeGreaterThan(0);
    await gallery(page)
      .nth(ALL - 3)
      .getByRole("link")
      .first()
      .click();
    await expect(page.getByText(`${ALL - 2} of ${ALL}`)).toBeVisible();
    await page.getByRole("link", { name: "Previous image" }).click();
    await expect(page).toHaveTitle(`dot ${ALL - 4}.png · Atelier`);
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(path);
    await expect(gallery(page)).toHaveCount(ALL);
    await expect.poll(() => scrolled(page)).toBe(left);

    // What is to be pressed while one view passes into the next is looked for by scrolling.
    await still(page);
    await page.getByRole("complementary").getByRole("link", { name: "Projects", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeAttached();
    await page.goBack();
    await expect(gallery(page)).toHaveCount(ALL);
    await expect.poll(() => scrolled(page)).toBe(left);
  });

  await test.step("by keyboard the link brings more, and the focus goes on in it", async () => {
    const other = await otherBrowser(person);
    // A window into which nothing ever comes near by itself.
    await other.addInitScript(() => {
      IntersectionObserver.prototype.observe = () => {};
    });
    const otherLine = await holdable(other);
    await other.goto(path);
    await hydrated(other);
    await otherLine.live();
    await other.getByRole("link", { name: "More images" }).press("Enter");
    await expect(gallery(other)).toHaveCount(ALL);
    await expect(gallery(other).nth(PAGE).getByRole("link").first()).toBeFocused();
    await expect(other.locator("[data-announcer]")).toHaveText(/More images are shown\./);
  });
});

test("what is added to an open list by hundreds is shown page by page, and none is lost", async ({ page, person, app }) => {
  test.slow();
  const { path } = await manyImages(app, person, ALL);
  const convex = await deploymentAs(app, person);
  const line = await holdable(page);
  await page.goto(path);
  await hydrated(page);
  await line.live();
  await toTheEnd(page);
  await expect(gallery(page)).toHaveCount(ALL);

  const pageSizes: number[] = [];
  line.rewrite((message) => {
    pageSizes.push(...pageSizesIn(message));
    return message;
  });
  const [id = ""] = await gallery(page).evaluateAll((items) => items.map((item) => item.id.replace("image-", "")));
  const added = 2 * PAGE + 20;
  let left = added;
  const add = async () => {
    while (left-- > 0) await convex.mutation(api.designImages.duplicate, { id }, { skipQueue: true });
  };
  await Promise.all(Array.from({ length: 8 }, add));
  await expect(page.getByText(`${ALL + added} images`)).toBeVisible({ timeout: 60_000 });
  await expect(async () => {
    await toTheEnd(page);
    await expect(gallery(page)).toHaveCount(ALL + added, { timeout: 1_000 });
  }).toPass();
  // What changes then is told with its own page, which is no larger than two: once the one that had grown is cut.
  let round = 0;
  await expect(async () => {
    pageSizes.length = 0;
    const name = `The very first, ${++round}`;
    await convex.mutation(api.designImages.rename, { id, name });
    await expect(gallery(page).first()).toContainText(name);
    expect(Math.min(...pageSizes)).toBeLessThanOrEqual(2 * PAGE);
  }).toPass();
});
