import type { Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

const IN_ROW = {
  360: { "Small images": 3, "Medium images": 2, "Large images": 2 },
  768: { "Small images": 5, "Medium images": 4, "Large images": 3 },
};

async function addPhotographs(app: RunningApp, person: Person): Promise<string> {
  const { designId, path } = await makeDesign(app, person);
  const files = Array.from({ length: 8 }, async (_, number) => {
    const background = { r: 30 * number, g: 90, b: 120 };
    const buffer = await sharp({ create: { width: 600, height: 400, channels: 3, background } })
      .png()
      .toBuffer();
    return { name: `photo ${number}.png`, mimeType: "image/png", buffer };
  });
  await addPictures(app, person, designId, await Promise.all(files));
  return path;
}

const inFirstRow = (page: Page, list: string): Promise<number> =>
  page
    .getByRole("list", { name: list, exact: true })
    .getByRole("listitem")
    .evaluateAll(
      (items) =>
        items.filter((item) => Math.abs(item.getBoundingClientRect().top - (items[0]?.getBoundingClientRect().top ?? 0)) < 2).length,
    );

withAndWithoutJavaScript((javaScript) => {
  test("shows images in the chosen size, and stores the choice", { tag: "@slow" }, async ({ page, app, person }) => {
    const path = await addPhotographs(app, person);
    const open = async (address: string) => {
      await page.goto(address);
      if (javaScript) await hydrated(page);
    };
    const choice = (name: string) => page.getByRole("button", { name, exact: true });
    for (const [width, expected] of Object.entries(IN_ROW)) {
      await page.setViewportSize({ width: Number(width), height: 900 });
      await open(path);
      for (const [name, count] of Object.entries(expected)) {
        await choice(name).click();
        await expect(choice(name)).toHaveAttribute("aria-pressed", "true");
        expect(await inFirstRow(page, "Images"), `${name} at ${width} px`).toBe(count);
      }
    }
    await choice("Small images").click();
    await choice("List").click();
    await expect(choice("List")).toHaveAttribute("aria-pressed", "true");
    await open(path);
    await expect(page.locator(".gallery-list")).toBeVisible();
    await choice("Small images").click();
    await open(path);
    await expect(choice("Small images")).toHaveAttribute("aria-pressed", "true");
    expect(await inFirstRow(page, "Images")).toBe(5);
    if (javaScript) await expectAccessible(page);
  });
});

test("sizes cards and search results by the chosen density", async ({ page, app, person }) => {
  const convex = await deploymentAs(app, person);
  for (let number = 0; number < 12; number++) await convex.mutation(api.projects.create, { name: `Magazine ${number}` });
  await page.setViewportSize({ width: 2560, height: 1440 });
  const counts: Record<string, number[]> = {};
  for (const [path, list] of [
    ["/projects", page.getByRole("list", { name: "Projects", exact: true })],
    ["/search?q=Magazine", page.getByRole("region", { name: "Projects" }).getByRole("list")],
  ] as const) {
    await page.goto(path);
    await hydrated(page);
    for (const name of ["Small images", "Medium images", "Large images"]) {
      await page.getByRole("button", { name, exact: true }).click();
      const columns = await list.evaluate((element) => getComputedStyle(element).gridTemplateColumns.split(" ").length);
      (counts[path] ??= []).push(columns);
    }
  }
  expect(counts).toEqual({ "/projects": [9, 7, 5], "/search?q=Magazine": [10, 7, 5] });
});

withAndWithoutJavaScript((javaScript) => {
  test("sorts the list view by its columns, in both directions", { tag: "@list-columns" }, async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await addPictures(app, person, designId, ["fig", "bank", "clock"]);
    const actions = pageActions(page, javaScript);
    await actions.open(path);
    await page.getByRole("button", { name: "List", exact: true }).click();
    await expect(page.locator(".gallery-list")).toBeVisible();
    const names = () => page.getByRole("list", { name: "Images" }).locator("span[dir=auto]");
    const columns = page.getByRole("navigation", { name: "Sort by column" });
    await expect(names()).toHaveText([/fig/, /bank/, /clock/]);
    await columns.getByRole("link", { name: "Name" }).click();
    await expect(names()).toHaveText([/bank/, /clock/, /fig/]);
    await expect(columns.getByRole("link", { name: /^Name.*ascending/ })).toHaveAttribute("aria-current", "true");
    await columns.getByRole("link", { name: /^Name.*ascending/ }).click();
    await expect(names()).toHaveText([/fig/, /clock/, /bank/]);
    await columns.getByRole("link", { name: "Type" }).click();
    await expect(names()).toHaveText([/fig/, /bank/, /clock/]);
    await expectAccessible(page);
  });
});
