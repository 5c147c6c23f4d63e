import type { Page } from "@playwright/test";
import { TOASTS } from "../../../app/lib/ui/overlays/toasts.ts";
import { picturePath } from "../../fixtures/pictures.ts";
import { expect, expectAccessible, hydrated, test, toasterReady } from "../../harness/test.ts";
import { drawn, outside, showTheme, TARGETS, tooSmall, WIDE } from "../support/measures.ts";
import { addPictures, makeDesign } from "../support/pictures.ts";

const PHONE = { width: 360, height: 740 };
const TABLET = { width: 768, height: 900 };

async function expectAccessibleInBoth(page: Page) {
  await expectAccessible(page);
  await showTheme(page, "light");
  await expectAccessible(page, ["color-contrast"]);
  await showTheme(page, "dark");
}

const places = (page: Page) =>
  page.evaluate(() => {
    const of = (selector: string) =>
      [...document.querySelectorAll(selector)].map((each) => {
        const { top, bottom, left, right } = each.getBoundingClientRect();
        return { top: Math.round(top), bottom: Math.round(bottom), left, right };
      })[0];
    const toast = of('[data-sonner-toast][data-front="true"]');
    return { toast, bar: of(".selection-bar"), tray: of('section[aria-label="Uploads"]'), window: innerHeight, width: innerWidth };
  });

test("overlays pass the accessibility check and bottom bars do not overlap", { tag: "@slow" }, async ({ page, person, app }) => {
  test.slow();
  const { designId, path } = await makeDesign(app, person);
  await addPictures(app, person, designId, ["fig", "bank", "clock"]);
  await page.setViewportSize(WIDE);
  await page.addInitScript((duration) => {
    const own = window.setTimeout.bind(window);
    Object.assign(window, {
      setTimeout: (run: TimerHandler, ms?: number, ...rest: unknown[]) => (ms === duration ? 0 : own(run, ms, ...rest)),
    });
  }, TOASTS.duration);
  await page.goto(path);
  await hydrated(page);
  await toasterReady(page);

  await test.step("menus, dialogs, the palette", async () => {
    const opened: [name: string, open: () => Promise<unknown>, shown: ReturnType<Page["getByRole"]>][] = [
      ["a card's menu", () => page.getByRole("button", { name: "More for fig.jpg" }).click(), page.getByRole("group", { name: "fig.jpg" })],
      ["the user's menu", () => page.getByRole("button", { name: person.name }).click(), page.getByRole("group", { name: "You" })],
      ["the orders", () => page.getByRole("button", { name: /^Sort:/ }).click(), page.getByRole("group", { name: "Sort by" })],
      ["a description", () => page.getByRole("button", { name: "Add a description" }).click(), page.getByRole("dialog")],
      ["the palette", () => page.keyboard.press("Control+k"), page.getByRole("option").first()],
    ];
    for (const [name, open, shown] of opened) {
      await test.step(name, async () => {
        await open();
        await expect(shown).toBeVisible();
        await expectAccessibleInBoth(page);
        expect.soft(await tooSmall(page, TARGETS.fine), `${name}: targets`).toEqual([]);
        await page.keyboard.press("Escape");
        await expect(shown).toBeHidden();
      });
    }
  });

  const released = Promise.withResolvers<undefined>();
  await page.route("**/uploads/*", async (route) => {
    if (route.request().method() === "PATCH") await released.promise;
    await route.continue().catch(() => {});
  });
  await page.getByLabel("Add images").setInputFiles([picturePath("path"), picturePath("mountain"), picturePath("fig")]);
  const tray = page.getByRole("region", { name: "Uploads" });
  await expect(tray.getByRole("listitem").filter({ hasText: "fig.jpg" }).getByRole("alert")).toContainText("Duplicate of");
  await page.getByRole("link", { name: "Select" }).click();
  const bar = page.getByRole("form", { name: "Selection" });
  await expect(bar).toBeVisible();

  for (const size of [WIDE, TABLET, PHONE]) {
    await test.step(`places tray, bar and toast above each other at ${size.width} px`, async () => {
      await page.setViewportSize(size);
      await page.evaluate(() => scrollTo(0, 0));
      await drawn(page);
      await bar.getByRole("button", { name: "Move to trash" }).click();
      await expect(page.getByText("Nothing selected.").last()).toBeVisible();
      await expect
        .poll(async () => {
          const { toast, bar, tray, window } = await places(page);
          if (!toast || !bar || !tray) return "not all are there";
          const inOrder = toast.bottom < bar.top && bar.bottom < tray.top && tray.bottom < window;
          return inOrder ? "above each other" : JSON.stringify({ toast, bar, tray, window });
        })
        .toBe("above each other");
      if (size === PHONE) expect((await tray.boundingBox())?.height).toBeLessThanOrEqual(size.height / 5);
      expect((await places(page)).bar?.top).toBeGreaterThan(size.height * 0.4);
      expect(await outside(page)).toBeLessThanOrEqual(0);
      await expectAccessibleInBoth(page);
    });
  }

  await test.step("the sheet", async () => {
    await page.getByRole("button", { name: "Open the sidebar" }).click();
    await expect(page.getByRole("dialog", { name: "Sidebar" })).toBeVisible();
    await expectAccessibleInBoth(page);
    expect.soft(await tooSmall(page, TARGETS.fine)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: "Sidebar" })).toBeHidden();
  });
  released.resolve(undefined);
  await expect(tray.getByRole("heading")).toHaveText(/2 images added, 1 duplicate/);
});
