import type { Page } from "@playwright/test";
import routes from "../../../app/routes.ts";
import { api } from "../../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { storeOf } from "../../harness/store.ts";
import { pageActions } from "../support/page-actions.ts";
import { controls, drawn, NARROW, outside, showTheme, TARGETS, tooSmall, WIDE, ZOOMED } from "../support/measures.ts";
import { makeLink } from "../support/links.ts";
import { addPictures, addVersion, deploymentAs } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

const LONG = "A name of one very long word: Donaudampfschifffahrtsgesellschaftskapitän";

const OUTSIDE = [
  "/sign-in",
  "/sign-up",
  "/invitation",
  "/forgot-password",
  "/reset-password?token=none",
  "/two-factor",
  "/verify-email",
  "/error",
  "/none",
];

async function screensOf(app: RunningApp, person: Person): Promise<string[]> {
  await (await storeOf(app)).setAdministrator(person.id, true);
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
  const comment = { itemId: image, text: LONG, anchor: { x: 0.5, y: 0.5 }, key: "accessible" };
  const thread = await convex.mutation(api.comments.startThread, comment);
  await convex.mutation(api.comments.reply, { threadId: thread, text: `- **${LONG}**`, key: "accessible reply" });
  const link = await makeLink(app, person, project, { comments: true });
  const ofImage = await makeLink(app, person, project, { item: image, downloads: true });
  const commented = await makeLink(app, person, project, { comments: true });
  const locked = await makeLink(app, person, project, { password: "correct horse link" });
  return [
    "/projects",
    `/projects?rename=${project}`,
    `/projects/${project}`,
    `/projects/${project}?sort=manual`,
    `/projects/${project}/activity`,
    `/projects/${project}/members`,
    `/projects/${project}/review`,
    `/projects/${project}/sharing`,
    `/projects/${project}/transfer`,
    link,
    `${link}/designs/${design}`,
    `${link}/designs/${design}/images/${image}`,
    `${link}/images/${image}`,
    `${link}/designs/${design}/comments`,
    `${link}/images/${image}/comments`,
    `${link}/compare?a=${image}&b=${other}`,
    `${commented}/designs/${design}/comments`,
    `${commented}/images/${image}/comments`,
    ofImage,
    `${locked}/unlock`,
    "/shared",
    `/projects/${project}/images`,
    `/design/${design}`,
    `/design/${design}?remove=${image}`,
    `/design/${design}/comments`,
    `/design/${design}/images/${image}/comments`,
    `/design/${design}/images/${image}/comments?thread=${thread}`,
    `/design/${design}/move`,
    `/design/${design}/images/${image}`,
    `/design/${design}/images/${image}/move`,
    `/compare?a=${image}&b=${other}`,
    "/account",
    "/account/security",
    "/account/sessions",
    "/account/connections",
    "/account/notifications",
    "/account/tokens",
    "/account/activity",
    "/account/data",
    "/unsubscribe",
    "/trash",
    `/trash/${thrown}/restore`,
    `/projects/${gone}`,
    "/move/images",
    "/move/designs",
    "/search?q=fig",
    "/shortcuts",
    "/billing",
    "/notifications",
    "/share/images",
    "/projects/none",
    "/none",
    "/admin",
    `/admin/people/${person.id}`,
    ...["audit-log", "links", "storage", "jobs", "mail", "health", "settings"].map((name) => `/admin/${name}`),
  ];
}

type Entry = { path?: string; index?: boolean; children?: Entry[] };

function pages(entries: Entry[], above = ""): string[] {
  return entries.flatMap(({ path, index, children }) => {
    const own = path === undefined ? above : `${above}/${path}`;
    const itself = path !== undefined || index ? [own || "/"] : [];
    return children ? [...(path === undefined ? [] : itself), ...pages(children, own)] : itself;
  });
}
const NO_SCREENS = ["/", "/sign-in/social", "/sign-out", "/switch-account", "/s/:token/report", "/dev/ui", "/dev/outbox"];

/** Narrow lists of projects and designs use the size that is chosen with the images (docs/decisions/143-image-sizes.md). */
const SET_ELSEWHERE = /^button (?:Small|Medium|Large) images$/;

test(
  "every screen passes axe in both themes, and fits 320 px and 200% zoom",
  { tag: "@slow" },
  async ({ page, person, app, otherBrowser }) => {
    test.setTimeout(400_000);
    const nobody = await otherBrowser();
    const visits = [
      ...OUTSIDE.map((path) => ({ path, at: nobody })),
      ...(await screensOf(app, person)).map((path) => ({ path, at: page })),
    ];
    const unseen = pages(routes.slice(0, 1))
      .filter((pattern) => !NO_SCREENS.includes(pattern))
      .filter((pattern) => {
        const address = new RegExp(`^${pattern.replaceAll(/:\w+/g, "\\w+").replace("*", "none")}(?:[?]|$)`);
        return !visits.some(({ path }) => address.test(path));
      });
    expect(unseen).toEqual([]);
    const touch = new Map<Page, (on: boolean) => Promise<unknown>>();
    for (const at of [nobody, page]) {
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
          const { shown, inMenus } = await reachable(at);
          expect
            .soft(shown, `${path}: what is there at ${size.width} px`)
            .toEqual(all.filter((each) => shown.includes(each) || !(inMenus.includes(each) || SET_ELSEWHERE.test(each))));
        }
        await touch.get(at)?.(true);
        expect(await at.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
        await drawn(at);
        expect.soft(await tooSmall(at, TARGETS.coarse), `${path}: targets for fingers`).toEqual([]);
        expect.soft(await outside(at), `${path}: beside the window for fingers`).toBeLessThanOrEqual(0);
        await touch.get(at)?.(false);
      });
    }
  },
);

const MOVED = {
  "a Download design": "Download",
  "button Delete design": "Move to trash",
  "button Rotate left": "Rotate left",
  "button Rotate right": "Rotate right",
};

async function reachable(page: Page): Promise<{ shown: string[]; inMenus: string[] }> {
  const inMenus = await page.evaluate(
    (moved) =>
      Object.entries(moved).flatMap(([control, name]) => {
        const items = [...document.querySelectorAll(".menu-item.sm\\:hidden, .viewer .menu-item")];
        return items.some((item) => item.textContent.trim() === name && getComputedStyle(item).display !== "none") ? [control] : [];
      }),
    MOVED,
  );
  const unfold = (open: boolean) =>
    page.evaluate((isOpen) => {
      for (const fold of document.querySelectorAll<HTMLDetailsElement>("details.page-about"))
        if (fold.querySelector("summary")?.checkVisibility()) fold.open = isOpen;
    }, open);
  await unfold(true);
  const shown = (await controls(page)).filter((each) => !each.startsWith("summary Description and tags"));
  await unfold(false);
  return { shown, inMenus };
}

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the elements for browsers without JavaScript pass, too", async ({ page, person, app }) => {
    const screens = await screensOf(app, person);
    for (const path of ["/projects", screens.find((each) => /^\/design\/\w+$/.test(each)) ?? "", "/account/security"]) {
      await page.goto(path);
      await expectAccessible(page);
    }
  });
});

test("nothing moves with reduced motion", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await pageActions(page, true).open("/projects");
  const longest = () =>
    page.evaluate(() => Math.max(0, ...document.getAnimations().map(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0))));
  await page.getByRole("button", { name: "Open the sidebar" }).click();
  expect(await longest()).toBeLessThan(1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New project" }).first().click();
  expect(await longest()).toBeLessThan(1);
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  // Records animations in the page: one may end before it is read.
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

test("forced colours and more contrast keep selection, focus and fill visible", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const style = (label: string, property: string) =>
    page
      .getByLabel(label, { exact: true })
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  await page.emulateMedia({ forcedColors: "active" });
  await pageActions(page, true).open("/projects");
  const current = page.getByRole("complementary").getByRole("link", { name: "Projects" });
  await expect(current).toHaveCSS("outline-style", "dashed");
  await current.focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect(current).toHaveCSS("outline-style", "solid");
  // With forced colours, a filled button has a border. Computed styles still show the style sheet's value.
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
