import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, type Person, type RunningApp, test, waitForAnimations } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "../support/pictures.ts";

const handle = (page: Page, name: string) => page.getByRole("button", { name: `Reorder ${name}`, exact: true });
const tile = (page: Page, name: string) => page.getByRole("main").getByRole("listitem").filter({ hasText: name });
const announcer = (page: Page) => page.locator("[data-announcer]");

async function dragBeside(page: Page, name: string, beside: string, side: "left" | "right", by: "handle" | "tile") {
  await waitForAnimations(page);
  await tile(page, name).hover();
  if (by === "handle") await handle(page, name).hover();
  await page.mouse.down();
  const box = await tile(page, beside).boundingBox();
  if (!box) throw new Error(`no ${beside}`);
  await page.mouse.move(box.x + (side === "left" ? 12 : box.width - 12), box.y + box.height / 2, { steps: 6 });
  await expect(page.locator(".drop-line")).toBeVisible();
}

test("reorders images by dragging, by keyboard and by touch", { tag: "@slow" }, async ({ page, app, person, browser }) => {
  const { designId, path } = await makeDesign(app, person);
  await addPictures(app, person, designId, ["fig", "bank", "clock", "brushes"]);
  const order = async () => (await imagesIn(app, person, designId)).map(({ name }) => name.split(".")[0]).join(" ");
  await page.setViewportSize({ width: 1440, height: 900 });
  await pageActions(page, true).open(path);

  await dragBeside(page, "brushes.jpg", "fig.jpg", "left", "handle");
  await page.mouse.up();
  await expect.poll(order).toBe("brushes fig bank clock");
  await dragBeside(page, "fig.jpg", "clock.webp", "right", "tile");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(page.locator(".drop-line, .drag-label, [data-carried]")).toHaveCount(0);
  await dragBeside(page, "fig.jpg", "bank.png", "right", "tile");
  await page.mouse.up();
  await expect.poll(order).toBe("brushes bank fig clock");
  await expect(page).toHaveURL(path);

  await handle(page, "clock.webp").focus();
  await page.keyboard.press("Space");
  await expect(announcer(page)).toContainText("clock.webp picked up, position 4 of 4");
  await expectAccessible(page);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(announcer(page)).toContainText("Position 2 of 4, before bank.png.");
  await page.keyboard.press("Escape");
  await expect(announcer(page)).toContainText("clock.webp remains at position 4 of 4.");
  await page.keyboard.press("Space");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect.poll(order).toBe("clock brushes bank fig");
  await expect(tile(page, "clock.webp").and(page.locator("li:first-child"))).toBeVisible();
  await expect(handle(page, "clock.webp")).toBeFocused();

  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await context.addCookies(person.cookies);
  const phone = await context.newPage();
  await pageActions(phone, true).open(path);
  const cdp = await context.newCDPSession(phone);
  await tile(phone, "brushes.jpg").evaluate((element) => element.scrollIntoView({ block: "center" }));
  await waitForAnimations(phone);
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

  await pageActions(page, true).open(`${path}?sort=name`);
  await expect(page.locator(".drag-handle")).toHaveCount(0);
});

test("keeps an item picked up by keyboard when another browser moves it", async ({ page, app, person }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const names = ["A", "B", "C"];
  const ids: string[] = [];
  for (const name of names) ids.push(await convex.mutation(api.designs.create, { projectId, name }));
  await pageActions(page, true).open(`/projects/${projectId}?sort=manual`);
  const shown = pageActions(page, true).cards;
  const [held = "", , beside = ""] = await shown.allTextContents();
  const idOf = (name: string) => ids[names.indexOf(name)] ?? "";

  await handle(page, held).focus();
  await page.keyboard.press("Space");
  await expect(announcer(page)).toContainText(`${held} picked up`);
  // This change makes React re-insert the dragged element, which would lose the focus.
  await convex.mutation(api.designs.reorder, { id: idOf(held), to: "after", beside: idOf(beside) });
  await expect(shown.last()).toHaveText(held);
  await expect(handle(page, held)).toBeFocused();
  await expect(handle(page, held)).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect(shown.first()).toHaveText(held);
  const stored = () => convex.query(api.designs.getDesignsByProjectId, { projectId, sort: "manual" });
  await expect.poll(async () => (await stored())[0]?.name).toBe(held);

  for (const leave of [() => page.keyboard.press("Tab"), () => page.mouse.click(1270, 715)]) {
    await handle(page, held).focus();
    await page.keyboard.press("Space");
    await expect(announcer(page)).toContainText(`${held} picked up`);
    await leave();
    await expect(announcer(page)).toContainText(`${held} remains at position 1 of 3.`);
  }
});

async function openFourDesigns(page: Page, app: RunningApp, person: Person) {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const ids: Record<string, string> = {};
  for (const name of ["A", "B", "C", "D"]) ids[name] = await convex.mutation(api.designs.create, { projectId, name });
  const actions = pageActions(page, true);
  await actions.open(`/projects/${projectId}?sort=manual`);
  return { convex, projectId, ids, actions };
}

test("drops an item beside the announced neighbour after another browser reorders", async ({ page, app, person }) => {
  const { convex, projectId, ids, actions } = await openFourDesigns(page, app, person);
  const [first = "", second = "", third = "", held = ""] = await actions.cards.allTextContents();
  const stored = async () => (await convex.query(api.designs.getDesignsByProjectId, { projectId, sort: "manual" })).map(({ name }) => name);

  await handle(page, held).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowLeft");
  await expect(announcer(page)).toContainText(`Position 3 of 4, before ${third}`);
  await convex.mutation(api.designs.reorder, { id: ids[first] ?? "", to: "last" });
  await expect(actions.cards).toHaveText([second, third, held, first]);
  await page.keyboard.press("Space");
  await expect(announcer(page)).toContainText(`${held} dropped, position 2 of 4.`);
  await expect.poll(stored).toEqual([second, held, third, first]);

  await test.step("keeps another browser's move of an item that is picked up but not moved", async () => {
    await page.keyboard.press("Space");
    await convex.mutation(api.designs.reorder, { id: ids[held] ?? "", to: "last" });
    await expect(actions.cards).toHaveText([second, third, first, held]);
    await page.keyboard.press("Space");
    await expect(announcer(page)).toContainText(`${held} dropped, position 4 of 4.`);
    expect(await stored()).toEqual([second, third, first, held]);
  });

  await test.step("drops beside the other neighbour after the announced one is deleted", async () => {
    await handle(page, second).focus();
    for (const key of ["Space", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    await expect(announcer(page)).toContainText(`Position 3 of 4, after ${first}`);
    await convex.mutation(api.designs.remove, { id: ids[first] ?? "" });
    await expect(actions.cards).toHaveText([second, third, held]);
    await page.keyboard.press("Space");
    await expect(announcer(page)).toContainText(`${second} dropped, position 2 of 3.`);
    await expect.poll(stored).toEqual([third, second, held]);
  });
});

test("a handle keeps the focus when another browser moves its item", async ({ page, app, person }) => {
  const { convex, ids, actions } = await openFourDesigns(page, app, person);
  const [first = "", second = "", third = "", last = ""] = await actions.cards.allTextContents();
  await handle(page, last).focus();
  for (const key of ["Space", "Home", "Space"]) await page.keyboard.press(key);
  await expect(actions.cards).toHaveText([last, first, second, third]);
  await handle(page, second).focus();
  for (const [to, order] of [
    ["first", [second, last, first, third]],
    ["last", [last, first, third, second]],
  ] as const) {
    await convex.mutation(api.designs.reorder, { id: ids[second] ?? "", to });
    await expect(actions.cards).toHaveText([...order]);
    await expect(handle(page, second)).toBeFocused();
  }
});

test("two browsers that reorder the same lists concurrently converge", async ({ page, app, person, otherBrowser }) => {
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
  const shown = (on: Page) => pageActions(on, true).cards.allTextContents();
  const stored = async () => (await convex.query(api.designs.getDesignsByProjectId, { projectId, sort: "manual" })).map(({ name }) => name);
  await Promise.all([move(page, "E", "Home"), move(second, "D", "Home")]);
  const converged = async () => {
    const [one, other, kept] = [await shown(page), await shown(second), await stored()];
    return one.join() === kept.join() && other.join() === kept.join() ? kept : [];
  };
  await expect.poll(async () => (await converged()).slice(0, 2).toSorted()).toEqual(["D", "E"]);
  await Promise.all([move(page, "B", "Home"), move(second, "B", "End")]);
  await expect.poll(async () => (await converged()).indexOf("B") % 4).toBe(0);
  const order = await stored();
  expect(order.toSorted()).toEqual(names);
  expect(["B", "D", "E"]).toContain(order[0]);
  expect([0, 4]).toContain(order.indexOf("B"));

  await pageActions(page, true).open("/projects?sort=manual");
  await move(page, "Two", "Home");
  await expect
    .poll(async () => (await convex.query(api.projects.getProjects, { sort: "manual" })).map(({ name }) => name))
    .toEqual(["Two", "Magazine", "One"]);
});
