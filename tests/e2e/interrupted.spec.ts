import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { picturePath } from "../fixtures/pictures.ts";
import { compareStored } from "../harness/stored.ts";
import { expect, hydrated, openBrowser, type RunningApp, signUp, test, toastsStand } from "../harness/test.ts";
import { deploymentAs, imagesIn, makeDesign } from "./pictures.ts";

/** What somebody sees whose browser is adding and changing things while the server or its deployment goes. */

const tray = (page: Page) => page.getByRole("region", { name: "Uploads" });
const row = (page: Page, name: string) => tray(page).getByRole("listitem").filter({ hasText: name });
const deploymentPid = (app: RunningApp) => Number([...app.output().matchAll(/"deploymentPid":(\d+)/g)].at(-1)?.[1]);

/** How long the deployment is kept from coming back, in ms (issue 6: ten seconds). */
const GONE_MS = 10_000;

test("a file that was on its way when the server was killed goes on where it was, by itself; what came whole is no leftover of a page that was left", async ({
  ownApp: app,
  browser,
}) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const page = await openBrowser(browser, app, person);
  await page.goto(path);
  await hydrated(page);
  const offsets: number[] = [];
  page.on("request", (request) => request.method() === "PATCH" && offsets.push(Number(request.headers()["upload-offset"])));

  // Slow enough to be killed on the way, in bytes a second.
  const network = await page.context().newCDPSession(page);
  const pace = (uploadThroughput: number) =>
    network.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await pace(40_000);
  await page.getByLabel("Add images").setInputFiles(picturePath("path"));
  await expect.poll(() => arrived(app), { intervals: [50] }).toBeGreaterThan(0);
  await app.kill();
  await expect(row(page, "path.jpg")).toContainText("It goes on by itself");
  await pace(-1);
  await app.start();

  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
  expect(offsets[0]).toBe(0);
  expect(offsets.at(-1)).toBeGreaterThan(0);
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["path.jpg"]);
  const stored = await compareStored(app);
  expect([stored.rowsWithoutBytes, stored.bytesWithoutRow]).toEqual([[], []]);

  // Of two files that have come whole one is an image when the page is left, the other is not even asked for; the page hears of neither.
  const made = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let finishes = 0;
  await page.route("**/uploads/*/finish", async (route) => {
    finishes++;
    if (finishes === 1) await route.fetch().then(() => made.resolve());
    else if (finishes === 2) asked.resolve();
    else await route.continue();
  });
  await page.getByLabel("Add images").setInputFiles([picturePath("fig"), picturePath("bank")]);
  await Promise.all([made.promise, asked.promise]);
  expect(await imagesIn(app, person, designId)).toHaveLength(2);
  await page.goto("/projects");
  await expect(tray(page).getByRole("heading")).toHaveText("2 images added");
  expect((await imagesIn(app, person, designId)).map(({ name }) => name).toSorted()).toEqual(["bank.png", "fig.jpg", "path.jpg"]);
  await page.reload();
  await hydrated(page);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("uploads")))).toEqual([]);
  await page.context().close();
});

test("while the deployment is gone for ten seconds that is told, changes and files wait, and none of them is lost", async ({
  ownApp: app,
  browser,
}) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person, "Before");
  const page = await openBrowser(browser, app, person);
  await page.goto(path);
  await hydrated(page);
  await toastsStand(page);
  const mark = page.getByRole("button", { name: /^(Offline|Reconnecting)/ });

  // It stays gone for the page in the moments in between too, until it is ended again.
  await page.route("**/readyz", (route) => route.fulfill({ status: 503 }));
  const gone = keepGone(app);
  await expect(mark).toHaveText(/Reconnecting/);
  await page.getByLabel("Add images").setInputFiles(picturePath("fig"));
  await page.getByLabel("Name of the design").fill("After");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("After");
  await gone;
  await page.unroute("**/readyz");

  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
  await expect(mark).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("After");
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["fig.jpg"]);
  expect((await compareStored(app)).rowsWithoutBytes).toEqual([]);
  // The page has shown the new name from the start; what counts is that the deployment has it before the page goes.
  const convex = await deploymentAs(app, person);
  await expect.poll(async () => (await convex.query(api.designs.getDesignById, { id: designId })).name).toBe("After");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("After");
  await page.context().close();
});

/** How many bytes of unfinished uploads the server has. */
async function arrived(app: RunningApp): Promise<number> {
  const folder = join(app.dataDir, "parts");
  const parts = (await readdir(folder)).filter((name) => name.endsWith(".part"));
  const sizes = await Promise.all(parts.map(async (name) => (await stat(join(folder, name))).size));
  return Math.max(0, ...sizes);
}

/** Ends the deployment each time that its server has started it again. */
async function keepGone(app: RunningApp): Promise<void> {
  const until = performance.now() + GONE_MS;
  let last = 0;
  await expect
    .poll(
      () => {
        const pid = deploymentPid(app);
        if (pid !== last) process.kill((last = pid), "SIGKILL");
        return performance.now() > until;
      },
      { intervals: [50] },
    )
    .toBe(true);
}
