import { createHash } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { addPictures, imagesIn, makeDesign, replaceImageAndPicture } from "../e2e/support/pictures.ts";
import { type ChosenFile, noise } from "../fixtures/pictures.ts";
import { freePort } from "../harness/app.ts";
import { expect, hydrated, type Person, type RunningApp, signUp, test } from "../harness/test.ts";
import { startNginx } from "./nginx.ts";

const tray = (page: Page) => page.getByRole("region", { name: "Uploads" });
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

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

test.describe("behind nginx with its defaults", () => {
  let app: RunningApp;
  let person: Person;
  test.beforeEach(async ({ ownApp }) => {
    app = ownApp;
    person = await signUp(app.url);
  });

  test("adds a photograph of 5 MB, and starts the next page at the size that passed", async ({ browser }) => {
    const { designId, path } = await makeDesign(app, person);
    const nginx = await startNginx(await freePort(), app.port);
    const [first, second] = [await noise("first.png", 1300, 1300), await noise("second.png", 1300, 1300)];

    const page = await openPage(browser, nginx.url, person);
    const chunks = await addFile(page, path, first);
    expect(chunks.filter(({ status }) => status === 413).map(({ bytes }) => bytes)).toEqual([first.buffer.length, 4 << 20, 2 << 20]);
    const other = await openPage(browser, nginx.url, person);
    const later = await addFile(other, path, second);
    expect(later.map(({ status }) => status)).toEqual(later.map(() => 204));
    expect(Math.max(...later.map(({ bytes }) => bytes))).toBe(1 << 20);
    expect((await imagesIn(app, person, designId)).map(({ checksum }) => checksum)).toEqual(
      [first, second].map(({ buffer }) => sha256(buffer)),
    );

    const plain = await openPage(browser, nginx.url, person, false);
    await plain.goto(path);
    await expect(plain.getByText("One upload can have up to 1 MB in total")).toBeVisible();
    const small = await noise("small.png", 580, 590);
    await plain.getByLabel("Add images").setInputFiles(small);
    await plain.getByRole("button", { name: "Upload" }).click();
    await expect(plain.getByText("1 image added.")).toBeVisible();
    await nginx.close();
  });
});

test("adds a version and an account picture of 5 MB behind nginx with its defaults", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const [imageId] = await addPictures(app, person, designId, ["fig"]);
  const nginx = await startNginx(await freePort(), app.port);
  const page = await openPage(browser, nginx.url, person);
  const large = await noise("large.png", 1300, 1300);
  await replaceImageAndPicture(page, `${path}/images/${imageId}`, large);
  expect((await imagesIn(app, person, designId)).map(({ checksum }) => checksum)).toEqual([sha256(large.buffer)]);
  await nginx.close();
});

test("names the setting of a proxy that rejects even the smallest chunk", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { path } = await makeDesign(app, person);
  const nginx = await startNginx(await freePort(), app.port, "client_max_body_size 300k;");
  const page = await openPage(browser, nginx.url, person);
  await page.goto(path);
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(await noise("noise.png", 700, 700));
  await expect(tray(page).getByRole("alert")).toContainText("rejects requests of 524.3 kB");
  await expect(tray(page).getByRole("alert")).toContainText("client_max_body_size");
  await nginx.close();
});
