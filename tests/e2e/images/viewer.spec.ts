import type { Locator, Page } from "@playwright/test";
import sharp, { type Sharp } from "sharp";
import { api } from "../../../convex/_generated/api.js";
import { hostileSvg, pictureBytes, type PictureName, picturePath, sidewaysPhotograph } from "../../fixtures/pictures.ts";
import { VARIANT_WIDTHS } from "../../../app/features/images/display/image-address.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  type Person,
  type RunningApp,
  waitForAnimations,
  test,
} from "../../harness/test.ts";
import { gallery } from "../support/gallery.ts";
import { addPictures, addVersion, deploymentAs, makeDesign } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

const stage = (page: Page) => page.locator(".viewer-backdrop").first();
const zoom = async (page: Page) => Number((await page.locator("[data-zoom]").innerText()).replace("%", ""));
const fittedZoom = async (page: Page) => {
  await page.evaluate(async () => void (await document.fonts.ready));
  await expect.poll(() => zoom(page)).toBeGreaterThan(0);
  return zoom(page);
};
const offset = (page: Page) =>
  page
    .locator(".viewer-picture")
    .first()
    .evaluate((box) => [box.getBoundingClientRect().left, box.getBoundingClientRect().top]);

async function designWith(app: RunningApp, person: Person, names: Parameters<typeof addPictures>[3]) {
  const { designId, path } = await makeDesign(app, person);
  return { designId, path, ids: await addPictures(app, person, designId, names) };
}

async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("It is not to be seen.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function expectOwnPixels(page: Page, clip: { x: number; y: number; width: number; height: number }, name: PictureName, density = 1) {
  await expect(page.locator("[data-sharp]")).toHaveCSS("opacity", "1");
  await page.locator("[data-sharp]").evaluate((img) => (img instanceof HTMLImageElement ? img.decode() : null));
  const file = await pictureBytes(name);
  const pixels = (image: Sharp) => image.removeAlpha().raw().toBuffer();
  const isItsOwn = async () => {
    const [left = 0, top = 0] = await offset(page);
    const from = { left: Math.round((clip.x - left) * density), top: Math.round((clip.y - top) * density) };
    const seen = await pixels(sharp(await page.screenshot({ clip })));
    return seen.equals(await pixels(sharp(file).extract({ ...from, width: clip.width * density, height: clip.height * density })));
  };
  // Fonts may still move the stage, and decoded pixels are drawn a frame later.
  await expect.poll(isItsOwn).toBe(true);
}

async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ("value" in entry && "hadRecentInput" in entry && !entry.hadRecentInput) sum += Number(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
    Object.defineProperty(window, "shifted", { get: () => sum });
  });
  return () => page.evaluate(() => ("shifted" in window ? Number(window.shifted) : -1));
}

test("the viewer zooms and pans by wheel, pointer and keys above the gallery", { tag: "@slow" }, async ({ page, app, person }) => {
  const { designId, path, ids } = await designWith(app, person, ["fig", "dogs", "habits", "bank", await sidewaysPhotograph()]);
  const shifted = await watchShifts(page);
  const grown = await watchGrowth(page);
  await page.setViewportSize({ width: 1000, height: 640 });
  await page.goto(path);
  await hydrated(page);
  const thumbnail = gallery(page).nth(3).getByRole("link");
  await thumbnail.scrollIntoViewIfNeeded();
  const left = await page.evaluate(() => window.scrollY);
  await thumbnail.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/design/${designId}/images/${ids[3]}`);
  await expect(page.getByRole("article", { name: "bank.png" })).toBeFocused();
  await expect(thumbnail).toHaveCount(0);
  await waitForAnimations(page);
  await expect.poll(grown).toBe(1);

  const fitted = await fittedZoom(page);
  expect(fitted).toBeLessThan(70);
  const { x, y } = await middleOf(stage(page));
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -200);
  await expect.poll(() => zoom(page)).toBeGreaterThan(fitted * 1.4);
  await page.keyboard.press("0");
  await expect.poll(() => zoom(page)).toBe(fitted);
  await page.mouse.dblclick(x, y);
  await expect.poll(() => zoom(page)).toBe(100);
  const before = await offset(page);
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => (await offset(page))[0]).toBeLessThan(before[0] ?? 0);
  await page.mouse.down();
  await page.mouse.move(x + 30, y + 20, { steps: 3 });
  await page.mouse.up();
  await page.mouse.wheel(0, 0);
  expect(await page.evaluate(() => window.scrollY)).toBe(left);

  await page.keyboard.press("1");
  await expectOwnPixels(page, { x: 150, y: 150, width: 500, height: 200 }, "bank");

  for (const [key, bound] of [
    ["2", fitted + 1],
    ["+", fitted + 2],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => zoom(page)).toBeGreaterThan(bound);
  }
  await page.getByRole("button", { name: "Fit" }).click();
  await page.keyboard.press("g");
  await expect(stage(page)).toHaveAttribute("data-background", "black");

  const isFull = () => page.evaluate(() => document.fullscreenElement === document.documentElement);
  await page.keyboard.press("f");
  await expect.poll(isFull).toBe(true);
  await expect(page.getByRole("article", { name: "bank.png" })).toBeVisible();
  await page.getByRole("button", { name: "Full screen" }).click();
  await expect.poll(isFull).toBe(false);

  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveTitle("IMG_2041.jpg · Atelier");
  await page.keyboard.press("i");
  await expect(page.getByText("Lumen Pocket 3")).toBeVisible();
  await expect(page.getByText("Hidden (in the original file only)")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("i");
  await page.reload();
  await expect(stage(page)).toHaveAttribute("data-background", "black");
  await hydrated(page);
  await expect(page.getByRole("img", { name: "IMG_2041.jpg" })).toBeVisible();
  expect(await shifted()).toBeLessThan(0.05);
  await page.keyboard.press("ArrowLeft");
  await expect(page).toHaveTitle("bank.png · Atelier");
  await expect(page).toHaveURL(`/design/${designId}/images/${ids[3]}`);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(path);
  await expect(gallery(page).nth(3).getByRole("link")).toBeFocused();
});

test("renders a drawing again for each zoom at the screen's resolution", { tag: "@slow" }, async ({ app, person, browser }) => {
  const { designId, ids } = await designWith(app, person, [hostileSvg()]);
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 900, height: 600 }, deviceScaleFactor: 2 });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await page.goto(`/design/${designId}/images/${ids[0]}`);
  await hydrated(page);
  const sharper = page.locator("[data-sharp]");
  await waitForAnimations(page);
  await fittedZoom(page);
  const shown = () =>
    stage(page)
      .locator(".viewer-picture")
      .evaluate((picture) => picture.getBoundingClientRect().width * devicePixelRatio);
  let drawn = 1920;
  for (let time = 0; time < 2; time++) {
    while ((await shown()) <= drawn) {
      const before = await zoom(page);
      await page.keyboard.press("+");
      await expect.poll(() => zoom(page)).toBeGreaterThan(before);
    }
    const wanted = await shown();
    drawn = VARIANT_WIDTHS.find((width) => width >= wanted) ?? 0;
    await expect(sharper).toHaveAttribute("src", new RegExp(`w=${drawn}\\b`));
    await expect(sharper).toHaveCSS("opacity", "1");
    await expect.poll(() => sharper.evaluate((img) => (img instanceof HTMLImageElement ? img.naturalWidth : 0))).toBe(drawn);
  }
  await context.close();
});

test("at a device pixel ratio of 2, 100% shows the file's own pixels", async ({ app, person, browser }) => {
  const { designId, ids } = await designWith(app, person, ["bank"]);
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 900, height: 600 }, deviceScaleFactor: 2 });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await page.goto(`/design/${designId}/images/${ids[0]}`);
  await hydrated(page);
  await page.keyboard.press("1");
  await expect.poll(() => zoom(page)).toBe(100);
  await expectOwnPixels(page, { x: 300, y: 200, width: 200, height: 100 }, "bank", 2);
  await context.close();
});

async function watchGrowth(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    let grown = 0;
    const start = document.startViewTransition.bind(document);
    document.startViewTransition = (...how) => {
      const transition = start(...how);
      const count = () => {
        const parts = document.getAnimations().map(({ effect }) => (effect instanceof KeyframeEffect ? effect.pseudoElement : null));
        if (parts.includes("::view-transition-group(picture)")) grown++;
      };
      transition.ready.then(count, () => {});
      return transition;
    };
    Object.defineProperty(window, "grown", { get: () => grown });
  });
  return () => page.evaluate(() => ("grown" in window ? Number(window.grown) : -1));
}

test("touch changes pictures, zooms and pans at 360 px", async ({ app, person, browser }) => {
  const { designId, ids } = await designWith(app, person, ["fig", "bank"]);
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await page.goto(`/design/${designId}/images/${ids[0]}`);
  await hydrated(page);
  const cdp = await context.newCDPSession(page);
  const { x, y } = await middleOf(stage(page));
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...points: [number, number][]) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });

  await touch("touchStart", [x + 100, y]);
  for (const moved of [60, 0, -60, -100]) await touch("touchMove", [x + moved, y]);
  await touch("touchEnd");
  await expect(page).toHaveTitle("bank.png · Atelier");
  await expect(page.getByRole("img", { name: "bank.png" })).toBeVisible();
  await waitForAnimations(page);

  const fitted = await fittedZoom(page);
  for (const zoomed of [100, fitted]) {
    for (let tap = 0; tap < 2; tap++) await page.touchscreen.tap(x, y);
    await expect.poll(() => zoom(page)).toBe(zoomed);
  }
  await touch("touchStart", [x - 20, y], [x + 20, y]);
  for (const apart of [30, 60, 90, 120]) await touch("touchMove", [x - apart, y], [x + apart, y]);
  await touch("touchEnd");
  await expect.poll(() => zoom(page)).toBeGreaterThan(fitted * 3);
  const [before = 0] = await offset(page);
  await touch("touchStart", [x, y]);
  for (const moved of [-20, -60]) await touch("touchMove", [x + moved, y]);
  await touch("touchEnd");
  await expect.poll(async () => (await offset(page))[0]).toBeLessThan(before);
  await expect(page).toHaveTitle("bank.png · Atelier");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await context.close();
});

withAndWithoutJavaScript((javaScript) => {
  const ready = (page: Page) => (javaScript ? hydrated(page) : undefined);

  test("adds, announces, compares and restores a version of an image", { tag: "@slow" }, async ({ page, app, person, otherBrowser }) => {
    const { designId, path, ids } = await designWith(app, person, ["fig", "bank"]);
    const viewer = `/design/${designId}/images/${ids[0]}`;
    const other = await otherBrowser(person, { javaScriptEnabled: true });
    await other.goto(path);
    await page.goto(viewer);
    await ready(page);
    const details = page.getByText("Details", { exact: true });
    await details.click();
    await page.getByLabel("Upload new version").setInputFiles(picturePath("path"));
    if (!javaScript) await page.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(page.getByText("2,000 × 1,500 px")).toBeVisible();
    const versions = page.getByRole("region", { name: "Versions" }).getByRole("listitem");
    await expect(versions).toHaveText([/Version 2\s*Current/, /Version 1/]);
    await expect(versions.first()).toContainText(person.name);
    await expect(gallery(other).first().getByRole("img")).toHaveAttribute("src", /&version=/);

    await page.getByLabel("Upload new version").setInputFiles(picturePath("path"));
    if (!javaScript) await page.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(page.getByText("This file is already the current version.")).toBeVisible();

    await page.getByRole("link", { name: "Compare version 1 with the current version" }).click();
    await expect(page.getByRole("figure")).toContainText(
      javaScript ? ["fig.jpg, version 1", "fig.jpg, version 2"] : [/version 1/, /version 2/],
    );
    await ready(page);
    await expect(page.getByRole("img", { name: "fig.jpg" })).toHaveCount(2);
    await expectAccessible(page);
    if (javaScript) {
      const boxes = () =>
        page
          .locator(".viewer-picture")
          .evaluateAll((all) => all.map((each) => [each.getBoundingClientRect().left, each.getBoundingClientRect().width]));
      await page.keyboard.press("1");
      await expect.poll(() => zoom(page)).toBe(100);
      await expect
        .poll(async () => {
          const [first, second] = await boxes();
          return Math.abs((first?.[1] ?? 0) - (second?.[1] ?? 1000));
        })
        .toBeLessThan(200);
      const before = await boxes();
      await page.keyboard.press("ArrowRight");
      await expect.poll(boxes).not.toEqual(before);
      await page.getByRole("link", { name: "Swipe" }).click();
      await page.getByLabel("Line").fill("20");
      await expect(page.locator(".compare-layer").nth(1)).toHaveCSS("clip-path", "inset(0px 0px 0px 20%)");
      await page.getByRole("link", { name: "Overlay" }).click();
      await page.getByLabel("Opacity").fill("30");
      await expect(page.locator(".compare-layer").nth(1)).toHaveCSS("opacity", "0.3");
      await page.getByRole("link", { name: "Difference" }).click();
      await expect(page.locator(".compare-layer").nth(1)).toHaveCSS("mix-blend-mode", "difference");
    }

    await page.getByRole("combobox", { name: "Second image" }).selectOption({ label: "bank.png" });
    if (!javaScript) await page.getByRole("button", { name: "Compare", exact: true }).click();
    await expect(page.getByRole("img", { name: "bank.png" })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`b=${ids[1]}`));
    await ready(page);
    if (javaScript) await page.keyboard.press("Escape");
    else await page.getByRole("link", { name: "Close" }).click();
    await expect(page).toHaveTitle(/fig\.jpg · Atelier$/);

    await page.goto(viewer);
    await ready(page);
    await details.click();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await expect(page.getByText("1,600 × 1,082 px")).toBeVisible();
    await expect(versions).toHaveText([/Version 2/, /Version 1\s*Current/]);
  });

  test("a design's images are shown as a gallery or a list, as chosen", { tag: "@slow" }, async ({ page, app, person }) => {
    const { path } = await designWith(app, person, ["fig", "bank"]);
    await page.goto(path);
    await ready(page);
    await page.getByRole("button", { name: "List", exact: true }).click();
    await expect(gallery(page).first()).toContainText("1,600 × 1,082");
    await page.reload();
    await expect(gallery(page).first()).toContainText("JPEG");
    await expectAccessible(page);
    await gallery(page).nth(1).getByRole("link").click();
    await expect(page).toHaveTitle("bank.png · Atelier");
  });
});

test("serves versions to their owner alone, without metadata at full size", async ({ app, person, stranger }) => {
  const photograph = await sidewaysPhotograph();
  const { designId, ids } = await designWith(app, person, [photograph, "bank"]);
  const [id = "", otherId = ""] = ids;
  await addVersion(app, person, designId, id, "clock");
  const convex = await deploymentAs(app, person);
  const [second, first] = await convex.query(api.versions.getVersions, { imageId: id });
  const sendRequest = (user: Person, path: string) =>
    fetch(app.url + path, { headers: { Cookie: user.cookieHeader, Accept: "image/avif,image/webp" } });
  const widths = async (path: string) => (await sharp(Buffer.from(await (await sendRequest(person, path)).arrayBuffer())).metadata()).width;
  expect(await widths(`/images/${id}?w=own`)).toBe(1600);
  expect(await widths(`/images/${id}?w=own&version=${second?._id}`)).toBe(1600);
  const own = await sendRequest(person, `/images/${id}?w=own&version=${first?._id}`);
  const bytes = Buffer.from(await own.arrayBuffer());
  expect(own.headers.get("Content-Type")).toBe("image/jpeg");
  expect([bytes.includes("Lumen"), (await sharp(bytes).metadata()).orientation]).toEqual([false, 6]);
  const original = await sendRequest(person, `/images/${id}?original=1&version=${first?._id}`);
  expect(original.headers.get("Content-Disposition")).toContain('filename="IMG_2041.jpg"');
  expect(Buffer.from(await original.arrayBuffer()).equals(photograph.buffer)).toBe(true);
  for (const [who, path] of [
    [stranger, `/images/${id}?version=${first?._id}`],
    [person, `/images/${otherId}?version=${first?._id}`],
    [person, `/images/${id}?version=nonsense`],
  ] as const)
    expect((await sendRequest(who, path)).status, path).toBe(404);
  for (const path of [`/compare?a=${id}`, "/compare", "/compare?a=nonsense"])
    expect((await sendRequest(stranger, path)).status, path).toBe(404);
});
