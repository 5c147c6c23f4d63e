import type { Page } from "@playwright/test";
import { expect, hydrated, test, toasterReady } from "../../harness/test.ts";
import { recordDelays } from "../support/delays.ts";
import { type PageActions, pageActions, stored } from "../support/page-actions.ts";
import { controlConnection } from "../support/controlled-connection.ts";
import { addPictures, makeDesign } from "../support/pictures.ts";

/** Specification 9: the official client's own values, in ms. */
const CLIENT = { backoff: [1000, 2000, 4000, 8000, 16_000, 16_000], longDisconnect: 60_000, prewarm: 5000 };
const LEAVE = "Are you sure you want to leave? Your changes may not be saved.";

const mark = (page: Page) => page.getByRole("button", { name: /^(Offline|Reconnecting)/ });

test.use({ saveData: false, allowedErrors: [/ERR_INTERNET_DISCONNECTED/] });

const asksToStay = (page: Page) =>
  page.evaluate(() => {
    const leaving = document.createEvent("BeforeUnloadEvent");
    leaving.initEvent("beforeunload", false, true);
    dispatchEvent(leaving);
    return leaving.defaultPrevented ? String(Reflect.get(leaving, "returnValue")) : null;
  });

test(
  "a lost connection is shown, changes wait, and leaving needs confirmation",
  { tag: "@lost-connection-shown-changes-wait-leaving" },
  async ({ page, person, app, context }) => {
    test.slow();
    const she = pageActions(page, true);
    const connection = await controlConnection(page);
    const scripts = new Set<string>();
    page.on("request", (request) => scripts.add(request.url()));
    await page.clock.install();
    const delays = await recordDelays(page);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    await connection.live();
    await toasterReady(page);
    await expect(mark(page)).toHaveCount(0);
    expect(await asksToStay(page)).toBeNull();
    const reported = page.waitForRequest((request) => request.url().endsWith("/api/debug_event"), { timeout: 0 });

    await test.step("prefetched queries keep the client's own lifetime", async () => {
      const client = [...scripts].filter((url) => /\/assets\/live-[\w-]+\.js$/.test(url));
      const texts = await Promise.all(client.map(async (url) => (await page.request.get(url)).text()));
      const library = texts.find((text) => text.includes("extendSubscriptionFor"));
      const [, name = ""] = /\.extendSubscriptionFor\?\?([\w$]+)/.exec(library ?? "") ?? [];
      const [, value = name] = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}=(\\d+(?:e\\d+)?)\\b`).exec(library ?? "") ?? [];
      expect(Number(value)).toBe(CLIENT.prewarm);
    });

    await test.step("a short loss is not reported", async () => {
      await page.clock.pauseAt(Date.now() + 10_000);
      // Removes the jitter, but only now, because the client derives its session id from Math.random.
      await page.evaluate(() => void (Math.random = () => 0.5));
      await connection.cut();
      await page.clock.runFor(900);
      await expect(mark(page)).toHaveCount(0);
    });

    await test.step("reconnects at the client's own intervals", async () => {
      for (const ms of CLIENT.backoff) await page.clock.runFor(ms);
      const seen = (await delays()).filter((ms) => CLIENT.backoff.includes(ms));
      expect(seen.join()).toContain(CLIENT.backoff.slice(0, 5).join());
      await expect(mark(page)).toHaveText(/Reconnecting.*attempt \d/);
      await mark(page).click();
      const details = page.getByRole("group", { name: "Connection" });
      await expect(details).toContainText("Connectedno");
      await expect(details).toContainText("Connected beforeyes");
      await expect(details).toContainText("Connections1");
      await expect(details).toContainText(/Retries\d/);
      await expect(details).toContainText("Pending0 changes, 0 actions");
      await expect(details).toContainText("Oldest pendingnone");
      await page.keyboard.press("Escape");
    });

    await test.step("changes wait while the network is down", async () => {
      await context.setOffline(true);
      await expect(mark(page)).toHaveText(/Offline/);
      await she.renameCard("project", "Nightfall", "Daybreak");
      await expect(she.cards).toHaveText(["Daybreak"]);
      await expect(mark(page)).toHaveText(/Offline.*1 change pending/);
      expect(await asksToStay(page)).toBe(LEAVE);
      await expect(page.getByRole("main").getByRole("listitem").filter({ hasText: "Daybreak" }).getByText("Not saved yet")).toBeVisible();
      await she.create("project", "Harbour");
      await expect(she.cards).toHaveText(["Harbour", "Daybreak"]);
      await mark(page).click();
      await expect(page.getByRole("group", { name: "Connection" })).toContainText(/Pending2 changes, 0 actions.*Oldest pending\d/);
      await page.keyboard.press("Escape");
      expect(await stored(app, person)).toEqual([{ name: "Nightfall", designs: [] }]);
    });

    await test.step("navigation without a network keeps the page", async () => {
      await page.getByRole("complementary").getByRole("link", { name: "Daybreak" }).click();
      // The toast's timer starts after the rejected navigation, so the clock advances until it shows.
      await expect(async () => {
        await page.clock.runFor(20);
        await expect(page.getByText("You're offline. Links work again when the connection is back.")).toBeVisible({ timeout: 200 });
      }).toPass({ timeout: 60_000 });
      await expect(page).toHaveURL("/projects");
      await page.clock.runFor(5_000);
    });

    await test.step("reports a request in flight for more than a minute", async () => {
      await page.clock.runFor(CLIENT.longDisconnect + 1000);
      await she.create("project", "Pier");
      expect((await reported).postDataJSON()).toEqual({ event: "LongWebsocketDisconnect" });
    });

    await test.step("pending changes are sent once and in order", async () => {
      connection.restore();
      await page.clock.resume();
      await context.setOffline(false);
      const names = async () => (await stored(app, person)).map(({ name }) => name);
      await expect.poll(names).toEqual(["Pier", "Harbour", "Daybreak"]);
      await expect(page).toHaveURL(/\/projects\/[a-z0-9]{32}$/);
      await expect(mark(page)).toHaveCount(0);
      await expect.poll(() => asksToStay(page)).toBeNull();
      await expect(page.getByText("Not saved yet")).toHaveCount(0);
      await page.getByRole("complementary").getByRole("link", { name: "Projects", exact: true }).click();
      await expect(page).toHaveURL("/projects");
      await she.create("project", "Quay");
      await expect(page.getByRole("heading", { name: "Quay", level: 1 })).toBeAttached();
    });
  },
);

test("shows that the browser is offline and stays usable", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const connection = await controlConnection(page);
  await connection.cut();
  await page.clock.install();
  await page.goto("/projects");
  await hydrated(page);
  await page.clock.runFor(7_000);
  await expect(mark(page)).toHaveText(/Reconnecting/);
  await pageActions(page, true).create("project", "Nightfall");
  await expect(page).toHaveURL(/\/projects\/./);
});

test("follows links of a browser that wrongly reports to be offline", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "onLine", { get: () => false }));
  await page.goto("/projects");
  await hydrated(page);
  await toasterReady(page);
  await page.getByRole("complementary").getByRole("link", { name: "Trash" }).click();
  await expect(page).toHaveURL("/trash");
});

test("is live again within 3 s of the connection's return", async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const connection = await controlConnection(page);
  await page.clock.install();
  await she.open("/projects");
  await connection.live();
  await connection.cut();
  for (const ms of CLIENT.backoff) await page.clock.runFor(ms);
  const other = pageActions(await otherBrowser(person), true);
  await other.makeProject("Nightfall");
  await page.clock.pauseAt(Date.now() + 600_000);
  await expect(mark(page)).toHaveText(/Reconnecting/);
  connection.restore();
  await advanceUntilCards(page, she);
  await expect(she.cards).toHaveText(["Nightfall"]);
});

test("replaces a connection that died silently within 3 s of use", async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const connection = await controlConnection(page);
  await page.clock.install();
  await she.open("/projects");
  await connection.live();
  await page.clock.runFor(6_000);
  await expect.poll(connection.heartbeats).toBeGreaterThan(0);
  connection.silence();
  const other = pageActions(await otherBrowser(person), true);
  await other.makeProject("Nightfall");
  await page.clock.runFor(1_100);
  await page.evaluate(() => dispatchEvent(new Event("pointerdown")));
  await advanceUntilCards(page, she);
  await expect(she.cards).toHaveText(["Nightfall"]);
});

test("replaces a connection that is open but dead after sleep", async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const connection = await controlConnection(page);
  await she.open("/projects");
  await connection.live();
  connection.silence();
  const other = pageActions(await otherBrowser(person), true);
  await other.makeProject("Nightfall");
  await page.clock.install();
  await page.clock.setSystemTime(Date.now() + 600_000);
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await expect(she.cards).toHaveText(["Nightfall"]);
});

async function advanceUntilCards(page: Page, { cards }: PageActions): Promise<void> {
  for (let step = 0; step < 30 && (await cards.count()) === 0; step++) {
    await page.clock.runFor(100);
    await page.request.get("/readyz");
  }
}

test("leaves no request pending on an open page", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const [image] = await addPictures(app, person, designId, ["fig"]);
  await page.goto(`${path}/images/${image}`);
  const probe = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/healthz"));
  await hydrated(page);
  await probe;
  await page.waitForLoadState("networkidle");
});
