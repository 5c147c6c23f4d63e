import { randomUUID } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { launchOptions } from "../../harness/chromium.ts";
import { expect, hydrated, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { chosen } from "../support/pictures.ts";

/** Plain http is an insecure context: no `crypto.randomUUID`, `crypto.subtle`, `navigator.locks`, `navigator.clipboard` or passkeys. */
const ORIGIN = "http://atelier.test";

test("sign-up, uploads, reordering and live changes work over plain http", { tag: "@slow" }, async ({ launch, playwright }) => {
  const app = await launch({ APP_URL: ORIGIN });
  const browser = await browserFor(app, playwright.chromium);
  try {
    const messages: string[] = [];
    const page = await browser.newPage({ baseURL: ORIGIN });
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(String(error)));

    await page.goto("/sign-up");
    await hydrated(page);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByLabel("Email").fill(`${randomUUID()}@example.com`);
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
    await page.getByRole("button", { name: /sign up|create account/i }).click();
    await expect(page).toHaveURL("/projects");

    const actions = pageActions(page, true);
    const projectPath = await actions.makeProject("Nightfall");
    await actions.create("design", "Cover");
    await expect(page).toHaveURL(/\/design\//);
    await expect(page.getByRole("heading", { name: "Cover", level: 1 })).toBeAttached();

    const second = await browser.newPage({ baseURL: ORIGIN, storageState: await page.context().storageState() });
    await second.goto(page.url());
    await hydrated(second);

    await page.getByLabel("Add images").setInputFiles([await chosen("fig"), await chosen("bank")]);
    for (const each of [page, second]) await expect(imagesOn(each)).toHaveCount(2);
    const first = await imagesOn(second)
      .first()
      .getByRole("button", { name: /^Reorder/ })
      .getAttribute("aria-label");
    await page.getByRole("button", { name: String(first), exact: true }).focus();
    for (const key of ["Space", "End", "Space"]) await page.keyboard.press(key);
    await expect(
      imagesOn(second)
        .last()
        .getByRole("button", { name: String(first), exact: true }),
    ).toBeAttached();

    await actions.open(projectPath);
    await actions.renameInPlace("Daybreak");
    await expect(page.getByRole("heading", { name: "Daybreak", level: 1 })).toBeAttached();
    await actions.open("/account/security");
    await expect(page.getByText("Passkeys require HTTPS.")).toBeVisible();
    await page.getByRole("button", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await expect(page).toHaveURL("/sign-in");
    await hydrated(page);
    await expect(page.getByText("Passkeys require HTTPS.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Use a passkey" })).toHaveCount(0);
    expect(messages).toEqual([]);
  } finally {
    await browser.close();
  }
});

const imagesOn = (page: Page) => page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");

async function browserFor(app: RunningApp, chromium: { launch(options: object): Promise<Browser> }): Promise<Browser> {
  const options = await launchOptions();
  return chromium.launch({
    ...options,
    args: [...(options.args ?? []), `--host-resolver-rules=MAP atelier.test:80 127.0.0.1:${app.port}`],
  });
}
