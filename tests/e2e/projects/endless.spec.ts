import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { expect, hydrated, waitForAnimations, test } from "../../harness/test.ts";
import { gallery } from "../support/gallery.ts";
import { controlConnection } from "../support/controlled-connection.ts";
import { makeLink } from "../support/links.ts";
import { deploymentAs, manyImages } from "../support/pictures.ts";
import { sharedProject } from "../support/shared-project.ts";

test.describe.configure({ mode: "parallel" });

const PAGE = 200;
const ALL = PAGE + 5;

const scrolled = (page: Page) => page.evaluate(() => Math.round(window.scrollY));
const toTheEnd = (page: Page) => page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));

test(
  "an address with a cursor that is no longer valid leads to the first page",
  { tag: "@invalid-cursor" },
  async ({ app, person, stranger }) => {
    const { projectId, designId, imageId } = await sharedProject(app, person, stranger);
    const link = await makeLink(app, person, projectId, { comments: true });
    const at = app.output().length;
    const pages = [
      "/shared",
      ...["", "/images", "/activity", "/members", "/sharing"].map((page) => `/projects/${projectId}${page}`),
      ...["", "/comments", `/images/${imageId}`, `/images/${imageId}/comments`].map((page) => `/design/${designId}${page}`),
      `${link}/designs/${designId}`,
      `${link}/designs/${designId}/comments`,
    ];
    for (const page of pages)
      for (const after of ["garbage", "%00"]) {
        const answer = await fetch(`${app.url}${page}?sort=manual&after=${after}`, { headers: { Cookie: person.cookieHeader } });
        expect([answer.status, await answer.text()], page).toEqual([200, expect.stringContaining("</html>")]);
      }
    expect(app.output().slice(at)).not.toContain("InvalidCursor");
  },
);

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

function pageSizesIn(message: string): number[] {
  const sizes: number[] = [];
  JSON.stringify(JSON.parse(message), (key, value: unknown) => {
    if (key === "page" && Array.isArray(value)) sizes.push(value.length);
    return value;
  });
  return sizes;
}

test("a long list loads on scroll, stays live and is restored on return", { tag: "@slow" }, async ({ page, person, app, otherBrowser }) => {
  const { path } = await manyImages(app, person, ALL);
  const convex = await deploymentAs(app, person);
  const connection = await controlConnection(page);
  await page.goto(path);
  await hydrated(page);
  await connection.live();
  await expect(gallery(page)).toHaveCount(PAGE);

  await test.step("scrolls to the last item", async () => {
    await toTheEnd(page);
    await expect(gallery(page)).toHaveCount(ALL);
    await expect(gallery(page).last()).toContainText(`dot ${ALL}.png`);
    await expect(page.getByRole("navigation", { name: "More images" })).toHaveCount(0);
    await expect(page).toHaveURL(path);
  });

  await test.step("a change resends only its own page", async () => {
    let received = 0;
    connection.rewrite((message) => {
      received += imagesIn(message);
      return message;
    });
    const id = (await gallery(page).last().getAttribute("id"))?.replace("image-", "") ?? "";
    await convex.mutation(api.designImages.rename, { id, name: "The very last" });
    await expect(gallery(page).last()).toContainText("The very last");
    expect(received).toBe(ALL - PAGE);
    await convex.mutation(api.designImages.reorder, { id, to: "first" });
    await expect(gallery(page).first()).toContainText("The very last");
    await expect(gallery(page)).toHaveCount(ALL);
    await expect(gallery(page).last()).toContainText(`dot ${ALL - 1}.png`);
  });

  await test.step("image actions work on later pages, too", async () => {
    await page.getByRole("button", { name: `More for dot ${ALL - 1}.png`, exact: true }).click();
    await page.getByRole("link", { name: "Rename" }).click();
    await page.getByRole("dialog", { name: "Rename image" }).getByLabel("Name").fill("the last dot");
    await page.getByRole("dialog", { name: "Rename image" }).getByRole("link", { name: "Cancel" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(gallery(page)).toHaveCount(ALL);
  });

  await test.step("going back restores the scroll position", async () => {
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

    await waitForAnimations(page);
    await page.getByRole("complementary").getByRole("link", { name: "Projects", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeAttached();
    await page.goBack();
    await expect(gallery(page)).toHaveCount(ALL);
    await expect.poll(() => scrolled(page)).toBe(left);
  });

  await test.step("the link loads more by keyboard and keeps the focus", async () => {
    const other = await otherBrowser(person);
    await other.addInitScript(() => {
      IntersectionObserver.prototype.observe = () => {};
    });
    const otherConnection = await controlConnection(other);
    await other.goto(path);
    await hydrated(other);
    await otherConnection.live();
    await other.getByRole("link", { name: "More images" }).press("Enter");
    await expect(gallery(other)).toHaveCount(ALL);
    await expect(gallery(other).nth(PAGE).getByRole("link").first()).toBeFocused();
    await expect(other.locator("[data-announcer]")).toHaveText(/More images are shown\./);
  });
});

test("shows hundreds of added items page by page, without gaps", { tag: "@slow" }, async ({ page, person, app }) => {
  test.slow();
  const { path } = await manyImages(app, person, ALL);
  const convex = await deploymentAs(app, person);
  const connection = await controlConnection(page);
  await page.goto(path);
  await hydrated(page);
  await connection.live();
  await toTheEnd(page);
  await expect(gallery(page)).toHaveCount(ALL);

  const pageSizes: number[] = [];
  connection.rewrite((message) => {
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
  let round = 0;
  await expect(async () => {
    pageSizes.length = 0;
    const name = `The very first, ${++round}`;
    await convex.mutation(api.designImages.rename, { id, name });
    await expect(gallery(page).first()).toContainText(name);
    expect(Math.min(...pageSizes)).toBeLessThanOrEqual(2 * PAGE);
  }).toPass();
});
