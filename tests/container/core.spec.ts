import { randomUUID } from "node:crypto";
import { type Browser, expect, test } from "@playwright/test";
import { pageActions } from "../e2e/support/page-actions.ts";
import { chosen } from "../e2e/support/pictures.ts";
import { freePort } from "../harness/app.ts";
import { signUp } from "../harness/people.ts";
import { composed, docker } from "./compose.ts";
import { engine, ready, startContainer } from "./container-engine.ts";

const IMAGE = process.env.CONTAINER_IMAGE ?? "";

async function followMainFlow(browser: Browser, url: string, javaScriptEnabled: boolean): Promise<void> {
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
}

test("the main flow works in a container, with and without JavaScript", { tag: "@container-main-flow" }, async ({ browser }) => {
  const volume = await engine("volume", "create");
  const container = await startContainer({ image: IMAGE, data: volume, port: await freePort() });
  try {
    await ready(container);
    for (const javaScriptEnabled of [true, false]) await followMainFlow(browser, container.url, javaScriptEnabled);
  } finally {
    await container.remove();
    await engine("volume", "rm", volume);
  }
});

test("compose.yaml starts a healthy app, in which the main flow works", { tag: "@compose-main-flow" }, async ({ browser }) => {
  const port = await freePort();
  const project = await composed(IMAGE, { APP_PORT: `${port}` });
  try {
    await project.compose("--profile", "embedded", "up", "--detach");
    const [container = ""] = await project.containers("atelier");
    await expect(async () => expect(await docker("inspect", "--format={{.State.Health.Status}}", container)).toBe("healthy")).toPass();
    for (const javaScriptEnabled of [true, false]) await followMainFlow(browser, `http://localhost:${port}`, javaScriptEnabled);
    expect(await docker("inspect", "--format={{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}", container)).toBe("true [ALL]");
  } finally {
    await project.down();
  }
});
