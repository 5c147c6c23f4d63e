import type { Page } from "@playwright/test";
import routes from "../../app/routes.ts";
import { api } from "../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../harness/test.ts";
import { hands } from "./hands.ts";
import { controls, drawn, NARROW, outside, showTheme, TARGETS, tooSmall, WIDE, ZOOMED } from "./measures.ts";
import { addPictures, addVersion, deploymentAs } from "./pictures.ts";

/** A name that fits nowhere. */
const LONG = "A name of one very long word: Donaudampfschifffahrtsgesellschaftskapitän";

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
  const thrown = await convex.mutation(api.designs.create, { projectId: project, name: "Thrown away" });
  await convex.mutation(api.designs.moveToTrash, { id: thrown });
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
    `/trash/${thrown}/restore`,
    `/projects/${gone}`,
    "/move/images",
    "/move/designs",
    "/search?q=fig",
    "/shortcuts",
    "/billing",
    "/notifications",
    "/projects/none",
    "/none",
  ];
}

type Entry = { path?: string; index?: boolean; children?: Entry[] };

/** The addresses that are pages, by the app's own table: its first layout has them all, with some that only lead on, and those of development. */
function pages(entries: Entry[], above = ""): string[] {
  return entries.flatMap(({ path, index, children }) => {
    const own = path === undefined ? above : `${above}/${path}`;
    const itself = path !== undefined || index ? [own || "/"] : [];
    return children ? [...(path === undefined ? [] : itself), ...pages(children, own)] : itself;
  });
}
const NO_SCREENS = ["/", "/sign-in/social", "/sign-out", "/dev/ui", "/dev/outbox"];

test("no screen has anything to object to: axe in both themes, targets, 320 px, 200%", async ({ page, person, app, otherBrowser }) => {
  test.setTimeout(400_000);
  const nobody = await otherBrowser();
  const visits = [...OUTSIDE.map((path) => ({ path, at: nobody })), ...(await screensOf(app, person)).map((path) => ({ path, at: page }))];
  const unseen = pages(routes.slice(0, 1))
    .filter((pattern) => !NO_SCREENS.includes(pattern))
    .filter((pattern) => {
      const address = new RegExp(`^${pattern.replaceAll(/:\w+/g, "\\w+").replace("*", "none")}(?:[?]|$)`);
      return !visits.some(({ path }) => address.test(path));
    });
  expect(unseen).toEqual([]);
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
      await showTheme(at, "light");
      await expectAccessible(at, ["color-contrast"]);
      expect.soft(await tooSmall(at, TARGETS.fine), `${path}: targets`).toEqual([]);
      const all = await controls(at);

      for (const size of [ZOOMED, NARROW]) {
        await at.setViewportSize(size);
        await drawn(at);
        expect.soft(await outside(at), `${path}: beside the window at ${size.width} px`).toBeLessThanOrEqual(0);
        expect.soft(await controls(at), `${path}: what is there at ${size.width} px`).toEqual(all);
      }
      await touch.get(at)?.(true);
      expect(await at.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
      await drawn(at);
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
  // The page itself notes what runs: it may be over before it is asked.
  await page.evaluate(() => {
    const note = ({ target }: Event) => {
      const durations = target instanceof Element ? target.getAnimations().map(({ effect }) => effect?.getComputedTiming().duration) : [];
      Object.assign(window, { moved: Math.max(Number(Reflect.get(window, "moved") ?? 0), ...durations.map(Number)) });
    };
    for (const type of ["animationstart", "transitionrun"]) addEventListener(type, note, true);
  });
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate(() => Number(Reflect.get(window, "moved")))).toBeGreaterThan(100);
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
