import type { Page } from "@playwright/test";
import { expect, hydrated, test, toastsStand } from "../harness/test.ts";
import { recordDelays } from "./delays.ts";
import { hands, stored } from "./hands.ts";
import { holdable } from "./line.ts";

/** Specification 9: what the official client does by itself. In milliseconds. */
const CLIENT = { backoff: [1000, 2000, 4000, 8000, 16_000, 16_000], longDisconnect: 60_000, prewarm: 5000 };
/** Specification 8. */
const LEAVE = "Are you sure you want to leave? Your changes may not be saved.";

const mark = (page: Page) => page.getByRole("button", { name: /^(Offline|Reconnecting)/ });

// The browser itself complains of each request without a network.
test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED/] });

/** What the page asks when somebody leaves it; null: nothing. */
const asksToStay = (page: Page) =>
  page.evaluate(() => {
    const leaving = document.createEvent("BeforeUnloadEvent");
    leaving.initEvent("beforeunload", false, true);
    dispatchEvent(leaving);
    return leaving.defaultPrevented ? String(Reflect.get(leaving, "returnValue")) : null;
  });

test("a lost connection is told quietly, changes wait and go out once, and leaving asks first", async ({ page, person, app, context }) => {
  test.slow();
  const she = hands(page, true);
  const line = await holdable(page);
  await page.clock.install();
  const delays = await recordDelays(page);
  await she.makeProject("Nightfall");
  await she.open("/projects");
  await line.live();
  await toastsStand(page);
  await expect(mark(page)).toHaveCount(0);
  expect(await asksToStay(page)).toBeNull();
  const reported = page.waitForRequest((request) => request.url().endsWith("/api/debug_event"), { timeout: 0 });

  await test.step("a query asked for ahead would stay as long as the client says: nothing of ours says otherwise", async () => {
    const html = await (await page.request.get("/projects")).text();
    const scripts = new Set(html.match(/\/assets\/[\w.-]+\.js/g));
    const texts = await Promise.all([...scripts].map(async (script) => (await page.request.get(script)).text()));
    const library = texts.find((text) => text.includes("extendSubscriptionFor"));
    const [, name = ""] = /\.extendSubscriptionFor\?\?([\w$]+)/.exec(library ?? "") ?? [];
    const [, value = name] = new RegExp(`\\b${name.replaceAll("$", "\\$")}=(\\d+(?:e\\d+)?)\\b`).exec(library ?? "") ?? [];
    expect(Number(value)).toBe(CLIENT.prewarm);
  });

  await test.step("nothing is told of a short loss", async () => {
    // So far ahead that the page's clock is not past it by the time it is told.
    await page.clock.pauseAt(Date.now() + 10_000);
    // Without the jitter; not earlier, as the client makes its session's name of chance.
    await page.evaluate(() => void (Math.random = () => 0.5));
    await line.cut();
    await page.clock.runFor(900);
    await expect(mark(page)).toHaveCount(0);
  });

  await test.step("the attempts come at the client's own pace", async () => {
    for (const ms of CLIENT.backoff) await page.clock.runFor(ms);
    const seen = (await delays()).filter((ms) => CLIENT.backoff.includes(ms));
    expect(seen.join()).toContain(CLIENT.backoff.slice(0, 5).join());
    await expect(mark(page)).toHaveText(/Reconnecting.*attempt \d/);
    await mark(page).click();
    const facts = page.getByRole("group", { name: "Connection" });
    await expect(facts).toContainText("Connectedno");
    await expect(facts).toContainText("Ever connectedyes");
    await expect(facts).toContainText("Connections1");
    await expect(facts).toContainText(/Attempts since\d/);
    await expect(facts).toContainText("Waiting0 changes, 0 actions");
    await expect(facts).toContainText("Oldest of themnone");
    await page.keyboard.press("Escape");
  });

  await test.step("without a network changes wait", async () => {
    await context.setOffline(true);
    await expect(mark(page)).toHaveText(/Offline/);
    await she.renameCard("project", "Nightfall", "Daybreak");
    await expect(she.cards).toHaveText(["Daybreak"]);
    await expect(mark(page)).toHaveText(/Offline.*1 change waiting/);
    expect(await asksToStay(page)).toBe(LEAVE);
    await expect(page.getByRole("main").getByRole("listitem").filter({ hasText: "Daybreak" }).getByText("Not saved yet")).toBeVisible();
    await she.create("project", "Harbour");
    await expect(she.cards).toHaveText(["Harbour", "Daybreak"]);
    await mark(page).click();
    await expect(page.getByRole("group", { name: "Connection" })).toContainText(/Waiting2 changes, 0 actions.*Oldest of them\d/);
    await page.keyboard.press("Escape");
    expect(await stored(app, person)).toEqual([{ name: "Nightfall", designs: [] }]);
  });

  await test.step("and the page stays, whatever is followed", async () => {
    await page.getByRole("complementary").getByRole("link", { name: "Daybreak" }).click();
    // The toast's own timer starts once the navigation was refused, so the clock goes on until it shows.
    await expect(async () => {
      await page.clock.runFor(20);
      await expect(page.getByText("You are offline. This page stays until you are back.")).toBeVisible({ timeout: 200 });
    }).toPass({ timeout: 60_000 });
    await expect(page).toHaveURL("/projects");
    await page.clock.runFor(5_000);
  });

  await test.step("a request that has been on its way for more than a minute is reported", async () => {
    await page.clock.runFor(CLIENT.longDisconnect + 1000);
    await she.create("project", "Pier");
    expect((await reported).postDataJSON()).toEqual({ event: "LongWebsocketDisconnect" });
  });

  await test.step("and all of it goes out, in order, once", async () => {
    line.restore();
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
});

test("a browser that never gets a connection says so, and works", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const line = await holdable(page);
  await line.cut();
  await page.clock.install();
  await page.goto("/projects");
  await hydrated(page);
  await page.clock.runFor(7_000);
  await expect(mark(page)).toHaveText(/Reconnecting/);
  await hands(page, true).create("project", "Nightfall");
  await expect(page).toHaveURL(/\/projects\/./);
});
