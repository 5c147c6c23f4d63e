import { randomUUID } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { picturePath } from "../../fixtures/pictures.ts";
import { launchOptions } from "../../harness/chromium.ts";
import { expect, hydrated, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { chosen } from "../support/pictures.ts";
import { tray } from "../support/uploads.ts";

/** Plain http is an insecure context: no `crypto.randomUUID`, `crypto.subtle`, `navigator.locks`, `navigator.clipboard` or passkeys. */
const ORIGIN = "http://atelier.test";

async function open(app: RunningApp, chromium: { launch(options: object): Promise<Browser> }) {
  const browser = await browserFor(app, chromium);
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
  return { browser, page, messages, actions: pageActions(page, true) };
}

test("plain http: sign up, make, upload, reorder, follow live, sign out", async ({ launch, playwright }) => {
  const app = await launch({ APP_URL: ORIGIN });
  const { browser, page, messages, actions } = await open(app, playwright.chromium);
  try {
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

test("plain http: menus, picker, copies, undo, an outage, search and sharing", async ({ launch, playwright }) => {
  const app = await launch({ APP_URL: ORIGIN });
  const { browser, page, messages, actions } = await open(app, playwright.chromium);
  try {
    const project = await actions.makeProject("Nightfall");
    const made: string[] = [];
    for (const name of ["Cover", "Back"]) {
      await actions.open(project);
      await actions.create("design", name);
      await expect(page.getByRole("heading", { name, level: 1 })).toBeAttached();
      made.push(new URL(page.url()).pathname);
    }
    const [cover = "", back = ""] = made;
    const link = (name: string) => imagesOn(page).filter({ hasText: name }).getByRole("link").first();

    await test.step("an upload goes on after an outage", async () => {
      await actions.open(cover);
      const network = await page.context().newCDPSession(page);
      const pace = (uploadThroughput: number) =>
        network.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
      await pace(40_000);
      const sent = page.waitForRequest((request) => request.method() === "PATCH");
      await page.getByLabel("Add images").setInputFiles([picturePath("path"), picturePath("bank")]);
      await sent;
      await app.kill();
      await expect(tray(page).getByRole("heading")).toHaveText("Waiting for connection");
      await pace(-1);
      await app.start();
      await expect(tray(page).getByRole("heading")).toHaveText("2 images added");
      await expect(imagesOn(page)).toHaveCount(2);
    });

    await test.step("a card's menu, the picker and undo", async () => {
      await actions.open(cover);
      await link("path.jpg").click({ button: "right" });
      await page.getByRole("group", { name: "path.jpg", exact: true }).getByRole("link", { name: "Move to…" }).click();
      await actions.copyTo("Back");
      await expect(page.getByText("1 image copied")).toBeVisible();
      await actions.open(back);
      await expect(imagesOn(page)).toHaveCount(1);
      await link("path.jpg").focus();
      await page.keyboard.press("Delete");
      await expect(imagesOn(page)).toHaveCount(0);
      await page.keyboard.press("Control+z");
      await expect(imagesOn(page)).toHaveCount(1);
    });

    await test.step("copy and paste", async () => {
      await actions.open(cover);
      await link("bank.png").focus();
      await page.keyboard.press("Control+c");
      await expect(page.getByText("1 image copied. Paste into a design.")).toBeVisible();
      await actions.open(back);
      await page.keyboard.press("Control+v");
      await expect(imagesOn(page)).toHaveCount(2);
    });

    await test.step("the command menu", async () => {
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Commands" });
      await palette.getByRole("combobox").fill("cover");
      await expect(palette.getByRole("option").first()).toHaveText("CoverNightfall");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(cover);
    });

    await test.step("the page of shared files", async () => {
      await actions.open("/share/images");
      await expect(page.getByText("No shared images")).toBeVisible();
    });
    expect(messages.filter((message) => !/ERR_(CONNECTION|EMPTY_RESPONSE)|WebSocket/.test(message))).toEqual([]);
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
