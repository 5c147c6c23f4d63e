import { createHash } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs, imagesIn, makeDesign, replaceImageAndPicture } from "../e2e/support/pictures.ts";
import { tray } from "../e2e/support/uploads.ts";
import { type ChosenFile, noise } from "../fixtures/pictures.ts";
import { freePort, startApp } from "../harness/app.ts";
import { expect, hydrated, type Person, type RunningApp, signUp, test as base } from "../harness/test.ts";
import { startProxy } from "./running-proxy.ts";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

type Fixtures = { nginxSettings: string; ownApp: RunningApp };

const test = base.extend<Fixtures>({
  nginxSettings: ["", { option: true }],
  ownApp: async ({ nginxSettings }, use) => {
    const [port, target] = [await freePort(), await freePort()];
    const url = `http://localhost:${port}`;
    const configuration = `server { listen 443; ${nginxSettings} location / { proxy_pass http://127.0.0.1:3000; } }`;
    const nginx = await startProxy("nginx", { port, target, url, configuration });
    const app = await startApp({ PORT: `${target}`, APP_URL: url });
    await use(app);
    await app.dispose();
    await nginx.close();
  },
});

async function openPage(browser: Browser, url: string, person: Person, javaScriptEnabled = true): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, javaScriptEnabled });
  await context.addCookies(person.cookies);
  return context.newPage();
}

async function addFile(page: Page, path: string, file: ChosenFile): Promise<{ bytes: number; status: number | undefined }[]> {
  const chunks: Promise<{ bytes: number; status: number | undefined }>[] = [];
  page.on("requestfinished", (request) => {
    if (request.method() !== "PATCH") return;
    const bytes = async () => Number((await request.allHeaders())["content-length"]);
    chunks.push(Promise.all([bytes(), request.response()]).then(([sent, answer]) => ({ bytes: sent, status: answer?.status() })));
  });
  await page.goto(path);
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(file);
  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
  return Promise.all(chunks);
}

test("works without websockets, with one notice and one log line", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
  const [page, other] = [await openPage(browser, app.url, person), await openPage(browser, app.url, person)];
  await page.goto(`${path}/comments`);
  await other.goto(path);
  await hydrated(other);
  const notice = other.getByRole("button", { name: "Live updates may be slow" });
  await expect(notice).toHaveCount(1);
  await notice.click();
  await expect(other.getByRole("group", { name: "Live updates" })).toContainText("does not forward websockets");
  await other.keyboard.press("Escape");
  await other.getByRole("button", { name: "Dismiss notice" }).click();
  await expect(notice).toHaveCount(0);

  await hydrated(page);
  await page.getByLabel("New comment").fill("Crop the left edge");
  await page.getByRole("button", { name: "Send" }).first().click();
  await expect(page.getByLabel("New comment")).toHaveValue("");
  await expect(page.getByRole("paragraph").filter({ hasText: "Crop the left edge" })).toBeVisible();
  const convex = await deploymentAs(app, person);
  await convex.mutation(api.designImages.rename, { id: imageId, name: "Renamed.jpg" });
  await expect(other.getByRole("main").getByText("Renamed.jpg")).toBeVisible();
  await other.reload();
  await hydrated(other);
  await convex.mutation(api.designImages.rename, { id: imageId, name: "Again.jpg" });
  await expect(other.getByRole("main").getByText("Again.jpg")).toBeVisible();
  await expect(notice).toHaveCount(0);
  expect(app.output().match(/a proxy does not forward websockets/g)).toHaveLength(1);
  expect(app.output()).toContain("proxy_set_header Upgrade");
  for (const each of [page, other]) await each.context().close();
});

test("adds a photograph of 5 MB, and starts the next page at the size that passed", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const [first, second] = [await noise("first.png", 1300, 1300), await noise("second.png", 1300, 1300)];

  const page = await openPage(browser, app.url, person);
  const chunks = await addFile(page, path, first);
  expect(chunks.filter(({ status }) => status === 413).map(({ bytes }) => bytes)).toEqual([first.buffer.length, 4 << 20, 2 << 20]);
  const other = await openPage(browser, app.url, person);
  const later = await addFile(other, path, second);
  expect(later.map(({ status }) => status)).toEqual(later.map(() => 204));
  expect(Math.max(...later.map(({ bytes }) => bytes))).toBe(1 << 20);
  expect((await imagesIn(app, person, designId)).map(({ checksum }) => checksum)).toEqual(
    [first, second].map(({ buffer }) => sha256(buffer)),
  );

  const plain = await openPage(browser, app.url, person, false);
  await plain.goto(path);
  await expect(plain.getByText("One upload can have up to 1 MB in total")).toBeVisible();
  const small = await noise("small.png", 580, 590);
  await plain.getByLabel("Add images").setInputFiles(small);
  await plain.getByRole("button", { name: "Upload" }).click();
  await expect(plain.getByText("1 image added.")).toBeVisible();
});

test("adds a version and an account picture of 5 MB behind nginx with its defaults", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const [imageId] = await addPictures(app, person, designId, ["fig"]);
  const page = await openPage(browser, app.url, person);
  const large = await noise("large.png", 1300, 1300);
  await replaceImageAndPicture(page, `${path}/images/${imageId}`, large);
  expect((await imagesIn(app, person, designId)).map(({ checksum }) => checksum)).toEqual([sha256(large.buffer)]);
});

test.describe("with a smaller limit", () => {
  test.use({ nginxSettings: "client_max_body_size 300k;" });

  test("names the setting of a proxy that rejects even the smallest chunk", async ({ ownApp: app, browser }) => {
    const person = await signUp(app.url);
    const { path } = await makeDesign(app, person);
    const page = await openPage(browser, app.url, person);
    await page.goto(path);
    await hydrated(page);
    await page.getByLabel("Add images").setInputFiles(await noise("noise.png", 700, 700));
    await expect(tray(page).getByRole("alert")).toContainText("rejects requests of 524.3 kB");
    await expect(tray(page).getByRole("alert")).toContainText("client_max_body_size");
  });
});
