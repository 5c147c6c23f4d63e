import type { Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../harness/test.ts";
import { hands } from "./hands.ts";
import { addPictures, addVersion, deploymentAs } from "./pictures.ts";

/** A name that fits nowhere. */
const LONG = "A name of one very long word: Donaudampfschifffahrtsgesellschaftskapitän";

/** WCAG 2.2: 2.5.8 for any pointer; 2.5.5 for fingers. In CSS pixels. */
const TARGETS = { fine: 24, coarse: 44 };
/** WCAG 2.2, 1.4.10: 1280 px at 400%; and 1.4.4: at 200%. */
const NARROW = { width: 320, height: 640 };
const ZOOMED = { width: 640, height: 512 };
const WIDE = { width: 1440, height: 900 };

/** Every screen: without anybody, and with somebody who has one of everything. */
const OUTSIDE = [
  "/sign-in",
  "/sign-up",
  "/forgot-password",
  "/reset-password?token=none",
  "/two-factor",
  "/verify-email",
  "/error",
  "/none",
];

async function screensOf(app: RunningApp, person: Person): Promise<string[]> {
  const convex = await deploymentAs(app, person);
  const gone = await convex.mutation(api.projects.create, { name: "Long gone" });
  await convex.mutation(api.projects.moveToTrash, { id: gone });
  const project = await convex.mutation(api.projects.create, { name: LONG });
  await convex.mutation(api.designs.create, { projectId: project, name: "Empty" });
  const design = await convex.mutation(api.designs.create, { projectId: project, name: LONG });
  const [image = "", other = ""] = await addPictures(app, person, design, ["fig", "bank"]);
  await addVersion(app, person, design, image, "path");
  return [
    "/projects",
    `/projects?rename=${project}`,
    `/projects/${project}`,
    `/projects/${project}?sort=manual`,
    `/projects/${project}/activity`,
    `/projects/${project}/images`,
    `/design/${design}`,
    `/design/${design}?remove=${image}`,
    `/design/${design}/move`,
    `/design/${design}/images/${image}`,
    `/design/${design}/images/${image}/move`,
    `/compare?a=${image}&b=${other}`,
    "/account",
    "/account/security",
    "/account/sessions",
    "/account/connections",
    "/account/data",
    "/trash",
    "/search?q=fig",
    "/shortcuts",
    "/billing",
    "/notifications",
    "/projects/none",
    "/none",
  ];
}

/** Shows the page as the choice in the user's menu does. */
const show = (page: Page, theme: "dark" | "light") =>
  page.evaluate((chosen) => void (document.documentElement.dataset["theme"] = chosen), theme);

/** What is wider than the window, or stands beside it, so that one would have to scroll two ways. */
const outside = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Until what has changed is laid out: where less motion is asked for, a change takes a frame. */
const still = (page: Page) => page.evaluate(() => new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))));

/** What can be acted on in the page's content, by what it is called: what is folded, or another's, not included. */
function controls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main :is(a[href], button, summary, input, select, textarea)")]
      .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.getClientRects().length > 0)
      .map((each) => `${each.localName} ${each.ariaLabel ?? (each.textContent?.trim() || each.id)}`),
  );
}

/**
 * Controls that a pointer has less room to hit than `least` pixels either way: tried at the corners of that room, since what a control covers need not be
 * its box. Not asked of links within a sentence, and of what is hidden but for those who come by keyboard (2.5.8's exceptions).
 */
function tooSmall(page: Page, least: number): Promise<string[]> {
  return page.evaluate((least) => {
    const small: string[] = [];
    const dialog = document.querySelector(":modal, dialog:popover-open");
    for (const control of document.querySelectorAll<HTMLElement>(
      ":is(a[href], button, summary, input:not([type=hidden]), select, textarea)",
    )) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      // Nothing behind a dialog is to be hit.
      if (dialog && !dialog.contains(control)) continue;
      const target = control.closest("label") ?? control;
      if (control.localName === "a" && control.parentElement?.matches("p, dd, figcaption, [data-sentence]")) continue;
      if (target.getBoundingClientRect().width < 2) continue;
      target.scrollIntoView({ block: "center", inline: "center" });
      const { left, top, width, height } = target.getBoundingClientRect();
      if ((width >= least && height >= least) || top + height < 0) continue;
      const [x, y] = [left + width / 2, top + height / 2];
      const reach = least / 2 - 1;
      const corners = [-reach, reach].flatMap((dx) =>
        [-reach, reach].map((dy) => ({ x: width >= least ? x : x + dx, y: height >= least ? y : y + dy })),
      );
      // What lies outside the window cannot be hit there, and what lies over it is another's.
      const hit = corners.every((corner) => target.contains(document.elementFromPoint(corner.x, corner.y)));
      if (!hit)
        small.push(`${control.localName} "${control.ariaLabel ?? control.textContent?.trim()}" ${Math.round(width)}×${Math.round(height)}`);
    }
    return [...new Set(small)];
  }, least);
}

test("no screen has anything to object to: axe in both themes, targets, 320 px, 200%", async ({ page, person, app, otherBrowser }) => {
  test.setTimeout(400_000);
  const nobody = await otherBrowser();
  const visits = [...OUTSIDE.map((path) => ({ path, at: nobody })), ...(await screensOf(app, person)).map((path) => ({ path, at: page }))];
  const touch = new Map<Page, (on: boolean) => Promise<unknown>>();
  for (const at of [nobody, page]) {
    // What folds with the window has then folded at once.
    await at.emulateMedia({ reducedMotion: "reduce" });
    const session = await at.context().newCDPSession(at);
    touch.set(at, (enabled) => session.send("Emulation.setTouchEmulationEnabled", { enabled, maxTouchPoints: 1 }));
  }
  for (const { path, at } of visits) {
    await test.step(path.replaceAll(/[a-z0-9]{32}/g, "ID"), async () => {
      await at.setViewportSize(WIDE);
      await at.goto(path);
      await hydrated(at);
      await expectAccessible(at);
      await show(at, "light");
      await expectAccessible(at, ["color-contrast"]);
      expect.soft(await tooSmall(at, TARGETS.fine), `${path}: targets`).toEqual([]);
      const all = await controls(at);

      for (const size of [ZOOMED, NARROW]) {
        await at.setViewportSize(size);
        await still(at);
        expect.soft(await outside(at), `${path}: beside the window at ${size.width} px`).toBeLessThanOrEqual(0);
        expect.soft(await controls(at), `${path}: what is there at ${size.width} px`).toEqual(all);
      }
      await touch.get(at)?.(true);
      expect(await at.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
      await still(at);
      expect.soft(await tooSmall(at, TARGETS.coarse), `${path}: targets for fingers`).toEqual([]);
      expect.soft(await outside(at), `${path}: beside the window for fingers`).toBeLessThanOrEqual(0);
      await touch.get(at)?.(false);
    });
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("what is there only then has nothing to object to either", async ({ page, person, app }) => {
    const screens = await screensOf(app, person);
    for (const path of ["/projects", screens.find((each) => /^\/design\/\w+$/.test(each)) ?? "", "/account/security"]) {
      await page.goto(path);
      await expectAccessible(page);
    }
  });
});

test("nothing moves where less motion is asked for", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await hands(page, true).open("/projects");
  /** How long the longest of what runs takes, in milliseconds; what follows a wait does not move. */
  const longest = () =>
    page.evaluate(() => Math.max(0, ...document.getAnimations().map(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0))));
  await page.getByRole("button", { name: "Open the sidebar" }).click();
  expect(await longest()).toBeLessThan(1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New project" }).first().click();
  expect(await longest()).toBeLessThan(1);
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.keyboard.press("Escape");
  await expect.poll(longest, { intervals: [5] }).toBeGreaterThan(100);
});

test("what is chosen, focused and filled is seen in the system's own colours, and with more contrast", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const style = (label: string, property: string) =>
    page
      .getByLabel(label, { exact: true })
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  await page.emulateMedia({ forcedColors: "active" });
  await hands(page, true).open("/projects");
  const current = page.getByRole("complementary").getByRole("link", { name: "Projects" });
  await expect(current).toHaveCSS("outline-style", "dashed");
  await current.focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect(current).toHaveCSS("outline-style", "solid");
  // A button that only its fill shows has an edge as soon as fills are the system's. (What is computed stays what the sheet says.)
  const button = page.getByRole("button", { name: "New project" }).first();
  await expect(button).toHaveCSS("border-top-style", "solid");
  await expect(button).toHaveCSS("border-top-width", "1px");
  await page.getByRole("button", { name: person.name }).click();
  expect([await style("Dark", "outline-style"), await style("Light", "outline-style")]).toEqual(["dashed", "none"]);

  await page.emulateMedia({ forcedColors: "none" });
  const line = () => page.evaluate(() => getComputedStyle(document.querySelector("aside, .sidebar") ?? document.body).borderRightColor);
  const faint = await line();
  await page.emulateMedia({ contrast: "more" });
  await expect.poll(line).not.toBe(faint);
});
