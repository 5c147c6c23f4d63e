import type { Page } from "@playwright/test";
import { expect, test } from "../../harness/test.ts";
import { pageActions, stored } from "../support/page-actions.ts";
import { controlConnection, LOST, SYNC } from "../support/controlled-connection.ts";

test.describe.configure({ mode: "parallel" });

test.use({ saveData: false });

async function recordStates(page: Page, selector: string) {
  await page.addInitScript((selector) => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const sample = () => {
      const state = [...document.querySelectorAll(selector)]
        .map((each) => (each instanceof HTMLInputElement ? each.value : each.textContent))
        .join("|");
      if (state !== seen.at(-1) && document.readyState !== "loading") seen.push(state);
    };
    const watch = () => {
      new MutationObserver(sample).observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
      sample();
    };
    document.addEventListener("readystatechange", watch, { once: true });
  }, selector);
  return () => page.evaluate(() => ("seen" in window && Array.isArray(window.seen) ? window.seen.map(String) : []));
}

const CARDS = "main li h2";

test("every change shows in another browser without a reload", async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const other = pageActions(await otherBrowser(person), true);
  const connection = await controlConnection(other.page);
  await she.makeProject("Nightfall");
  await she.open("/projects");
  await other.open("/projects");
  await connection.live();
  const requests: string[] = [];
  other.page.on("request", (request) => /\.data$|projects$/.test(new URL(request.url()).pathname) && requests.push(request.url()));

  const path = await she.makeProject("Daybreak");
  await expect(other.page.getByRole("main").getByRole("link", { name: "Daybreak" })).toBeVisible();
  await expect(other.page.getByRole("complementary", { name: "Sidebar" }).getByRole("link", { name: "Daybreak" })).toBeVisible();

  await she.renameInPlace("Dawn");
  await expect(other.page.getByRole("main").getByRole("link", { name: "Dawn" })).toBeVisible();
  await expect(other.cards).toHaveText(["Dawn", "Nightfall"]);
  expect(requests).toEqual([]);

  await other.open(path);
  await connection.live();
  await she.create("design", "Cover");
  await expect(other.page.getByRole("main").getByRole("link", { name: "Cover" })).toBeVisible();
  await expect(page).toHaveURL(/\/design\//);
  await she.open(path);
  await she.renameCard("design", "Cover", "Front");
  await expect(other.page.getByRole("main").getByRole("link", { name: "Front" })).toBeVisible();
  await she.removeCard("Front");
  await expect(other.page.getByRole("heading", { name: "No designs yet" })).toBeVisible();

  await she.deletePageItem("project");
  await expect(other.page.getByRole("heading", { name: "“Dawn” is in the trash" })).toBeVisible();
  await expect(other.page.getByRole("complementary", { name: "Sidebar" }).getByRole("link", { name: "Nightfall" })).toBeVisible();
  await expect(page).toHaveURL("/projects");
});

test(
  "shows a change before the deployment answers, without a post or a reload",
  { tag: "@shows-change-before-deployment-answers-without" },
  async ({ page, person, app }) => {
    const she = pageActions(page, true);
    const connection = await controlConnection(page);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    await connection.live();
    const requests: string[] = [];
    page.on(
      "request",
      (request) => request.resourceType() === "fetch" && requests.push(`${request.method()} ${new URL(request.url()).pathname}`),
    );

    connection.hold();
    await she.renameCard("project", "Nightfall", "Daybreak");
    await expect(she.cards).toHaveText(["Daybreak"]);
    await expect(she.dialog("Rename project")).toBeHidden();
    expect(await stored(app, person)).toEqual([{ name: "Nightfall", designs: [] }]);
    connection.release();
    await expect.poll(() => stored(app, person)).toEqual([{ name: "Daybreak", designs: [] }]);

    connection.hold();
    await she.create("project", "Harbour");
    await expect(she.cards).toHaveText(["Harbour", "Daybreak"]);
    await expect(she.sidebar).toHaveText(["Harbour", "Daybreak"]);
    await expect(page.getByRole("main").getByRole("link", { name: "Harbour" })).toHaveCount(0);
    connection.release();
    await expect(page).toHaveURL(/\/projects\/./);
    await expect(page.getByRole("heading", { name: "Harbour", level: 1 })).toBeAttached();

    await page.goBack();
    await expect(she.cards).toHaveText(["Harbour", "Daybreak"]);
    await connection.live();
    connection.hold();
    await she.removeCard("Harbour");
    await expect(she.cards).toHaveText(["Daybreak"]);
    connection.release();
    await expect.poll(() => stored(app, person)).toEqual([{ name: "Daybreak", designs: [] }]);
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  },
);

test(
  "reverts a rejected change and restores its form's input",
  { tag: "@reverts-rejected-change-restores-forms-input" },
  async ({ page, person, app }) => {
    const she = pageActions(page, true);
    const connection = await controlConnection(page);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    await connection.live();
    connection.hold();
    const long = "n".repeat(300);
    await she.renameCard("project", "Nightfall", long);
    await expect(she.cards).toHaveText([long]);
    connection.release();
    await expect(she.cards).toHaveText(["Nightfall"]);
    await expect(she.dialog("Rename project").getByLabel("Name")).toHaveValue(long);
    await expect(she.dialog("Rename project").getByLabel("Name")).toHaveAccessibleDescription(/at most 200 characters/);
    expect(await stored(app, person)).toEqual([{ name: "Nightfall", designs: [] }]);
  },
);

test("first HTML, hydration and first live answer render without a flash", { tag: "@slow" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const she = pageActions(page, true);
  const connection = await controlConnection(page);
  await she.makeProject("Nightfall");
  await she.makeProject("Daybreak");
  const seen = await recordStates(page, CARDS);
  await she.open("/projects");
  await connection.live();
  expect(await seen()).toEqual(["Daybreak|Nightfall"]);
});

test("shows writes made between server rendering and the socket's opening", { tag: "@slow" }, async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const other = pageActions(await otherBrowser(person), true);
  await she.makeProject("Old name");
  const connection = await controlConnection(page);
  const seen = await recordStates(page, CARDS);
  connection.hold();
  await she.open("/projects");
  await other.open("/projects");
  await other.renameCard("project", "Old name", "New name");
  await expect(other.cards).toHaveText(["New name"]);
  connection.release();
  await expect(she.cards).toHaveText(["New name"]);
  expect(await seen()).toEqual(["Old name", "New name"]);
});

test("never shows stale prefetched data after a navigation", { tag: "@slow" }, async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const other = pageActions(await otherBrowser(person), true);
  const connection = await controlConnection(page);
  await she.makeProject("Old name");
  const seen = await recordStates(page, "main h1");
  await she.open("/projects");
  await connection.live();
  const link = page.getByRole("main").getByRole("link", { name: "Old name" });
  const ahead = page.waitForResponse((response) => /\/projects\/[a-z0-9]{32}\.data/.test(response.url()));
  // Prefetching starts once all page modules are loaded, which happens when idle.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await link.hover();
    await expect(page.locator("link[rel=prefetch][as=fetch]")).toBeAttached({ timeout: 1000 });
  }).toPass();
  await ahead;

  await other.open("/projects");
  await other.renameCard("project", "Old name", "New name");
  await expect(page.getByRole("main").getByRole("link", { name: "New name" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "New name" }).click();
  await expect(page).toHaveURL(/\/projects\/./);
  await expect(page.getByRole("heading", { name: "New name", level: 1 })).toBeAttached();
  expect(await seen()).toEqual(["Projects", "New name"]);
});

test("a return to a page shows its current state", { tag: "@slow" }, async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const other = pageActions(await otherBrowser(person), true);
  const connection = await controlConnection(page);
  const path = await she.makeProject("Old name");
  const seen = await recordStates(page, CARDS);
  await she.open("/projects");
  await connection.live();
  await page.getByRole("main").getByRole("link", { name: "Old name" }).click();
  await expect(page).toHaveURL(path);

  await other.open("/projects");
  await other.renameCard("project", "Old name", "New name");
  await expect(page.getByRole("heading", { name: "New name", level: 1 })).toBeAttached();
  await page.goBack();
  await expect(she.cards).toHaveText(["New name"]);
  await page.goForward();
  await page.goBack();
  await expect(she.cards).toHaveText(["New name"]);
  const states = (await seen()).filter((state) => state !== "");
  expect(states.lastIndexOf("Old name")).toBeLessThan(states.indexOf("New name"));
});

test("without a websocket, forms are sent to the app server and show its response", { tag: "@slow" }, async ({ page, person, app }) => {
  const she = pageActions(page, true);
  await page.routeWebSocket(SYNC, (socket) => socket.close(LOST));
  await she.makeProject("Nightfall");
  await she.open("/projects");
  await she.renameCard("project", "Nightfall", "Daybreak");
  await expect(she.cards).toHaveText(["Daybreak"]);
  await expect(she.sidebar).toHaveText(["Daybreak"]);
  await expect(she.dialog("Rename project")).toBeHidden();
  await she.renameCard("project", "Daybreak", "   ");
  await expect(she.dialog("Rename project").getByLabel("Name")).toHaveAccessibleDescription("Enter a name for the project.");
  await page.keyboard.press("Escape");
  await she.removeCard("Daybreak");
  await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
  await expect.poll(() => stored(app, person)).toEqual([]);
});

test("a restored connection delivers missed changes without older states", { tag: "@slow" }, async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  const other = pageActions(await otherBrowser(person), true);
  const connection = await controlConnection(page);
  await she.makeProject("First name");
  const seen = await recordStates(page, CARDS);
  await she.open("/projects");
  await connection.live();
  await connection.cut();
  await other.open("/projects");
  await other.renameCard("project", "First name", "Second name");
  await expect(other.cards).toHaveText(["Second name"]);
  await she.create("project", "Another");
  await expect(page).toHaveURL(/\/projects\/./);
  await page.goBack();
  await expect(she.cards).toHaveText(["Another", "Second name"]);
  connection.restore();
  await other.renameCard("project", "Second name", "Third name");
  await expect(she.cards).toHaveText(["Third name", "Another"]);
  const states = (await seen()).join(" → ");
  expect(states).not.toMatch(/Second.*First/);
  expect(states).not.toMatch(/Third.*Second/);
});

test(
  "a session ended elsewhere redirects the page to sign-in",
  { tag: "@session-ended-elsewhere-redirects-page-sign" },
  async ({ page, person }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, true);
    const connection = await controlConnection(page);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    await connection.live();
    await page.context().request.post("/sign-out", { headers: { Origin: new URL(page.url()).origin } });
    await expect(page).toHaveURL("/sign-in");
  },
);

test("follows a redirect that a query or a mutation throws", { tag: "@slow" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const she = pageActions(page, true);
  const connection = await controlConnection(page);
  await she.makeProject("Nightfall");
  await she.open("/projects");
  await connection.live();
  connection.rewrite((message) => redirecting(message, "mutation"));
  await she.renameCard("project", "Nightfall", "Daybreak");
  await expect(page).toHaveURL("/billing");

  connection.rewrite((message) => message);
  await she.open("/projects");
  await connection.live();
  connection.rewrite((message) => redirecting(message, "query"));
  await she.renameCard("project", "Daybreak", "Nightfall");
  await expect(page).toHaveURL("/notifications");
});

function redirecting(message: string, what: "query" | "mutation"): string {
  const parsed = JSON.parse(message);
  if (what === "mutation" && parsed.type === "MutationResponse") {
    return JSON.stringify({ ...parsed, success: false, result: "Redirect", errorData: { redirect: "/billing" } });
  }
  if (what === "query" && parsed.type === "Transition") {
    const modifications = parsed.modifications.map((each: { queryId: number }) =>
      JSON.stringify(each).includes("Nightfall")
        ? {
            type: "QueryFailed",
            queryId: each.queryId,
            errorMessage: "Redirect",
            errorData: { redirect: "/notifications" },
            logLines: [],
            journal: null,
          }
        : each,
    );
    return JSON.stringify({ ...parsed, modifications });
  }
  return message;
}
