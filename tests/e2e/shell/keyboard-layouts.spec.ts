import type { Page } from "@playwright/test";
import { expect, hydrated, test } from "../../harness/test.ts";

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
  // K's key on Dvorak types T; a key of an input method is ignored.
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
