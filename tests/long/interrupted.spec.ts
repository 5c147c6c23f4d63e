import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { api } from "../../convex/_generated/api.js";
import { picturePath } from "../fixtures/pictures.ts";
import { deploymentPidIn } from "../harness/processes.ts";
import { compareStored } from "../harness/stored.ts";
import { expect, hydrated, openBrowser, type RunningApp, signUp, test, toasterReady } from "../harness/test.ts";
import { deploymentAs, imagesIn, makeDesign } from "../e2e/support/pictures.ts";
import { queuedFiles, tray } from "../e2e/support/uploads.ts";

const GONE_MS = 10_000;

test("resumes an upload after the server is killed, also from a page that was left", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const page = await openBrowser(browser, app, person);
  await page.goto(path);
  await hydrated(page);
  const offsets: number[] = [];
  page.on("request", (request) => request.method() === "PATCH" && offsets.push(Number(request.headers()["upload-offset"])));

  const network = await page.context().newCDPSession(page);
  const pace = (uploadThroughput: number) =>
    network.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await pace(40_000);
  await page.getByLabel("Add images").setInputFiles(picturePath("path"));
  await expect.poll(() => arrived(app), { intervals: [50] }).toBeGreaterThan(0);
  await app.kill();
  await expect(tray(page).getByRole("heading")).toHaveText("Waiting for connection");
  await pace(-1);
  await app.start();

  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
  expect(offsets[0]).toBe(0);
  expect(offsets.at(-1)).toBeGreaterThan(0);
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["path.jpg"]);
  const stored = await compareStored(app);
  expect([stored.rowsWithoutBytes, stored.bytesWithoutRow]).toEqual([[], []]);

  const made = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  let finishes = 0;
  await page.route("**/uploads/*/finish", async (route) => {
    finishes++;
    if (finishes === 1) await route.fetch().then(() => made.resolve());
    else if (finishes === 2) requested.resolve();
    else await route.continue();
  });
  await page.getByLabel("Add images").setInputFiles([picturePath("fig"), picturePath("bank")]);
  await Promise.all([made.promise, requested.promise]);
  expect(await imagesIn(app, person, designId)).toHaveLength(2);
  await page.goto("/projects");
  await expect(tray(page).getByRole("heading")).toHaveText("2 images added");
  expect((await imagesIn(app, person, designId)).map(({ name }) => name).toSorted()).toEqual(["bank.png", "fig.jpg", "path.jpg"]);
  await page.reload();
  await hydrated(page);
  expect(await queuedFiles(page)).toEqual([]);
  await page.context().close();
});

test("reports a ten-second outage; changes and files wait without loss", async ({ ownApp: app, browser }) => {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person, "Before");
  const page = await openBrowser(browser, app, person);
  await page.goto(path);
  await hydrated(page);
  await toasterReady(page);
  const mark = page.getByRole("button", { name: /^(Offline|Reconnecting)/ });

  await page.route("**/readyz", (route) => route.fulfill({ status: 503 }));
  const gone = keepDeploymentDown(app);
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
  const convex = await deploymentAs(app, person);
  await expect.poll(async () => (await convex.query(api.designs.getDesignById, { id: designId })).name).toBe("After");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("After");
  await page.context().close();
});

async function arrived(app: RunningApp): Promise<number> {
  const folder = join(app.dataDir, "parts");
  const parts = (await readdir(folder)).filter((name) => name.endsWith(".part"));
  const sizes = await Promise.all(parts.map(async (name) => (await stat(join(folder, name))).size));
  return Math.max(0, ...sizes);
}

async function keepDeploymentDown(app: RunningApp): Promise<void> {
  const until = performance.now() + GONE_MS;
  let last = 0;
  await expect
    .poll(
      () => {
        const pid = deploymentPidIn(app.output());
        if (pid !== last) process.kill((last = pid), "SIGKILL");
        return performance.now() > until;
      },
      { intervals: [50] },
    )
    .toBe(true);
}
