import type { Page } from "@playwright/test";
import { expect, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { controlConnection } from "../support/controlled-connection.ts";

const focused = (page: Page) => page.locator(":focus");
const announced = (page: Page) => page.locator("[data-announcer]");

test("the focus follows navigation, back, dialogs and deletions", { tag: "@slow" }, async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const connection = await controlConnection(page);
  for (const name of ["One", "Two", "Three"]) await she.makeProject(name);
  await she.open("/projects");
  await connection.live();

  await test.step("the skip link skips the sidebar", async () => {
    await page.keyboard.press("Tab");
    await expect(focused(page)).toHaveText("Skip to content");
    await page.keyboard.press("Enter");
    await expect(page.locator("main")).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(focused(page)).toHaveAttribute("aria-label", "Small images");
  });

  await test.step("a navigation focuses the heading and announces the title", async () => {
    await page.getByRole("main").getByRole("link", { name: "Two" }).press("Enter");
    await expect(page.getByRole("heading", { name: "Two", level: 1 })).toBeFocused();
    await expect(announced(page)).toHaveText("Two · Atelier");
    await page.getByRole("complementary").getByRole("link", { name: "Three" }).press("Enter");
    await expect(page.getByRole("heading", { name: "Three", level: 1 })).toBeFocused();
    await expect(announced(page)).toHaveText("Three · Atelier");
  });

  await test.step("going back focuses the link that was followed", async () => {
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Two", level: 1 })).toBeFocused();
    await page.goBack();
    await expect(page.getByRole("main").getByRole("link", { name: "Two" })).toBeFocused();
  });

  await test.step("query parameters and typing in the search keep the focus", async () => {
    const search = page.getByRole("searchbox").first();
    await search.click();
    await page.keyboard.type("Thr");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/search\?q=Thr/);
    await expect(page.getByRole("heading", { name: "Search", level: 1 })).toBeVisible();
    await expect(focused(page)).toHaveRole("combobox");
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
  });

  await test.step("a dialog returns the focus", async () => {
    await page.getByRole("button", { name: "New project" }).press("Enter");
    await expect(she.dialog("New project").getByLabel("Name")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "New project" })).toBeFocused();
    const more = page.getByRole("button", { name: "More for Two" });
    await more.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(she.dialog("Rename project").getByLabel("Name")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(more).toBeFocused();
  });

  await test.step("a deletion focuses the next item, or the heading after the last one", async () => {
    await she.removeCard("Two");
    await expect(page.getByRole("main").getByRole("link", { name: "One" })).toBeFocused();
    await she.removeCard("One");
    await expect(page.getByRole("main").getByRole("link", { name: "Three" })).toBeFocused();
    const other = pageActions(await otherBrowser(person), true);
    await other.open("/projects");
    await other.removeCard("Three");
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeFocused();
  });
});
