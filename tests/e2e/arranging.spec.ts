import type { Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, still, test } from "../harness/test.ts";
import { hands } from "./hands.ts";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "./pictures.ts";

const handle = (page: Page, name: string) => page.getByRole("button", { name: `Reorder ${name}`, exact: true });
const tile = (page: Page, name: string) => page.getByRole("main").getByRole("listitem").filter({ hasText: name });
const said = (page: Page) => page.locator("[data-announcer]");

/** Carries one thing to the left or right half of another. */
async function carry(page: Page, name: string, beside: string, side: "left" | "right", by: "handle" | "tile") {
  // A list that was just put in order has its places a moment later.
  await still(page);
  await tile(page, name).hover();
  if (by === "handle") await handle(page, name).hover();
  await page.mouse.down();
  const box = await tile(page, beside).boundingBox();
  if (!box) throw new Error(`no ${beside}`);
  await page.mouse.move(box.x + (side === "left" ? 12 : box.width - 12), box.y + box.height / 2, { steps: 6 });
  await expect(page.locator(".drop-line")).toBeVisible();
}

test("images are put in order by dragging, by keyboard and with a finger", async ({ page, app, person, browser }) => {
  const { designId, path } = await makeDesign(app, person);
  await addPictures(app, person, designId, ["fig", "bank", "clock", "brushes"]);
  const order = async () => (await imagesIn(app, person, designId)).map(({ name }) => name.split(".")[0]).join(" ");
  await page.setViewportSize({ width: 1440, height: 900 });
  await hands(page, true).open(path);

  await carry(page, "brushes.jpg", "fig.jpg", "left", "handle");
  await page.mouse.up();
  await expect.poll(order).toBe("brushes fig bank clock");
  await carry(page, "fig.jpg", "clock.webp", "right", "tile");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(page.locator(".drop-line, .drag-label, [data-carried]")).toHaveCount(0);
  await carry(page, "fig.jpg", "bank.png", "right", "tile");
  await page.mouse.up();
  // Neither that which was left nor that which was put down has opened the picture.
  await expect.poll(order).toBe("brushes bank fig clock");
  await expect(page).toHaveURL(path);

  await handle(page, "clock.webp").focus();
  await page.keyboard.press("Space");
  await expect(said(page)).toContainText("clock.webp taken, position 4 of 4");
  await expectAccessible(page);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(said(page)).toContainText("Position 2 of 4, before bank.png.");
  await page.keyboard.press("Escape");
  await expect(said(page)).toContainText("clock.webp stays at position 4 of 4.");
  await page.keyboard.press("Space");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect.poll(order).toBe("clock brushes bank fig");
  await expect(tile(page, "clock.webp").and(page.locator("li:first-child"))).toBeVisible();
  await expect(handle(page, "clock.webp")).toBeFocused();

  // A finger carries a thing by its handle; beside it, it scrolls.
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await context.addCookies(person.cookies);
  const phone = await context.newPage();
  await hands(phone, true).open(path);
  const cdp = await context.newCDPSession(phone);
  // Far from the window's edges, where the page moves on by itself.
  await tile(phone, "brushes.jpg").evaluate((element) => element.scrollIntoView({ block: "center" }));
  await still(phone);
  const [from, to] = [await handle(phone, "clock.webp").boundingBox(), await tile(phone, "brushes.jpg").boundingBox()];
  if (!from || !to) throw new Error("It is not to be seen.");
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ x: from.x + from.width / 2, y: from.y + from.height / 2 }]);
  for (const part of [0.4, 0.8, 1]) {
    const x = from.x + (to.x + to.width - 8 - from.x) * part;
    await touch("touchMove", [{ x, y: from.y + (to.y + to.height / 2 - from.y) * part }]);
  }
  await expect(phone.locator(".drop-line")).toBeVisible();
  await touch("touchEnd", []);
  await expect.poll(order).toBe("brushes clock bank fig");
  await context.close();

  // In another order there is nothing to be put by hand.
  await hands(page, true).open(`${path}?sort=name`);
  await expect(page.locator(".drag-handle")).toHaveCount(0);
});

test("two browsers that put the same lists in order at once end in the same order", async ({ page, app, person, otherBrowser }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const names = ["A", "B", "C", "D", "E"];
  for (const name of names) await convex.mutation(api.designs.create, { projectId, name });
  for (const name of ["One", "Two"]) await convex.mutation(api.projects.create, { name });
  const second = await otherBrowser(person);
  for (const each of [page, second]) {
    await each.goto(`/projects/${projectId}?sort=manual`);
    await hydrated(each);
  }
  const move = async (on: Page, name: string, key: string) => {
    await handle(on, name).focus();
    for (const each of ["Space", key, "Space"]) await on.keyboard.press(each);
  };
  const shown = (on: Page) => hands(on, true).cards.allTextContents();
  const stored = async () => (await convex.query(api.designs.getDesignsByProjectId, { projectId, sort: "manual" })).map(({ name }) => name);
  // Different things to the same place, and the same thing to different places.
  await Promise.all([move(page, "E", "Home"), move(second, "D", "Home")]);
  await expect.poll(async () => (await stored()).slice(0, 2).toSorted()).toEqual(["D", "E"]);
  await Promise.all([move(page, "B", "Home"), move(second, "B", "End")]);
  await expect.poll(async () => (await stored()).indexOf("B") % 4).toBe(0);
  // Each has its own move on the way for a moment; then all three are one.
  await expect
    .poll(async () => {
      const [one, other, kept] = [await shown(page), await shown(second), await stored()];
      return one.join() === kept.join() && other.join() === kept.join() && kept.indexOf("B") % 4 === 0;
    })
    .toBe(true);
  const order = await stored();
  expect(order.toSorted()).toEqual(names);
  expect(["B", "D", "E"]).toContain(order[0]);
  expect([0, 4]).toContain(order.indexOf("B"));

  await hands(page, true).open("/projects?sort=manual");
  await move(page, "Two", "Home");
  await expect
    .poll(async () => (await convex.query(api.projects.getProjects, { sort: "manual" })).map(({ name }) => name))
    .toEqual(["Two", "Magazine", "One"]);
});
