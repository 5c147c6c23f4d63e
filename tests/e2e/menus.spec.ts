import { api } from "../../convex/_generated/api.js";
import { bothWays, expect, expectAccessible, type Person, type RunningApp, test } from "../harness/test.ts";
import { hands } from "./hands.ts";
import { deploymentAs } from "./pictures.ts";

async function withProjects(app: RunningApp, person: Person, ...names: string[]): Promise<Record<string, string>> {
  const convex = await deploymentAs(app, person);
  const made: Record<string, string> = {};
  for (const name of names) made[name] = await convex.mutation(api.projects.create, { name });
  return made;
}

bothWays((javaScript) => {
  test("a card's menu opens beside its button, one at a time, and closes to where it was asked for", async ({ page, app, person }) => {
    const ids = await withProjects(app, person, "One", "Two");
    const her = hands(page, javaScript);
    await her.open("/projects?sort=name");
    const button = (name: string) => page.getByRole("button", { name: `More for ${name}`, exact: true });
    const menu = (name: string) => page.getByRole("group", { name, exact: true });
    await expect(page.getByText("Duplicate")).toHaveCount(0);
    await expect(button("One")).toHaveAttribute("aria-expanded", "false");

    await button("One").click();
    await expect(menu("One")).toBeVisible();
    await expect(button("One")).toHaveAttribute("aria-expanded", "true");
    await expect(page).toHaveURL(javaScript ? "/projects?sort=name" : `/projects?sort=name&menu=${ids["One"]}#open-menu`);
    await expectAccessible(page);
    const [at, below] = [await button("One").boundingBox(), await menu("One").boundingBox()];
    expect(below?.y).toBeGreaterThanOrEqual((at?.y ?? 0) + (at?.height ?? 0) - 1);
    expect(Math.abs((below?.x ?? 0) + (below?.width ?? 0) - (at?.x ?? 0) - (at?.width ?? 0))).toBeLessThan(12);

    // What is above it is not cut off, and what is behind it is not reached.
    await menu("One").getByRole("link", { name: "Move to trash" }).click({ trial: true });
    if (javaScript) await page.keyboard.press("Escape");
    else await menu("One").getByRole("link", { name: "Close" }).click();
    await expect(menu("One")).toBeHidden();
    await expect(page).toHaveURL("/projects?sort=name");

    await button("Two").click();
    await expect(menu("Two")).toBeVisible();
    await expect(menu("One")).toBeHidden();
    await menu("Two").getByRole("link", { name: "Rename" }).click();
    await expect(page.getByRole("dialog", { name: "Rename project" })).toBeVisible();
    await expect(menu("Two")).toBeHidden();
    if (!javaScript) await expect(page).toHaveURL(`/projects?sort=name&rename=${ids["Two"]}`);
  });
});

test("by keyboard the menu is reached by Tab and gone through by arrows, and gives the focus back", async ({ page, app, person }) => {
  await withProjects(app, person, "One");
  await hands(page, true).open("/projects");
  const button = page.getByRole("button", { name: "More for One" });
  const items = page.getByRole("group", { name: "One", exact: true }).locator(".menu-item");
  await button.press("Enter");
  await expect(items.first()).toBeVisible();
  await expect(button).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(items.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(items.last()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(items.last()).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("Escape");
  await expect(items.first()).toBeHidden();
  await expect(button).toBeFocused();
  await expect(button).toHaveAttribute("aria-expanded", "false");

  await button.press("Enter");
  await expect(items.first()).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(items.first()).toBeFocused();
  // The button closes what it has opened, by key and by pointer.
  await button.click();
  await expect(items.first()).toBeHidden();
  await button.click();
  await expect(items.first()).toBeVisible();
  await button.press("Enter");
  await expect(items.first()).toBeHidden();
});

test("a menu that the server sent open goes on as the page's own, and leaves the address", async ({ page, app, person }) => {
  const ids = await withProjects(app, person, "One", "Two");
  await hands(page, true).open(`/projects?sort=name&menu=${ids["Two"]}`);
  const menu = page.getByRole("group", { name: "Two", exact: true });
  await expect(menu).toBeVisible();
  await expect(menu.getByRole("link", { name: "Close" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(page).toHaveURL("/projects?sort=name");
});
