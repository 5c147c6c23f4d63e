import { randomUUID } from "node:crypto";
import type { Locator, Page } from "@playwright/test";
import { expect, hydrated, test } from "../../harness/test.ts";
import { chosen } from "../support/pictures.ts";

function keyboardUser(page: Page) {
  async function reach(control: Locator) {
    await expect(control).toBeVisible();
    for (let steps = 0; steps < 80; steps++) {
      if (await control.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Not reached by Tab: ${control.toString()}`);
  }
  return {
    reach,
    async press(control: Locator) {
      await reach(control);
      await page.keyboard.press("Enter");
    },
    async type(control: Locator, text: string) {
      await reach(control);
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
    },
  };
}

test("covers the whole flow from sign-up to sign-out by keyboard alone", async ({ page }) => {
  test.slow();
  const user = keyboardUser(page);
  const main = page.getByRole("main");
  await page.goto("/sign-up");
  await hydrated(page);
  await user.type(page.getByRole("textbox", { name: "Name", exact: true }), "Ada Lovelace");
  await user.type(page.getByRole("textbox", { name: "Email" }), `${randomUUID()}@example.com`);
  await user.type(page.getByRole("textbox", { name: "Password" }), "correct horse battery");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/projects");
  await expect(main.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
  await hydrated(page);

  for (const [thing, name] of [
    ["project", "Nightfall"],
    ["design", "Cover"],
  ] as const) {
    await user.press(main.getByRole("button", { name: `New ${thing}` }).first());
    const dialog = page.getByRole("dialog", { name: `New ${thing}` });
    await expect(dialog.getByRole("textbox", { name: "Name" })).toBeFocused();
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name, level: 1 })).toBeFocused();
  }

  const choosing = page.waitForEvent("filechooser");
  await user.press(main.getByRole("button", { name: "Add images" }).first());
  await (await choosing).setFiles([await chosen("fig")]);
  await expect(main.getByRole("link", { name: /^fig\.jpg/ })).toBeVisible();

  await user.type(main.getByRole("textbox", { name: "Name of the design" }), "Front");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Front", level: 1 })).toBeAttached();
  await user.press(main.getByRole("button", { name: "Delete design" }).first());
  await expect(page.getByRole("heading", { name: "Nightfall", level: 1 })).toBeFocused();

  await user.press(page.getByRole("button", { name: /^Ada Lovelace|Ada Lovelace/ }));
  await user.press(page.getByRole("group", { name: "You" }).getByRole("button", { name: "Log out" }));
  await expect(page).toHaveURL("/sign-in");
});
