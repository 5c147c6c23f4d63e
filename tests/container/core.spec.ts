import { randomUUID } from "node:crypto";
import { expect, test } from "@playwright/test";
import { pageActions } from "../e2e/support/page-actions.ts";
import { chosen } from "../e2e/support/pictures.ts";
import { signUp } from "../harness/people.ts";

/** Run by `npm run test:container` only; the suite covers the same in more detail. */
const url = process.env.CONTAINER_URL ?? "";
test.skip(url === "", "npm run test:container says where it runs");

for (const javaScriptEnabled of [true, false]) {
  test(`the main flow, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async ({ browser }) => {
    const person = await signUp(url, "Ada", `${randomUUID()}@example.com`);
    const context = await browser.newContext({ baseURL: url, javaScriptEnabled });
    await context.addCookies(person.cookies);
    const page = await context.newPage();
    const her = pageActions(page, javaScriptEnabled);
    await her.open("/projects");
    await her.create("project", "Spring");
    await expect(page.getByRole("heading", { name: "Spring" })).toBeVisible();
    await her.ready();
    await her.create("design", "Cover");
    await expect(page.getByRole("heading", { name: "Cover" })).toBeVisible();
    await her.ready();
    await page.getByLabel("Add images").setInputFiles([await chosen("fig")]);
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
    const picture = page.getByRole("main").getByRole("img").first();
    await expect(picture).toBeVisible();
    const address = await page.getByRole("main").locator("img").first().getAttribute("src");
    expect((await page.request.get(address ?? "")).headers()["content-type"]).toMatch(/^image\/(?:avif|webp)$/);
    await her.open("/account");
    await expect(page.getByRole("heading", { name: "Account", exact: true })).toBeVisible();
    await context.close();
  });
}
