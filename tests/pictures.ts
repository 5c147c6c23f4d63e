import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../convex/_generated/api.js";
import { ensureBuilt } from "../server/build/ensure.ts";
import { addPictures, deploymentAs } from "./e2e/support/pictures.ts";
import type { PictureName } from "./fixtures/pictures.ts";
import { startApp } from "./harness/app.ts";
import { launchOptions } from "./harness/chromium.ts";
import { signUp } from "./harness/people.ts";

const OUT = fileURLToPath(new URL("../docs/pictures/", import.meta.url));

const WORKSPACE: Record<string, Record<string, PictureName[]>> = {
  "Northern light": {
    "First light": ["mountain", "sunset", "dandelions", "path", "fig", "clock", "dogs", "brushes"],
    Details: ["stripes", "brushes"],
  },
  "Small business sites": { Bakery: ["bakery", "fig"], Bank: ["bank"], Habits: ["habits"] },
  "Field trips": { "First walk": ["dogs", "path", "dandelions"] },
};

/** `npm run pictures`: takes README's screenshots of a seeded workspace. */
async function main(): Promise<void> {
  await ensureBuilt();
  await mkdir(OUT, { recursive: true });
  const app = await startApp();
  const browser = await chromium.launch(await launchOptions());
  try {
    const person = await signUp(app.url, "Ada Lovelace", "ada@example.com");
    const convex = await deploymentAs(app, person);
    let shown = "";
    for (const [project, designs] of Object.entries(WORKSPACE).toReversed()) {
      const projectId = await convex.mutation(api.projects.create, { name: project });
      for (const [design, pictures] of Object.entries(designs).toReversed()) {
        const designId = await convex.mutation(api.designs.create, { projectId, name: design });
        await addPictures(app, person, designId, pictures);
        shown = `/design/${designId}`;
      }
    }
    const taken = [
      { name: "projects-wide", path: "/projects", theme: "dark", width: 1440, height: 900 },
      { name: "design-wide", path: shown, theme: "dark", width: 1440, height: 900 },
      { name: "projects-narrow", path: "/projects", theme: "light", width: 390, height: 920 },
    ];
    for (const { name, path, theme, width, height } of taken) {
      const context = await browser.newContext({ baseURL: app.url, viewport: { width, height }, locale: "en-GB", deviceScaleFactor: 2 });
      await context.addCookies([...person.cookies, { name: "theme", value: theme, url: app.url }]);
      const page = await context.newPage();
      await page.goto(path);
      await still(page);
      await sharp(await page.screenshot())
        .webp({ quality: 74, effort: 6, smartSubsample: true })
        .toFile(join(OUT, `${name}.webp`));
      await context.close();
    }
  } finally {
    await browser.close();
    await app.dispose();
  }
}

async function still(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode()));
  });
}

await main();
