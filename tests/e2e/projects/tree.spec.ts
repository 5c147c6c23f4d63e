import { randomUUID } from "node:crypto";
import { picturePath } from "../../fixtures/pictures.ts";
import { expect, hydrated, test } from "../../harness/test.ts";
import { byTree } from "./tree.ts";

test("the main flow works through the accessibility tree alone", async ({ page }) => {
  test.slow();
  await page.goto("/sign-up");
  await hydrated(page);
  const she = await byTree(page);
  const main = { role: "main", name: "" };
  await she.type("Name", "Ada Lovelace");
  await she.type("Email", `${randomUUID()}@example.com`);
  await she.type(/^Password/, "correct horse battery");
  await she.press("button", /^(Sign up|Create account)/);
  await she.hears("heading", "Projects");
  await hydrated(page);

  for (const [thing, name] of [
    ["project", "Nightfall"],
    ["design", "Cover"],
  ] as const) {
    await she.press("button", `New ${thing}`, main);
    const dialog = { role: "dialog", name: `New ${thing}` };
    await she.type("Name", name, dialog);
    await she.press("button", `Create ${thing}`, dialog);
    await she.hears("heading", name);
    await expect.poll(() => she.focus()).toBe(`heading ${name}`);
  }

  await test.step("adds an image and opens it", async () => {
    await she.choose(/^Add images/, [picturePath("fig")]);
    await she.hears("link", /^fig\.jpg/, main);
    await she.press("link", /^fig\.jpg/, main);
    await she.hears("image", "fig.jpg");
    await she.type("Name of the image", "Figs");
    await page.keyboard.press("Enter");
    await she.hears("heading", "Figs");
    await she.press("link", /^(Close|Back)/);
    await she.hears("link", /^Figs/, main);
  });

  await test.step("renames, trashes and restores", async () => {
    await she.type("Name of the design", "Front");
    await page.keyboard.press("Enter");
    await she.hears("heading", "Front");
    await she.press("button", "Delete design");
    await she.hears("heading", "Nightfall");
    await she.misses("link", "Front");
    await she.press("link", "Trash");
    await she.press("button", "Restore: Front");
    await she.press("link", "Nightfall");
    await she.hears("link", "Front", main);
  });

  await she.press("button", /Ada Lovelace/);
  await she.press("button", "Log out");
  await she.hears("heading", /Sign in/);
});
