import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../../convex/_generated/api.js";
import type { ChosenFile } from "../../fixtures/pictures.ts";
import { launchOptions } from "../../harness/chromium.ts";
import { expect, hydrated, type Person, type RunningApp, signUp, test } from "../../harness/test.ts";
import { addPictures, deploymentAs } from "../support/pictures.ts";

/** Compares screens with `tests/baselines/`. Renew them with `npm run baselines`, and check each changed image before the commit. */

const TOLERATED = { maxDiffPixelRatio: 0.02, threshold: 0.2 };
const WIDTHS = { 360: 740, 768: 900, 1440: 900 };
const LARGE_WIDTHS = { 2560: 1440, 3840: 2160 };
const LARGE_SCREENS = new Set<Screen>(["projects", "design", "search", "compare"]);
const ONLY_LARGE = new Set<Screen>(["compare"]);
const THEMES = ["dark", "light"] as const;
const SCREENS = ["sign-in", "projects", "project", "empty-design", "design", "viewer", "billing", "search", "compare"] as const;
type Screen = (typeof SCREENS)[number];

const STYLE = fileURLToPath(new URL("visual.css", import.meta.url));

const { env } = await launchOptions();
test.skip(env?.["FONTCONFIG_FILE"] === undefined, "another Chromium than the one from npm draws some pixels otherwise");

test.describe.configure({ mode: "parallel" });

for (const name of SCREENS) {
  if (!ONLY_LARGE.has(name)) test(`matches its baselines: ${name}`, ({ app, browser }) => compare(app, browser, name, WIDTHS));
  if (LARGE_SCREENS.has(name)) {
    test(`matches its baselines on large screens: ${name}`, { tag: "@slow" }, ({ app, browser }) =>
      compare(app, browser, name, LARGE_WIDTHS),
    );
  }
}

async function compare(app: RunningApp, browser: Browser, name: Screen, sizes: Record<number, number>): Promise<void> {
  test.slow();
  const { person, paths } = await seed(app, `ada.${name}.${sizes === LARGE_WIDTHS ? "large" : "small"}@example.com`);
  const context = await browser.newContext({ baseURL: app.url, reducedMotion: "reduce" });
  await context.clock.setFixedTime(Date.now());
  if (name !== "sign-in") await context.addCookies(person.cookies);
  const page = await context.newPage();
  await page.goto(paths[name]);
  await hydrated(page);
  for (const [width, height] of Object.entries(sizes)) {
    await page.setViewportSize({ width: Number(width), height });
    await settled(page);
    for (const theme of THEMES) {
      await page.evaluate((chosen) => void (document.documentElement.dataset["theme"] = chosen), theme);
      await expect.soft(page).toHaveScreenshot(`${name}-${width}-${theme}.png`, { ...TOLERATED, stylePath: STYLE, animations: "disabled" });
    }
  }
  await context.close();
}

async function settled(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  // `decode` rejects for an image whose source changes before the end, such as an image of a resized gallery.
  await expect(() =>
    page.evaluate(async () => {
      await Promise.all([...document.images].filter(({ loading }) => loading !== "lazy").map((image) => image.decode()));
    }),
  ).toPass();
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

async function seed(app: RunningApp, email: string): Promise<{ person: Person; paths: Record<Screen, string> }> {
  const person = await signUp(app.url, "Ada Lovelace", email);
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
  const [first, second] = await addPictures(app, person, designId, files);
  const paths = {
    "sign-in": "/sign-in",
    projects: "/projects",
    project: `/projects/${projectId}`,
    "empty-design": `/design/${empty}`,
    design: `/design/${designId}`,
    viewer: `/design/${designId}/images/${first}`,
    billing: "/billing",
    search: "/search?q=light",
    compare: `/compare?a=${first}&b=${second}`,
  };
  return { person, paths };
}

async function plain(name: string, width: number, height: number, background: string): Promise<ChosenFile> {
  const buffer = await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
  return { name, mimeType: "image/png", buffer };
}
