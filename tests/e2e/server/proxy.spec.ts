import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { noise } from "../../fixtures/pictures.ts";
import { freePort } from "../../harness/app.ts";
import { BALANCED } from "../../harness/balanced.ts";
import { reject, startProxy } from "../../harness/proxies/proxy.ts";
import { expect, hydrated, signUp, test } from "../../harness/test.ts";
import { addPictures, imagesIn, makeDesign, replaceImageAndPicture } from "../support/pictures.ts";
import { openDetails, tray } from "../support/uploads.ts";

const MIB = 1024 * 1024;
const bytesOf = ({ headers }: IncomingMessage) => Number(headers["content-length"] ?? 0);

test("uploads in chunks that a proxy accepts, and sends only a failed chunk again", { tag: "@slow" }, async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const chunks: { from: number; bytes: number; status: number }[] = [];
  let failing = true;
  const proxy = await startProxy({
    port: await freePort(),
    target: () => app.port,
    intercept(request, response) {
      if (request.method !== "PATCH") return false;
      const from = Number(request.headers["upload-offset"]);
      const status = bytesOf(request) > MIB ? 413 : from > 0 && failing ? 502 : 200;
      if (status === 502) failing = false;
      chunks.push({ from, bytes: bytesOf(request), status });
      return status !== 200 && reject(request, response, status);
    },
  });
  const open = async (javaScriptEnabled: boolean) => {
    const context = await browser.newContext({ baseURL: proxy.url, javaScriptEnabled });
    await context.addCookies(person.cookies);
    return context.newPage();
  };
  const add = async (name: string) => {
    const page = await open(true);
    await page.goto(path);
    await hydrated(page);
    await page.getByLabel("Add images").setInputFiles(await noise(name, 900, 900));
    await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
    await page.context().close();
    return chunks.splice(0);
  };

  const first = await add("first.png");
  const size = first[0]?.bytes ?? 0;
  expect(first).toEqual([
    { from: 0, bytes: size, status: 413 },
    { from: 0, bytes: 2 * MIB, status: 413 },
    { from: 0, bytes: MIB, status: 200 },
    { from: MIB, bytes: MIB, status: 502 },
    { from: MIB, bytes: MIB, status: 200 },
    { from: 2 * MIB, bytes: size - 2 * MIB, status: 200 },
  ]);
  expect((await add("second.png")).map(({ bytes }) => bytes)).toEqual([MIB, MIB, size - 2 * MIB]);
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["first.png", "second.png"]);

  const page = await open(false);
  await page.goto(path);
  await expect(page.getByText("One upload can have up to 1 MB in total")).toBeVisible();
  await proxy.close();
});

test("uploads a new version and an account picture in chunks", { tag: "@slow" }, async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const [imageId] = await addPictures(app, person, designId, ["fig"]);
  const rejected: number[] = [];
  const proxy = await startProxy({
    port: await freePort(),
    target: () => app.port,
    intercept(request, response) {
      if (bytesOf(request) <= MIB) return false;
      rejected.push(bytesOf(request));
      return reject(request, response, 413);
    },
  });
  const context = await browser.newContext({ baseURL: proxy.url });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  const large = await noise("large.png", 900, 900);
  await replaceImageAndPicture(page, `${path}/images/${imageId}`, large);
  const [image] = await imagesIn(app, person, designId);
  expect(image?.checksum).toBe(createHash("sha256").update(large.buffer).digest("hex"));
  expect(rejected).toEqual([large.buffer.length, 2 * MIB]);
  expect((await readdir(join(app.dataDir, "parts"))).filter((name) => name.endsWith(".part"))).toEqual([]);
  await proxy.close();
});

test("explains errors of a proxy, with the settings that the operator must change", async ({ app, person, page }) => {
  test.skip(BALANCED, "behind a balancer APP_URL is the name, so the proxy's address is another site");
  const { path } = await makeDesign(app, person);
  let status = 413;
  const proxy = await startProxy({
    port: await freePort(),
    target: () => app.port,
    intercept: (request, response) => request.method === "PATCH" && status !== 200 && reject(request, response, status),
  });
  await page.goto(proxy.url + path);
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(await noise("noise.png", 500, 500));
  await expect(tray(page).getByRole("alert")).toContainText("client_max_body_size");
  status = 502;
  await openDetails(page);
  await page.getByRole("button", { name: "Try again: noise.png" }).click();
  await expect(tray(page).getByRole("listitem")).toContainText("A proxy in front of the server receives no response.");
  status = 200;
  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
  await proxy.close();
});
