import sharp from "sharp";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, hydrated, test } from "../../harness/test.ts";
import { unzip } from "../../zip.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, addVersion, chosen, deploymentAs, imagesIn, makeDesign } from "../support/pictures.ts";

withAndWithoutJavaScript((javaScript) => {
  test(
    "rotates an image for everyone, and turns it back by undo",
    { tag: ["@rotates-images", "@slow"] },
    async ({ page, app, person, otherBrowser }) => {
      const { designId, path } = await makeDesign(app, person);
      const [id] = await addPictures(app, person, designId, ["fig"]);
      const [before] = await imagesIn(app, person, designId);
      const { width = 0, height = 0 } = before ?? {};
      expect(width).toBeGreaterThan(height);
      const other = await otherBrowser(person, { javaScriptEnabled: true });
      await other.goto(path);
      await hydrated(other);
      const she = pageActions(page, javaScript);
      await she.open(`${path}/images/${id}`);
      const shown = page.locator(".viewer-picture img").first();
      const sizeOf = () =>
        shown.evaluate((img: HTMLImageElement) => [img.width > img.height, img.naturalWidth > img.naturalHeight, img.complete]);

      await she.press("Rotate right");
      await expect.poll(sizeOf).toEqual([false, false, true]);
      const thumbnail = other.getByRole("list", { name: "Images", exact: true }).getByRole("img");
      await expect(thumbnail).toHaveAttribute("src", /&turn=90/);
      await expect
        .poll(() =>
          thumbnail.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0 && img.naturalWidth < img.naturalHeight),
        )
        .toBe(true);

      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download the rotated image" }).click(),
      ]);
      const { autoOrient } = await sharp(await download.path()).metadata();
      expect(autoOrient).toEqual({ width: height, height: width });

      const comparison = await page.context().newPage();
      await comparison.goto(`/compare?a=${id}&mode=overlay`);
      const compared = comparison.locator(".viewer-picture img").first();
      await expect(compared).toHaveAttribute("src", /&turn=90/);
      await expect.poll(() => compared.evaluate((img: HTMLImageElement) => img.naturalWidth > 0 && img.width < img.height)).toBe(true);
      await comparison.close();

      if (javaScript) await page.keyboard.press("Shift+R");
      else await she.press("Rotate left");
      await expect.poll(sizeOf).toEqual([true, true, true]);
      if (!javaScript) return;
      await page.keyboard.press("ControlOrMeta+z");
      await expect.poll(sizeOf).toEqual([false, false, true]);
      await page.keyboard.press("ControlOrMeta+z");
      await expect.poll(sizeOf).toEqual([true, true, true]);
      await expect(thumbnail).toHaveAttribute("src", /&turn=0/);
    },
  );
});

test("overlays a rotated older version and the current one", { tag: "@overlays-rotated-version" }, async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const [id = ""] = await addPictures(app, person, designId, ["fig"]);
  const convex = await deploymentAs(app, person);
  await convex.mutation(api.designImages.rotate, { id, direction: "right" });
  await addVersion(app, person, designId, id, "bank");
  await page.goto(`${path}/images/${id}`);
  await hydrated(page);
  await page.keyboard.press("i");
  await page.getByRole("link", { name: "Compare version 1 with the current version" }).click();
  await page.getByRole("link", { name: "Overlay" }).click();
  await page.getByLabel("Opacity").fill("50");
  const [older, current] = [0, 1].map((layer) => page.locator(".viewer-picture").nth(layer).locator("img").first());
  const isUpright = (img: HTMLImageElement) => img.complete && img.naturalWidth < img.naturalHeight && img.width < img.height;
  await expect.poll(() => older?.evaluate(isUpright)).toBe(true);
  await expect.poll(() => current?.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > img.naturalHeight)).toBe(true);
});

test(
  "serves the stored rotation, the requested one and the stored file",
  { tag: "@serves-rotations" },
  async ({ app, person, request }) => {
    const { designId, path } = await makeDesign(app, person);
    const stored = await chosen("fig");
    const [id = ""] = await addPictures(app, person, designId, [stored]);
    const convex = await deploymentAs(app, person);
    const get = (search: string) => request.get(`/images/${id}?${search}`, { headers: { Cookie: person.cookieHeader } });
    const isUpright = async (search: string) => {
      const { autoOrient } = await sharp(await (await get(search)).body()).metadata();
      return autoOrient.height > autoOrient.width;
    };
    expect(await isUpright("w=320")).toBe(false);
    await convex.mutation(api.designImages.rotate, { id, direction: "left" });
    expect(await isUpright("w=320&turn=270")).toBe(true);
    expect(await isUpright("w=own&turn=270")).toBe(true);
    await request.get(path, { headers: { Cookie: person.cookieHeader } });
    // The other app server of two can have cached the image for ten seconds.
    await expect.poll(() => isUpright("w=320")).toBe(true);
    expect(await isUpright("w=320&turn=0")).toBe(false);
    expect((await get("w=320&turn=45")).status()).toBe(400);
    expect(await (await get("original=1")).body()).toEqual(stored.buffer);
    expect(await isUpright("original=1&turn=270")).toBe(true);

    const archive = await request.get(`/download/designs/${designId}.zip`, { headers: { Cookie: person.cookieHeader } });
    const { autoOrient } = await sharp(unzip(await archive.body()).get("fig.jpg")).metadata();
    expect(autoOrient.height).toBeGreaterThan(autoOrient.width);
  },
);
