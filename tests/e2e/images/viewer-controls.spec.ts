import sharp from "sharp";
import { api } from "../../../convex/_generated/api.js";
import { animatedGif } from "../../fixtures/pictures.ts";
import { expect, expectAccessible, hydrated, waitForAnimations, test } from "../../harness/test.ts";
import { addPictures, deploymentAs, imagesIn, makeDesign, manyImages } from "../support/pictures.ts";

test("ten arrow keys in a row move ten images while the server is slow", async ({ page, app, person }) => {
  const { designId, path } = await manyImages(app, person, 12);
  const images = await imagesIn(app, person, designId);
  await page.goto(path);
  await hydrated(page);
  await page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem").first().getByRole("link").first().click();
  const viewer = page.getByRole("article");
  await expect(page).toHaveURL(`${path}/images/${images[0]?._id}`);
  await expect(viewer.getByText("1 of 12")).toBeVisible();

  const answer = Promise.withResolvers<void>();
  await page.route(/\/images\/[^/]+\.data/, async (route) => {
    await answer.promise;
    await route.continue().catch(() => {});
  });
  for (let press = 0; press < 10; press++) await page.keyboard.press("ArrowRight");
  await expect(viewer.getByText("11 of 12")).toBeVisible();
  await expect(viewer).toHaveAccessibleName(images[10]?.name ?? "");
  await page.keyboard.press("ArrowLeft");
  await expect(viewer.getByText("10 of 12")).toBeVisible();
  answer.resolve();
  await expect(page).toHaveURL(`${path}/images/${images[9]?._id}`);
  await expect(page).toHaveTitle(`${images[9]?.name} · Atelier`);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(path);
});

test("taps, swipes and keys control the viewer at 360 px", async ({ app, person, browser }) => {
  const { path } = await manyImages(app, person, 3);
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await page.goto(path);
  await hydrated(page);
  await page.getByRole("list", { name: "Images", exact: true }).getByRole("link").first().click();
  const viewer = page.getByRole("article");
  const stage = page.locator(".viewer-backdrop");
  const close = viewer.getByRole("link", { name: "Close" });
  await expect(close).toBeVisible();

  await waitForAnimations(page);
  await test.step("a tap hides the controls, and another shows them", async () => {
    await page.touchscreen.tap(180, 300);
    await expect(close).toBeHidden();
    await expect(viewer.getByRole("navigation", { name: "Adjacent images" })).toBeHidden();
    await expect.poll(async () => (await stage.boundingBox())?.height).toBe(740);
    await page.touchscreen.tap(180, 300);
    await expect(close).toBeVisible();
  });

  await test.step("a key and buttons hide and show the controls", async () => {
    await page.keyboard.press("h");
    await expect(close).toBeHidden();
    await viewer.getByRole("button", { name: "Show controls" }).click();
    await expect(close).toBeVisible();
    await viewer.getByRole("button", { name: "Hide controls" }).click();
    await page.keyboard.press("Escape");
    await expect(close).toBeVisible();
  });

  await test.step("details are a sheet below the picture", async () => {
    await page.keyboard.press("i");
    const panel = page.locator(".viewer-side");
    await expect(panel.getByText("SHA-256")).toBeVisible();
    const [picture, sheet] = [await stage.boundingBox(), await panel.boundingBox()];
    expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThanOrEqual(sheet?.y ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.keyboard.press("i");
  });

  await test.step("a swipe down closes the viewer", async () => {
    const cdp = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", y?: number) =>
      cdp.send("Input.dispatchTouchEvent", { type, touchPoints: y === undefined ? [] : [{ x: 180, y }] });
    await touch("touchStart", 200);
    for (const y of [240, 300, 360]) await touch("touchMove", y);
    await touch("touchEnd");
    await expect(page).toHaveURL(path);
  });
  await context.close();
});

test("details are next to the picture at 1440 px", async ({ page, app, person }) => {
  const { designId, path } = await manyImages(app, person, 1);
  const [image] = await imagesIn(app, person, designId);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${path}/images/${image?._id}`);
  await hydrated(page);
  await page.keyboard.press("i");
  const panel = page.locator(".viewer-side");
  await expect(panel.getByText("SHA-256")).toBeVisible();
  const [picture, side] = [await page.locator(".viewer-backdrop").boundingBox(), await panel.boundingBox()];
  expect((picture?.x ?? 0) + (picture?.width ?? 0)).toBeLessThanOrEqual(side?.x ?? 0);
  await expectAccessible(page);
});

test("the slideshow shows each image, announces it and stops after the last", async ({ page, app, person }) => {
  const { designId, path } = await manyImages(app, person, 3);
  const images = await imagesIn(app, person, designId);
  await page.goto(`${path}/images/${images[0]?._id}`);
  await hydrated(page);
  await page.clock.install();
  const viewer = page.getByRole("article");
  await page.keyboard.press("s");
  await expect(viewer.getByRole("button", { name: "Pause slideshow" })).toBeVisible();
  for (const position of ["2 of 3", "3 of 3"]) {
    await page.clock.runFor(4000);
    await expect(viewer.getByText(position)).toBeVisible();
  }
  await expect(page.locator("[data-announcer]")).toContainText(images[2]?.name ?? "");
  await page.clock.runFor(4000);
  await expect(page.locator("[data-announcer]")).toContainText("Slideshow ended");
  await expect(viewer.getByRole("button", { name: "Start slideshow" })).toBeVisible();
});

test("a design's first image starts within 240 px at 360 px, and nothing overflows", { tag: "@slow" }, async ({ app, person, browser }) => {
  const { designId, path } = await makeDesign(app, person, "A design whose name is longer than the phone");
  const convex = await deploymentAs(app, person);
  await convex.mutation(api.designs.setDescription, {
    id: designId,
    description: "Studies for the cover of the spring issue.\n".repeat(4),
  });
  for (const tag of ["cover", "spring issue", "approved"]) await convex.mutation(api.tags.tagDesign, { id: designId, tag });
  await addPictures(app, person, designId, [
    "fig",
    await flat(40, 2000),
    await flat(3000, 40),
    await flat(30, 30),
    { ...(await flat(90, 60)), name: `${"W".repeat(150)}.png` },
  ]);
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await page.goto(path);
  await hydrated(page);
  const first = await page.getByRole("list", { name: "Images", exact: true }).getByRole("img").first().boundingBox();
  expect(first?.y).toBeLessThanOrEqual(240);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await expect(page.getByRole("button", { name: "Remove tag cover" })).toBeHidden();
  await page.getByText("3 tags").click();
  await expect(page.getByRole("button", { name: "Remove tag cover" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await expectAccessible(page);
  for (const name of ["40x2000.png", /^More for WWW/]) {
    const more = typeof name === "string" ? `More for ${name}` : name;
    await page.getByRole("button", { name: more }).click();
    const menu = page.locator(".menu:popover-open");
    await expect(menu.getByRole("button", { name: "Duplicate" })).toBeVisible();
    await waitForAnimations(page);
    const box = await menu.boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 360).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.keyboard.press("Escape");
  }
  await page.getByRole("button", { name: "More for this design" }).click();
  await page.getByRole("button", { name: "Move to trash" }).click();
  await expect(page).toHaveURL(/\/projects\//);
  await context.close();
});

async function flat(width: number, height: number) {
  const buffer = await sharp({ create: { width, height, channels: 3, background: "#4a7" } })
    .png()
    .toBuffer();
  return { name: `${width}x${height}.png`, mimeType: "image/png", buffer };
}

test("pauses and plays an animation, and keeps it still under reduced motion", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const [id = ""] = await addPictures(app, person, designId, [await animatedGif()]);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.goto(`${path}/images/${id}`);
  await hydrated(page);
  const shown = () =>
    page
      .getByRole("article")
      .locator(".viewer-picture img")
      .evaluateAll((all) => all.map((each) => each instanceof HTMLImageElement && each.currentSrc.includes("still=1")));
  const pause = page.getByRole("button", { name: "Pause animation" });
  const play = page.getByRole("button", { name: "Play animation" });
  await expect(pause).toBeVisible();
  await expect.poll(shown).not.toContain(true);
  await pause.click();
  await expect.poll(shown).not.toContain(false);
  await play.click();
  await expect.poll(shown).not.toContain(true);

  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.reload();
  await hydrated(page);
  await expect(play).toBeVisible();
  await page.getByRole("button", { name: "100%" }).click();
  await expect(page.locator("[data-sharp]")).toBeVisible();
  await expect.poll(shown).not.toContain(false);
  await play.click();
  await expect.poll(shown).not.toContain(true);
});
