import { randomUUID } from "node:crypto";
import { expect, test } from "@playwright/test";
import { pageActions } from "../e2e/support/page-actions.ts";
import { chosen } from "../e2e/support/pictures.ts";
import { freePort } from "../harness/app.ts";
import { signUp } from "../harness/people.ts";
import { type Container, engine, ready, startContainer } from "./container-engine.ts";

const IMAGE = process.env.CONTAINER_IMAGE ?? "";

let container: Container;
let volume: string;
test.beforeAll(async () => {
  volume = await engine("volume", "create");
  container = await startContainer({ image: IMAGE, data: volume, port: await freePort() });
  await ready(container);
});
test.afterAll(async () => {
  await container.remove();
  await engine("volume", "rm", volume);
});

for (const javaScriptEnabled of [true, false]) {
  test(`the main flow works ${javaScriptEnabled ? "with" : "without"} JavaScript`, async ({ browser }) => {
    const { url } = container;
    const person = await signUp(url, "Ada", `${randomUUID()}@example.com`);
    const context = await browser.newContext({ baseURL: url, javaScriptEnabled });
    await context.addCookies(person.cookies);
    const page = await context.newPage();
    const actions = pageActions(page, javaScriptEnabled);
    await actions.open("/projects");
    await actions.create("project", "Spring");
    await expect(page.getByRole("heading", { name: "Spring" })).toBeVisible();
    await actions.ready();
    await actions.create("design", "Cover");
    await expect(page.getByRole("heading", { name: "Cover" })).toBeVisible();
    await actions.ready();
    await page.getByLabel("Add images").setInputFiles([await chosen("fig")]);
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
    const picture = page.getByRole("main").getByRole("img").first();
    await expect(picture).toBeVisible();
    const address = await page.getByRole("main").locator("img").first().getAttribute("src");
    expect((await page.request.get(address ?? "")).headers()["content-type"]).toMatch(/^image\/(?:avif|webp)$/);
    await actions.open("/account");
    await expect(page.getByRole("heading", { name: "Account", exact: true })).toBeVisible();
    await context.close();
  });
}
