import type { Page } from "@playwright/test";
import { expect, hydrated, test } from "../../harness/test.ts";
import { addPictures, chosen, makeDesign } from "../support/pictures.ts";

const press = (page: Page, key: string, code: string, more: { ctrlKey?: boolean; shiftKey?: boolean; isComposing?: boolean } = {}) =>
  page.evaluate(
    ([init]) => document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init })),
    [{ key, code, ...more }],
  );

test("shortcuts follow key positions without Latin letters, and letters on Dvorak", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  await page.goto("/projects");
  await hydrated(page);
  const palette = page.getByRole("dialog", { name: "Commands" });
  for (const [key, code] of [
    ["л", "KeyK"],
    ["κ", "KeyK"],
    ["ל", "KeyK"],
    ["ن", "KeyK"],
    ["k", "KeyV"],
  ] as const) {
    await press(page, key, code, { ctrlKey: true });
    await expect(palette, key).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(palette).toBeHidden();
  }
  await press(page, "t", "KeyK", { ctrlKey: true });
  await press(page, "k", "KeyK", { ctrlKey: true, isComposing: true });
  await expect(palette).toBeHidden();

  const sidebar = async () => (await page.context().cookies()).find(({ name }) => name === "sidebar_state")?.value;
  const before = await sidebar();
  await press(page, "и", "KeyB", { ctrlKey: true });
  await expect.poll(sidebar).not.toBe(before);
  await press(page, "؟", "Slash", { shiftKey: true });
  await expect(page).toHaveURL("/shortcuts");
});

test("undo and the viewer's single keys follow key positions without Latin letters", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const [imageId] = await addPictures(app, person, designId, [await chosen("fig")]);
  await page.goto(path);
  await hydrated(page);
  const images = page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");
  const layouts = { Russian: ["я", "ш"], Greek: ["ζ", "ι"], Hebrew: ["ז", "ן"], Arabic: ["ئ", "ه"] };
  for (const [layout, [undo = ""]] of Object.entries(layouts)) {
    await images.getByRole("link").first().focus();
    await page.keyboard.press("Delete");
    await expect(images, layout).toHaveCount(0);
    await press(page, undo, "KeyZ", { ctrlKey: true });
    await expect(images, layout).toHaveCount(1);
  }
  await page.goto(`${path}/images/${imageId}`);
  await hydrated(page);
  const details = page.locator(".viewer-side").getByText("SHA-256");
  await expect(details).toBeHidden();
  for (const [layout, [, info = ""]] of Object.entries(layouts)) {
    await press(page, info, "KeyI");
    await expect(details, layout).toBeVisible();
    await press(page, "i", "KeyI", { isComposing: true });
    await expect(details, layout).toBeVisible();
    await press(page, info, "KeyI");
    await expect(details, layout).toBeHidden();
  }
});
