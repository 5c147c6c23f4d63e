import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  type Person,
  type RunningApp,
  waitForAnimations,
  test,
} from "../../harness/test.ts";
import { unzip } from "../../zip.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs, imagesIn, makeDesign, manyImages } from "../support/pictures.ts";

async function seed(app: RunningApp, person: Person) {
  const convex = await deploymentAs(app, person);
  const { designId, path } = await makeDesign(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const other = await convex.mutation(api.designs.create, { projectId, name: "Back" });
  const ids = await addPictures(app, person, designId, ["fig", "bank", "clock", "brushes", "stripes"]);
  return { convex, designId, path, projectId, other, ids };
}

const NAMES = ["fig.jpg", "bank.png", "clock.webp", "brushes.jpg", "stripes.png"];
const bar = (page: Page) => page.getByRole("form", { name: "Selection" });
const box = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
const chosenOn = async (page: Page) => {
  const chosen = [];
  for (const name of NAMES) if ((await box(page, name).count()) > 0 && (await box(page, name).isChecked())) chosen.push(name);
  return chosen;
};

withAndWithoutJavaScript((javaScript) => {
  test("downloads, moves and trashes several selected images together", async ({ page, app, person }) => {
    const { path, designId, other, convex } = await seed(app, person);
    await convex.mutation(api.projects.create, { name: "Book" });
    const actions = pageActions(page, javaScript);
    const names = async (id = designId) => (await imagesIn(app, person, id)).map(({ name }) => name);
    const choose = async (...names: string[]) => {
      await page.getByRole("link", { name: "Select", exact: true }).click();
      for (const name of names) await box(page, name).check();
    };
    await actions.open(path);
    await choose();
    await bar(page).getByRole("button", { name: "Move to trash" }).click();
    await expect(page.getByText("Nothing selected.")).toBeVisible();
    await actions.open(path);

    await choose("bank.png", "clock.webp");
    if (javaScript) await expect(bar(page).getByRole("status")).toHaveText("2 images selected");
    await expectAccessible(page);
    const tags = page.getByLabel("Tags, separated by commas");
    await bar(page).getByRole("button", { name: "Tag…" }).click();
    await expect(tags).toBeVisible();
    if (javaScript) await expect(tags).toBeFocused();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(tags).toBeHidden();
    await expect(box(page, "bank.png")).toBeChecked();
    const [download] = await Promise.all([page.waitForEvent("download"), bar(page).getByRole("button", { name: "Download" }).click()]);
    expect(download.suggestedFilename()).toBe("Cover.zip");
    expect([...unzip(await readFile(await download.path())).keys()]).toEqual(["bank.png", "clock.webp"]);

    await bar(page).getByRole("button", { name: "Move to…" }).click();
    if (javaScript) {
      const picker = page.getByRole("dialog", { name: "Move or copy 2 images" });
      await expect(picker.getByRole("searchbox", { name: "Search designs" })).toBeFocused();
      await expectAccessible(page);
      await picker.getByRole("button", { name: "Cancel" }).click();
      await expect(bar(page).getByRole("status")).toHaveText("2 images selected");
      await bar(page).getByRole("button", { name: "Move to…" }).click();
      await expect(picker.getByRole("radio", { name: "Cover Current", exact: true })).toHaveCount(2);
      await picker.getByRole("radio", { name: "Cover Current", exact: true }).last().check();
      await expect(picker.getByRole("button", { name: "Move here" })).toBeDisabled();
      await picker.getByRole("searchbox").fill("bac");
      await expect(picker.getByRole("radio")).toHaveCount(1);
      await page.keyboard.press("ArrowDown");
      await expect(picker.getByRole("radio", { name: /^Back/ })).toBeChecked();
      await page.keyboard.press("Enter");
      await expect(page.getByText("2 images moved")).toBeVisible();
    } else {
      await expect(page.getByRole("heading", { name: "Move or copy 2 images" })).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Book", exact: true }).click();
      await expect(page.getByText("This project has no designs.")).toBeVisible();
      await page.getByRole("button", { name: "Create design" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "Enter a name" })).toBeVisible();
      await page.getByLabel("New design").fill("Chapter");
      await page.getByRole("button", { name: "Create design" }).click();
      await expect(page.getByRole("radio", { name: "Chapter 0 images" })).toBeVisible();
      await expect(page.getByRole("heading", { name: "Move or copy 2 images" })).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Magazine", exact: true }).click();
      await expect(page.getByRole("radio", { name: "Cover Current" })).toBeVisible();
      await actions.moveTo("Back");
      await expect(page.getByRole("heading", { name: "Back", level: 1 })).toBeAttached();
    }
    await expect.poll(() => names(other)).toEqual(["bank.png", "clock.webp"]);
    expect(await names()).toEqual(["fig.jpg", "brushes.jpg", "stripes.png"]);

    await actions.open(path);
    await choose("fig.jpg", "stripes.png");
    await bar(page).getByRole("button", { name: "Move to trash" }).click();
    const notice = javaScript ? page.getByText("2 images moved to the trash") : page.locator("noscript [role=status]");
    await expect(notice).toContainText("2 images moved to the trash");
    await expect(bar(page)).toHaveCount(0);
    await expect.poll(() => names()).toEqual(["brushes.jpg"]);
    if (!javaScript) return;
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText(/^Undone: 2 \w+ moved to the trash/)).toBeVisible();
    await expect.poll(() => names()).toEqual(["fig.jpg", "brushes.jpg", "stripes.png"]);
  });

  test("selects designs and images of a project", async ({ page, app, person }) => {
    const { projectId, convex, other, designId } = await seed(app, person);
    const actions = pageActions(page, javaScript);
    const designs = () => convex.query(api.designs.getDesignsByProjectId, { projectId });
    await actions.open(`/projects/${projectId}?select=1`);
    await box(page, "Back").check();
    await box(page, "Cover").check();
    await expectAccessible(page);
    const [download] = await Promise.all([page.waitForEvent("download"), bar(page).getByRole("button", { name: "Download" }).click()]);
    expect(download.suggestedFilename()).toBe("Magazine.zip");
    expect([...unzip(await readFile(await download.path())).keys()]).toContain("Cover/fig.jpg");
    await bar(page).getByRole("button", { name: "Favourite" }).click();
    await expect.poll(async () => (await designs()).map(({ favourite }) => favourite)).toEqual([true, true]);

    await actions.open(`/projects/${projectId}/images?select=1`);
    await box(page, "clock.webp").check();
    await box(page, "fig.jpg").check();
    await expectAccessible(page);
    await bar(page).getByRole("button", { name: "Move to trash" }).click();
    await expect.poll(async () => (await imagesIn(app, person, designId)).length).toBe(3);

    await actions.open(`/projects/${projectId}?select=1`);
    await box(page, "Back").check();
    await bar(page).getByRole("button", { name: "Move to trash" }).click();
    await expect.poll(async () => (await designs()).map(({ _id }) => _id)).toEqual([designId]);
    expect((await convex.query(api.trash.getTrash, {})).designs.map(({ _id }) => _id)).toEqual([other]);
  });
});

test("selects by click, Shift, rectangle and keys, and shows the number", async ({ page, app, person }) => {
  const { path } = await seed(app, person);
  const actions = pageActions(page, true);
  await page.setViewportSize({ width: 1440, height: 900 });
  await actions.open(path);
  const tile = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  const count = bar(page).getByRole("status");

  for (const modifier of ["ControlOrMeta", "Shift"] as const) {
    await tile("bank.png")
      .locator("img")
      .click({ modifiers: [modifier] });
    await expect.poll(() => chosenOn(page)).toEqual(["bank.png"]);
    await page.keyboard.press("Escape");
    await expect(bar(page)).toHaveCount(0);
  }
  expect(page.context().pages()).toHaveLength(1);

  await tile("bank.png").hover();
  await tile("bank.png").locator(".pick-mark").click();
  await expect(count).toHaveText("1 image selected");
  await tile("brushes.jpg")
    .locator("img")
    .click({ modifiers: ["Shift"] });
  await expect.poll(() => chosenOn(page)).toEqual(["bank.png", "clock.webp", "brushes.jpg"]);
  await tile("clock.webp").locator("img").click();
  await expect.poll(() => chosenOn(page)).toEqual(["bank.png", "brushes.jpg"]);

  await page.keyboard.press("Home");
  await expect(box(page, "fig.jpg")).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => chosenOn(page)).toEqual(["fig.jpg", "bank.png", "clock.webp", "brushes.jpg"]);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(() => chosenOn(page)).toEqual(["fig.jpg", "bank.png", "brushes.jpg"]);
  await page.keyboard.press("Control+a");
  await expect(count).toHaveText("5 images selected");
  await page.keyboard.press("Escape");
  await expect(bar(page)).toHaveCount(0);
  await expect(tile("bank.png").getByRole("link")).toBeFocused();
  await page.keyboard.press("Space");
  await expect.poll(() => chosenOn(page)).toEqual(["bank.png"]);
  await page.keyboard.press("Escape");
  await expect(bar(page)).toHaveCount(0);

  await waitForAnimations(page);
  const [first, second] = [await tile("fig.jpg").boundingBox(), await tile("bank.png").boundingBox()];
  if (!first || !second) throw new Error("no tiles");
  await page.mouse.move(first.x - 12, first.y + 20);
  await page.mouse.down();
  await page.mouse.move(second.x + 20, second.y + 60, { steps: 4 });
  await expect(page.locator(".pick-rectangle")).toBeVisible();
  await page.mouse.up();
  await expect.poll(() => chosenOn(page)).toEqual(["fig.jpg", "bank.png"]);
  await expect(page.locator(".pick-rectangle")).toHaveCount(0);
  await page.mouse.move(second.x + second.width / 2, second.y + 20);
  await page.mouse.down();
  await page.mouse.move(second.x + 20, second.y + 60, { steps: 4 });
  await expect(page.locator(".pick-rectangle")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect.poll(() => chosenOn(page)).toEqual(["fig.jpg", "bank.png"]);
});

test("selects by long press and taps at 360 px", { tag: ["@selects-by-touch", "@slow"] }, async ({ app, person, browser }) => {
  const { path } = await seed(app, person);
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await pageActions(page, true).open(path);
  const picture = (name: string) => page.getByRole("listitem").filter({ hasText: name }).locator("img").first();
  const cdp = await context.newCDPSession(page);
  const box = await picture("fig.jpg").boundingBox();
  const point = { x: (box?.x ?? 0) + 40, y: (box?.y ?? 0) + 40 };
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  const menu = page.getByRole("group", { name: "fig.jpg", exact: true });
  await expect(menu).toBeVisible();
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await waitForAnimations(page);
  await menu.getByRole("button", { name: "Select", exact: true }).tap();
  await expect(bar(page).getByRole("status")).toHaveText("1 image selected");
  await picture("bank.png").tap();
  await expect.poll(() => chosenOn(page)).toEqual(["fig.jpg", "bank.png"]);
  await picture("fig.jpg").tap();
  await expect.poll(() => chosenOn(page)).toEqual(["bank.png"]);
  await context.close();
});

test("answers another user's items like missing ones, and refuses an empty selection", async ({ app, person, stranger, request }) => {
  const { ids, path } = await seed(app, person);
  const [id = ""] = ids;
  const post = (user: Person, fields: [string, string][]) =>
    request.post("/download/selection", {
      headers: { Cookie: user.cookieHeader, Origin: app.url, "Content-Type": "application/x-www-form-urlencoded" },
      data: new URLSearchParams(fields).toString(),
      maxRedirects: 0,
    });
  const bodies = new Set<string>();
  for (const ids of [[id], ["nothing"], [id, "nothing"]]) {
    const answer = await post(
      stranger,
      ids.map((each) => ["ids", each]),
    );
    expect(answer.status()).toBe(404);
    bodies.add(await answer.text());
  }
  expect(bodies.size).toBe(1);
  expect(
    (
      await post(person, [
        ["ids", id],
        ["ids", "nothing"],
      ])
    ).status(),
  ).toBe(404);
  expect((await post(person, [["ids", id]])).headers()["content-type"]).toBe("application/zip");
  const refused = await post(person, [["back", path]]);
  expect([refused.status(), refused.headers()["location"]]).toEqual([303, path]);
  expect((await request.get("/download/selection", { headers: { Cookie: person.cookieHeader } })).status()).toBe(405);
});

withAndWithoutJavaScript((javaScript) => {
  test("trashes all items, including items on other pages, and undoes it", { tag: "@select-everything" }, async ({ page, app, person }) => {
    const { path, designId } = await manyImages(app, person, 230);
    const convex = await deploymentAs(app, person);
    const left = async () => (await convex.query(api.designs.getDesignById, { id: designId })).imageCount;
    const actions = pageActions(page, javaScript);
    const jobs = page.getByRole("region", { name: "Bulk actions" });
    await actions.open(path);
    await page.getByRole("link", { name: "Select", exact: true }).click();
    const all = bar(page).getByRole(javaScript ? "button" : "link", { name: "Select all (230)" });
    await all.click();
    await expect(bar(page).getByRole("status")).toHaveText("230 images selected");
    await expectAccessible(page);
    await box(page, "dot 1.png").uncheck();
    if (javaScript) await expect(bar(page).getByRole("status")).toHaveText("229 images selected");

    const [download] = await Promise.all([page.waitForEvent("download"), bar(page).getByRole("button", { name: "Download" }).click()]);
    expect(download.suggestedFilename()).toBe("Cover.zip");
    expect(unzip(await readFile(await download.path())).size).toBe(229);

    await bar(page).getByRole("button", { name: "Move to trash" }).click();
    await expect.poll(left).toBe(1);
    if (!javaScript) await page.goto("/bulk");
    await expect(jobs.getByText("229 images moved to the trash")).toBeVisible();
    if (!javaScript) {
      await expect(page.getByText("No bulk action is running.")).toBeVisible();
      await expectAccessible(page);
      await page.goto(path);
    }
    await expect(page.getByRole("listitem").filter({ hasText: "dot 1.png" })).toBeVisible();
    await expectAccessible(page);
    await jobs.getByRole("button", { name: "Undo" }).click();
    await expect.poll(left).toBe(230);
    if (!javaScript) await page.reload();
    await expect(jobs.getByText("Undo: 229 images moved to the trash")).toBeVisible();
    await jobs.getByRole("button", { name: "Dismiss" }).click();
    await expect(jobs).toHaveCount(0);
  });
});
