import type { Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { expect, hydrated, type Person, type RunningApp, signUp, test } from "../harness/test.ts";
import { pageActions } from "./support/page-actions.ts";
import { addPictures, chosen, deploymentAs } from "./support/pictures.ts";
import { signedInAddresses } from "./support/signed-in-addresses.ts";

const NAMES = {
  Hebrew: "מגזין 2026 (טיוטה)",
  Arabic: "مجلة الخريف [١٢]",
  Persian: "طرح‌های پاییز (۳)",
  Japanese: "秋のカタログ（第2版）",
  Thai: "แคตตาล็อกฤดูใบไม้ร่วง",
  emoji: "🎨👩🏽‍🎨 2026 (v2)",
};
const RIGHT_TO_LEFT = new Set([NAMES.Hebrew, NAMES.Arabic, NAMES.Persian]);
const directionOf = (name: string) => (RIGHT_TO_LEFT.has(name) ? "rtl" : "ltr");

test.use({ viewport: { width: 360, height: 740 } });

async function seed(app: RunningApp, person: Person) {
  const convex = await deploymentAs(app, person);
  for (const name of Object.values(NAMES)) await convex.mutation(api.projects.create, { name });
  const projectId = await convex.mutation(api.projects.create, { name: NAMES.Hebrew });
  for (const name of Object.values(NAMES)) await convex.mutation(api.designs.create, { projectId, name });
  const designId = await convex.mutation(api.designs.create, { projectId, name: NAMES.Hebrew });
  const file = await chosen("fig");
  const [imageId] = await addPictures(app, person, designId, [{ ...file, name: "תמונה 1 (2).jpg" }]);
  const trashed = await convex.mutation(api.designs.create, { projectId, name: NAMES.Arabic });
  await convex.mutation(api.designs.remove, { id: trashed });
  return { imageId, project: `/projects/${projectId}`, design: `/design/${designId}`, image: `/design/${designId}/images/${imageId}` };
}

async function expectNoOverflow(page: Page, what: string): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll, what).toBeLessThanOrEqual(client);
}

test("names keep their direction, and no page overflows 360 px in either direction", { tag: "@slow" }, async ({ page, app, person }) => {
  const { project, design, image } = await seed(app, person);
  for (const path of ["/projects", project, `${project}/activity`, `${project}/images`, design, image, "/trash", "/search?q=2026"]) {
    await page.goto(path);
    await hydrated(page);
    for (const theme of ["dark", "light"])
      for (const dir of ["ltr", "rtl"]) {
        await page.evaluate(
          (chosen) => void (Object.assign(document.documentElement.dataset, chosen), (document.documentElement.dir = chosen.dir)),
          { theme, dir },
        );
        await expectNoOverflow(page, `${path}, ${theme}, ${dir}`);
      }
  }

  await page.goto(project);
  await hydrated(page);
  for (const name of Object.values(NAMES)) {
    const heading = page.getByRole("heading", { level: 2, name, exact: true }).first();
    await expect(heading, name).toHaveCSS("direction", directionOf(name));
    await expect(heading, name).toHaveCSS("text-align", /^(start|left|match-parent|-webkit-match-parent)$/);
  }
  await expect(page.getByRole("textbox", { name: "Name of the project" })).toHaveCSS("direction", "rtl");
  await expect(page).toHaveTitle(`\u2068${NAMES.Hebrew}\u2069 · Atelier`);
  await expect(page.getByRole("button", { name: `More for \u2068${NAMES.Arabic}\u2069`, exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Delete project", exact: true }).click();
  await expect(page).toHaveURL("/projects");
  await page.goto("/trash");
  await hydrated(page);
  await page.getByRole("link", { name: `Delete permanently: \u2068${NAMES.Hebrew}\u2069` }).click();
  const sentence = page.getByRole("dialog", { name: "Delete project permanently?" }).locator("p", { hasText: NAMES.Hebrew });
  await expect(sentence).toHaveCSS("direction", "ltr");
  await expect(sentence.locator("bdi")).toHaveText(NAMES.Hebrew);
  await expect(sentence.locator("bdi")).toHaveCSS("direction", "rtl");
});

test("isolates names in every text, attribute and title of every page", { tag: "@slow" }, async ({ page, app }) => {
  const person = await signUp(app.url, NAMES.Hebrew);
  await page.context().addCookies(person.cookies);
  const { design, addresses } = await signedInAddresses(app, person, NAMES.Hebrew);
  const convex = await deploymentAs(app, person);
  const designId = design.replace("/design/", "");
  const [image] = await convex.query(api.designImages.getDesignImagesByDesignId, { designId });
  await convex.mutation(api.designs.setDescription, { id: designId, description: NAMES.Hebrew });
  await convex.mutation(api.designImages.setCaption, { id: image?._id ?? "", caption: NAMES.Hebrew });
  for (const [mutation, id] of [
    [api.tags.tagDesign, designId],
    [api.tags.tagImage, image?._id ?? ""],
  ] as const)
    await convex.mutation(mutation, { id, tag: NAMES.Hebrew });
  await page.setViewportSize({ width: 1440, height: 900 });
  let shown = 0;
  for (const address of [...addresses, `/search?q=2026`]) {
    await page.goto(address);
    await hydrated(page);
    const { names, faults } = await page.evaluate(findNames, NAMES.Hebrew);
    shown += names;
    expect(faults, address).toEqual([]);
  }
  expect(shown).toBeGreaterThan(50);
  await page.keyboard.press("Control+k");
  const words = page.getByRole("dialog", { name: "Commands" }).getByRole("combobox");
  await words.fill(NAMES.Hebrew);
  await expect(words).toHaveCSS("direction", "rtl");
});

function findNames(name: string) {
  const faults: string[] = [];
  let names = 0;
  const checkDirection = (text: string, isStartRightToLeft: boolean, where: string) => {
    if (!text.includes(name)) return;
    names++;
    const rest = text.replaceAll(/\u2068[^\u2069]*\u2069/g, "").trim();
    if (rest.includes(name) && !(isStartRightToLeft && rest.startsWith(name))) faults.push(`${where}: ${text}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (element && !element.matches("script, style, template"))
      checkDirection(texts.currentNode.textContent ?? "", getComputedStyle(element).direction === "rtl", element.outerHTML.slice(0, 120));
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [alt], [placeholder]"))
    for (const attribute of ["aria-label", "title", "alt", "placeholder"])
      checkDirection(element.getAttribute(attribute) ?? "", true, `${attribute} of ${element.tagName}`);
  for (const field of document.querySelectorAll<HTMLInputElement>("input[type=text], input[type=search], textarea"))
    checkDirection(field.value, getComputedStyle(field).direction === "rtl", `field ${field.name}`);
  checkDirection(document.title, false, "title");
  return { names, faults };
}

test("mirrors the shell in a right-to-left page", async ({ page, app, person }) => {
  const { design } = await seed(app, person);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(design);
  await hydrated(page);
  await page.evaluate(() => void (document.documentElement.dir = "rtl"));
  const sidebar = await page.getByRole("complementary", { name: "Sidebar" }).boundingBox();
  expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBe(1440);
  await expectNoOverflow(page, "1440 px");
});

test("reorders and shows toasts in a right-to-left page", async ({ page, app, person }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: NAMES.Hebrew });
  for (const number of [1, 2, 3]) await convex.mutation(api.designs.create, { projectId, name: `${NAMES.Arabic} ${number}` });
  await page.addInitScript(() => document.addEventListener("readystatechange", () => void (document.documentElement.dir = "rtl")));
  await page.setViewportSize({ width: 1440, height: 900 });
  const actions = pageActions(page, true);
  await actions.open(`/projects/${projectId}?sort=manual`);
  const [held = "", second = ""] = (await actions.cards.allTextContents()).map((name) => `\u2068${name}\u2069`);

  const announcer = page.locator("[data-announcer]");
  await page.getByRole("button", { name: `Reorder ${held}`, exact: true }).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowLeft");
  await expect(announcer).toContainText(`Position 2 of 3, after ${second}.`);
  const [line, beside] = [await page.locator(".drop-line").boundingBox(), await actions.cards.nth(1).boundingBox()];
  expect(line?.x).toBeLessThan(beside?.x ?? 0);
  await page.keyboard.press("ArrowRight");
  await expect(announcer).toContainText("Position 1 of 3.");
  await page.keyboard.press("Escape");
  await expect(announcer).toContainText(`${held} remains at position 1 of 3.`);

  await page.getByRole("button", { name: `More for ${held}`, exact: true }).click();
  await page.getByRole("button", { name: "Move to trash", exact: true }).click();
  await expect(actions.cards).toHaveCount(2);
  await page.keyboard.press("Control+z");
  const toast = page.locator("[data-sonner-toast]", { hasText: "Undone: Design moved to the trash" });
  await expect(toast).toBeVisible();
  expect((await toast.boundingBox())?.x).toBeLessThan(720);
});

test("uses the whole width of large screens", { tag: "@slow" }, async ({ page, app, person }) => {
  const { project, design, imageId } = await seed(app, person);
  for (const width of [2560, 3840]) {
    await page.setViewportSize({ width, height: 1440 });
    for (const path of ["/projects", project, `${project}/images`, design, "/trash", "/search?q=2026", `/compare?a=${imageId}`]) {
      await page.goto(path);
      await hydrated(page);
      const main = await page.locator("main").boundingBox();
      const isComparison = path.startsWith("/compare");
      const content = await page
        .locator(isComparison ? "main article" : "main ul")
        .last()
        .boundingBox();
      const side = ((isComparison ? width : (main?.width ?? 0)) - (content?.width ?? 0)) / 2;
      expect(side, `${path} at ${width} px`).toBeLessThanOrEqual(0.04 * width);
    }
    await page.goto("/search?q=2026");
    expect((await page.getByRole("search", { name: "This page" }).boundingBox())?.width).toBeLessThanOrEqual(768);
  }
});
