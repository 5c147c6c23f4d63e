import type { Page } from "@playwright/test";
import { api } from "../../convex/_generated/api.js";
import { expect, type Person, type RunningApp, test } from "../harness/test.ts";
import { pageActions } from "../e2e/support/page-actions.ts";
import { addPictures, deploymentAs, makeDesign } from "../e2e/support/pictures.ts";

/** 20 rounds of up to nine actions take a minute on an idle machine, and ten on a busy one. */
test.describe.configure({ mode: "parallel", timeout: 720_000 });
test.use({ saveData: false });

const ROUNDS = 20;
const WARM_UP = 3;

async function seed(app: RunningApp, person: Person) {
  const { designId, path } = await makeDesign(app, person);
  const ids = await addPictures(app, person, designId, ["fig", "bank", "clock"]);
  const convex = await deploymentAs(app, person);
  for (let copy = 0; copy < 9; copy++) await convex.mutation(api.designImages.duplicate, { id: ids[0] ?? "" });
  return { path };
}

async function expectNoGrowth(page: Page, round: () => Promise<void>): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Performance.enable");
  const count = async () => {
    await page.mouse.move(0, 0);
    await devTools.send("HeapProfiler.collectGarbage");
    const { metrics } = await devTools.send("Performance.getMetrics");
    const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN;
    return { nodes: value("Nodes"), listeners: value("JSEventListeners") };
  };
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  for (let done = 0; done < WARM_UP; done++) await round();
  const before = await count();
  for (let done = 0; done < ROUNDS; done++) await round();
  await expect
    .poll(async () => {
      const after = await count();
      return { nodes: after.nodes < before.nodes * 1.05, listeners: after.listeners < before.listeners * 1.05, before, after };
    })
    .toMatchObject({ nodes: true, listeners: true });
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
}

test("pages, the viewer and comparison leave no nodes behind", async ({ page, app, person }) => {
  const { path } = await seed(app, person);
  await pageActions(page, true).open("/projects");
  await expectNoGrowth(page, async () => {
    await page.getByRole("main").getByRole("link", { name: "Magazine" }).click();
    await page.getByRole("main").getByRole("link", { name: "Cover", exact: true }).click();
    await page.getByRole("link", { name: "bank.png", exact: true }).click();
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.getByRole("link", { name: "Overlay" }).click();
    await expect(page.locator(".compare-layer")).toHaveCount(2);
    await page.getByRole("link", { name: "Close" }).click();
    await expect(page.getByRole("link", { name: "Next image" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(path);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Projects", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeAttached();
  });
});

test("menus and dialogs leave no nodes behind", async ({ page, app, person }) => {
  await seed(app, person);
  const she = pageActions(page, true);
  await she.open("/projects");
  await expectNoGrowth(page, async () => {
    await page.getByRole("main").getByRole("link", { name: "Magazine" }).click();
    await page.getByRole("button", { name: "More for Cover" }).click();
    await page.getByRole("link", { name: "Rename" }).click();
    await expect(she.dialog("Rename design")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(she.dialog("Rename design")).toBeHidden();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Projects", exact: true }).click();
    await page.getByRole("button", { name: "More for Magazine" }).click();
    await expect(page.getByRole("group", { name: "Magazine", exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New project" }).first().click();
    await expect(she.dialog("New project")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(she.dialog("New project")).toBeHidden();
  });
});

test("the upload tray leaves no nodes behind", async ({ page, app, person }) => {
  const { path } = await seed(app, person);
  await pageActions(page, true).open(path);
  const tray = page.getByRole("region", { name: "Uploads" });
  await expectNoGrowth(page, async () => {
    await page.getByLabel("Add images").setInputFiles({ name: "notes.png", mimeType: "image/png", buffer: Buffer.from("no image") });
    await tray.getByRole("button", { name: "Close" }).click();
    await expect(tray).toBeHidden();
  });
});

test("search does not leak DOM nodes", async ({ page, app, person }) => {
  await seed(app, person);
  await pageActions(page, true).open("/projects");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await expectNoGrowth(page, async () => {
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill("bank");
    await expect(palette.getByRole("option", { name: /bank\.png/ })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(palette).toBeHidden();
    await page.getByRole("search").getByRole("searchbox").first().fill("fig");
    await page.keyboard.press("Enter");
    await expect(
      page
        .getByRole("main")
        .getByRole("link", { name: /fig\.jpg/ })
        .first(),
    ).toBeVisible();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Projects", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeAttached();
  });
});
