import type { Page } from "@playwright/test";
import { expect, expectAccessible, hydrated, test, waitForAnimations } from "../../harness/test.ts";
import { loadedScripts } from "../support/loaded-scripts.ts";
import { addPictures, makeDesign } from "../support/pictures.ts";
import { sharedProject } from "../support/shared-project.ts";

const inDesign = (page: Page) => page.getByRole("group", { name: "People viewing this design" });
const inImage = (page: Page) => page.getByRole("group", { name: "People viewing this image" });
const pointer = (page: Page) => page.locator(".presence-pointer");
const zoomOf = (page: Page) => page.locator("[data-zoom]");

async function openPage(page: Page, path: string) {
  await page.goto(path);
  await hydrated(page);
  await waitForAnimations(page);
}

async function showPointers(page: Page) {
  await inImage(page).getByRole("button", { name: "1 person viewing" }).click();
  await page.getByRole("button", { name: "Show pointers" }).click();
}

const middleOf = async (page: Page) => {
  const box = await page.locator(".viewer-picture").first().boundingBox();
  if (!box) throw new Error("The picture is not shown.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

test(
  "shows who has a design or an image open, who is away, and who has left",
  { tag: "@presence-avatars" },
  async ({ page, person, stranger, otherBrowser, app }) => {
    const { path, imageId } = await sharedProject(app, person, stranger);
    const other = await otherBrowser(stranger);
    await openPage(other, path);
    await openPage(page, path);
    await expect(inDesign(page).getByRole("img", { name: stranger.name })).toBeVisible();
    await expect(inDesign(other).getByRole("img", { name: person.name })).toBeVisible();
    await expectAccessible(page);

    await openPage(other, `${path}/images/${imageId}`);
    await openPage(page, `${path}/images/${imageId}`);
    await expect(inImage(page).getByRole("button", { name: `Follow ${stranger.name}`, exact: true })).toBeVisible();
    await expectAccessible(page);
    await other.evaluate(() => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await expect(inImage(page).getByRole("button", { name: `Follow ${stranger.name} (away)` })).toBeVisible();
    await other.goto("about:blank");
    await expect(inImage(page)).toHaveCount(0, { timeout: 15_000 });
  },
);

test(
  "shows the pointers of others when chosen, and stores the choice",
  { tag: ["@presence-pointers", "@slow"] },
  async ({ page, person, stranger, otherBrowser, app }) => {
    const { path, imageId } = await sharedProject(app, person, stranger);
    const other = await otherBrowser(stranger);
    await openPage(other, `${path}/images/${imageId}`);
    await openPage(page, `${path}/images/${imageId}`);
    await expect(inImage(page)).toBeVisible();
    await expect(pointer(page)).toHaveCount(0);
    await showPointers(page);
    const at = await middleOf(other);
    await expect(async () => {
      await other.mouse.move(at.x - 20, at.y);
      await other.mouse.move(at.x, at.y);
      await expect(pointer(page)).toContainText(stranger.name, { timeout: 1000 });
    }).toPass();
    const here = await middleOf(page);
    await expect
      .poll(async () => {
        const box = await pointer(page).boundingBox();
        return box ? Math.hypot(box.x - here.x, box.y - here.y) : Infinity;
      })
      .toBeLessThan(4);
    await page.reload();
    await expect(pointer(page)).toBeVisible();
    for (let step = 0; step < 3; step++) await other.keyboard.press("+");
    const frame = page.locator(".presence-viewport");
    await expect(frame).toBeVisible();
    await inImage(page)
      .getByRole("button", { name: `Follow ${stranger.name}` })
      .click();
    await expect(page.locator(".presence-following")).toBeVisible();
    await expect(frame).toHaveCount(0);
    await other.goto(path);
    await expect(pointer(page)).toHaveCount(0);
  },
);

test(
  "follows someone's view until the follower moves it or presses Escape",
  { tag: ["@presence-follow", "@slow"] },
  async ({ page, person, stranger, otherBrowser, app }) => {
    const { path, imageId, designId } = await sharedProject(app, person, stranger);
    const [second = ""] = await addPictures(app, person, designId, ["dogs"]);
    const other = await otherBrowser(stranger);
    await openPage(other, `${path}/images/${imageId}`);
    await openPage(page, path);
    const announced = page.locator("[data-announcer]");
    const following = page.locator(".presence-following");

    await inDesign(page)
      .getByRole("button", { name: `Follow ${stranger.name}` })
      .click();
    await expect(page).toHaveURL(new RegExp(imageId));
    await expect(following).toBeVisible();
    await expect(zoomOf(page)).toHaveText(/\d/);
    const before = await zoomOf(page).textContent();
    for (let step = 0; step < 3; step++) await other.keyboard.press("+");
    await expect(zoomOf(page)).not.toHaveText(before ?? "");
    await openPage(other, `${path}/images/${second}`);
    await expect(following).toHaveCount(0);
    await expect(announced).toContainText(`${stranger.name} left`);

    await page.goto(path);
    await hydrated(page);
    await inDesign(page)
      .getByRole("button", { name: `Follow ${stranger.name}` })
      .click();
    await expect(page).toHaveURL(new RegExp(second));
    await expect(following).toBeVisible();
    await other.evaluate((to) => Object(window).__reactRouterDataRouter.navigate(to), `${path}/images/${imageId}`);
    await expect(page).toHaveURL(new RegExp(imageId));
    await expect(following).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(following).toHaveCount(0);
    await expect(announced).toContainText(`Stopped following ${stranger.name}`);
    await expect(page).toHaveURL(new RegExp(imageId));

    await inImage(page)
      .getByRole("button", { name: `Follow ${stranger.name}` })
      .click();
    await expect(following).toBeVisible();
    await expect(zoomOf(page)).toHaveText(/\d/);
    const fitted = await zoomOf(page).textContent();
    await other.keyboard.press("+");
    await expect(zoomOf(page)).not.toHaveText(fitted ?? "");
    await page.keyboard.press("-");
    await expect(following).toHaveCount(0);
  },
);

test(
  "loads no code of presence for one person, and none of comments without comments",
  { tag: "@presence-alone" },
  async ({ page, person, app }) => {
    const { designId, path } = await makeDesign(app, person);
    const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
    const texts: string[] = [];
    const scripts = loadedScripts(page);
    page.on("request", (request) => texts.push(request.url()));
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => texts.push(String(payload))));
    await openPage(page, path);
    await openPage(page, `${path}/images/${imageId}`);
    await expect.poll(() => texts.some((text) => text.includes("getDesignImageInPlace"))).toBe(true);
    expect(texts.filter((text) => text.includes("presence"))).toEqual([]);
    const loaded = await scripts();
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((text) => /Write a comment|Show pointers/.test(text))).toEqual([]);
  },
);
