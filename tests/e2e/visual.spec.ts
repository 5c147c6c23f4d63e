import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import type { ChosenFile } from "../fixtures/pictures.ts";
import { launchOptions } from "../harness/chromium.ts";
import { expect, hydrated, type RunningApp, signUp, test } from "../harness/test.ts";
import { addPictures, deploymentAs } from "./pictures.ts";

/**
 * The main screens beside their pictures in `tests/baselines/`: both themes, a phone, a tablet and a desk. Text is drawn alike everywhere (fonts of
 * our own, no hinting), nothing moves, the clock stands, and the seeded pictures are plain, so that the baselines stay small.
 *
 * Renew them with `npm run baselines`, and look at each that changed before it is committed.
 */

/** Up to a button more, or a line of a menu; a layout that broke moves far more. A pixel may differ by its antialiasing. */
const TOLERATED = { maxDiffPixelRatio: 0.02, threshold: 0.2 };
const WIDTHS = { 360: 740, 768: 900, 1440: 900 };
const THEMES = ["dark", "light"] as const;

const STYLE = fileURLToPath(new URL("visual.css", import.meta.url));

const { env } = await launchOptions();
test.skip(env?.["FONTCONFIG_FILE"] === undefined, "another Chromium than the one from npm draws some pixels otherwise");

test("the main screens look as they did", async ({ app, browser }) => {
  const { person, screens } = await seed(app);
  const context = await browser.newContext({ baseURL: app.url, reducedMotion: "reduce" });
  await context.clock.setFixedTime(Date.now());
  const page = await context.newPage();

  await compare(page, "sign-in", "/sign-in");
  // Its own way to the projects, once it has a session, would cross the one below.
  await page.goto("about:blank");
  await context.addCookies(person.cookies);
  for (const [name, path] of Object.entries(screens)) await compare(page, name, path);
  await context.close();
});

async function compare(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
  for (const [width, height] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width: Number(width), height });
    await settled(page);
    for (const theme of THEMES) {
      // As the choice in the user's menu does it.
      await page.evaluate((chosen) => void (document.documentElement.dataset["theme"] = chosen), theme);
      await expect.soft(page).toHaveScreenshot(`${name}-${width}-${theme}.png`, { ...TOLERATED, stylePath: STYLE, animations: "disabled" });
    }
  }
}

/** Until every picture and font in sight is there. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].filter(({ loading }) => loading !== "lazy").map((image) => image.decode()));
  });
  await expect
    .poll(() =>
      page.evaluate(() =>
        [...document.images].every((image) => {
          const { top, bottom } = image.getBoundingClientRect();
          return image.complete || bottom < 0 || top > innerHeight;
        }),
      ),
    )
    .toBe(true);
}

/** A workspace with two projects; its pictures are plain surfaces of different shapes. */
async function seed(app: RunningApp) {
  const person = await signUp(app.url, "Ada Lovelace", "ada.visual@example.com");
  const convex = await deploymentAs(app, person);
  const sites = await convex.mutation(api.projects.create, { name: "Small business sites" });
  const empty = await convex.mutation(api.designs.create, { projectId: sites, name: "Bakery" });
  const projectId = await convex.mutation(api.projects.create, { name: "Northern light" });
  await convex.mutation(api.designs.create, { projectId, name: "Details" });
  const designId = await convex.mutation(api.designs.create, { projectId, name: "First light" });
  const shapes = [
    [1200, 800, "#7a8f6b"],
    [800, 1200, "#b5532f"],
    [1440, 900, "#e9e4d8"],
    [1000, 1000, "#2f4858"],
    [1600, 900, "#c9a227"],
  ] as const;
  const files = await Promise.all(shapes.map(([width, height, colour]) => plain(`${colour.slice(1)}.png`, width, height, colour)));
  const [first] = await addPictures(app, person, designId, files);
  const screens = {
    projects: "/projects",
    project: `/projects/${projectId}`,
    "empty-design": `/design/${empty}`,
    design: `/design/${designId}`,
    viewer: `/design/${designId}/images/${first}`,
    billing: "/billing",
  };
  return { person, screens };
}

async function plain(name: string, width: number, height: number, background: string): Promise<ChosenFile> {
  const buffer = await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
  return { name, mimeType: "image/png", buffer };
}
