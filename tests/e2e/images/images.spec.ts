import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { hostileSvg, pictureBytes, type PictureName, pictures, sidewaysPhotograph } from "../../fixtures/pictures.ts";
import { BALANCED } from "../../harness/balanced.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  type Person,
  type RunningApp,
  signIn,
  test,
} from "../../harness/test.ts";
import { gallery } from "../support/gallery.ts";
import { addPictures, deploymentAs, imagesIn, makeDesign, manyImages } from "../support/pictures.ts";
import { api } from "../../../convex/_generated/api.js";

test.describe.configure({ mode: "parallel" });

const viewerPath = (designId: string, imageId: string) => `/design/${designId}/images/${imageId}`;

function sendRequest(app: RunningApp, person: Person | null, path: string, headers: Record<string, string> = {}, method = "GET") {
  return fetch(app.url + path, { method, redirect: "manual", headers: { ...headers, ...(person && { Cookie: person.cookieHeader }) } });
}

const BROWSER = { Accept: "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8" };
const NONE = "00000000000000000000000000000000";
const NOT_FOUND = "The page you are looking for does not exist.";

async function designWith(app: RunningApp, person: Person, names: Parameters<typeof addPictures>[3]) {
  const { designId, path } = await makeDesign(app, person);
  return { designId, path, ids: await addPictures(app, person, designId, names) };
}

withAndWithoutJavaScript((javaScript) => {
  const ready = (page: Page) => (javaScript ? hydrated(page) : undefined);

  test("a thumbnail opens the picture, which links to its neighbours", { tag: "@slow" }, async ({ page, app, person }) => {
    const { designId, path, ids } = await designWith(app, person, ["fig", "habits", "bank"]);
    const [first = "", second = "", third = ""] = ids;
    await page.goto(path);
    await ready(page);
    await gallery(page).nth(1).getByRole("link").click();
    await expect(page).toHaveURL(viewerPath(designId, second));
    await expect(page).toHaveTitle("habits.png · Atelier");
    await expect(page.getByText("2 of 3")).toBeVisible();
    await expect(page.getByRole("img", { name: "habits.png" })).toBeVisible();
    await expectAccessible(page);
    await ready(page);
    await page.getByRole("link", { name: "Next image" }).click();
    await expect(page).toHaveURL(viewerPath(designId, third));
    await expect(page.getByText("3 of 3")).toBeVisible();
    await expect(page.getByRole("link", { name: "Next image" })).toHaveCount(0);
    await page.getByRole("link", { name: "fig.jpg" }).click();
    await expect(page).toHaveTitle("fig.jpg · Atelier");
    await expect(page).toHaveURL(viewerPath(designId, first));
    await page.getByText("Details").click();
    await expect(page.getByText("1,600 × 1,082 px")).toBeVisible();
    await expect(page.getByText("JPEG", { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Close" }).click();
    await expect(page).toHaveURL(javaScript ? path : `${path}#image-${first}`);
  });

  test("renames and deletes an image in the gallery and in the viewer", { tag: "@slow" }, async ({ page, app, person }) => {
    const { designId, path, ids } = await designWith(app, person, ["fig", "bank"]);
    const names = async () => (await imagesIn(app, person, designId)).map(({ name }) => name);
    await page.goto(path);
    await ready(page);
    await page.getByRole("button", { name: "More for fig.jpg" }).click();
    await page.getByRole("link", { name: "Rename" }).click();
    const rename = page.getByRole("dialog", { name: "Rename image" });
    await rename.getByLabel("Name").fill("");
    await rename.getByRole("button", { name: "Rename" }).click();
    await expect(rename.getByLabel("Name")).toHaveAccessibleDescription("Enter a name for the image.");
    await rename.getByLabel("Name").fill("Half a fig");
    await rename.getByRole("button", { name: "Rename" }).click();
    await expect(gallery(page).first()).toContainText("Half a fig");
    await expect.poll(names).toEqual(["Half a fig", "bank.png"]);

    await page.goto(viewerPath(designId, ids[0] ?? ""));
    await ready(page);
    await page.getByLabel("Name of the image").fill("A fig");
    await page.getByLabel("Name of the image").press("Enter");
    await expect.poll(names).toEqual(["A fig", "bank.png"]);
    await expect(page.getByRole("heading", { name: "A fig" })).toBeAttached();

    await page.getByRole("button", { name: "Delete image" }).first().click();
    await expect(page).toHaveURL(viewerPath(designId, ids[1] ?? ""));
    await expect(page).toHaveTitle("bank.png · Atelier");
    await page.goto(path);
    await expect(gallery(page)).toHaveCount(1);
    await ready(page);
    await page.getByRole("button", { name: "More for bank.png" }).click();
    await page.getByRole("button", { name: "Move to trash" }).click();
    await expect(page.getByRole("heading", { name: "No images yet" })).toBeVisible();
    await expect.poll(names).toEqual([]);
  });

  test("renames and deletes a design on its page", async ({ page, app, person }) => {
    const { designId, path } = await designWith(app, person, ["bank"]);
    await page.goto(path);
    await ready(page);
    await page.getByLabel("Name of the design").fill("Back");
    await page.getByLabel("Name of the design").press("Enter");
    const convex = await deploymentAs(app, person);
    await expect.poll(async () => (await convex.query(api.designs.getDesignById, { id: designId })).name).toBe("Back");
    await expect(page.getByRole("heading", { name: "Back", exact: true })).toBeAttached();
    await ready(page);
    await page.getByRole("button", { name: "Delete design" }).first().click();
    await expect(page).toHaveURL(/\/projects\/[a-z0-9]+$/);
    await expect(page.getByRole("heading", { name: "No designs yet" })).toBeVisible();
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("reaches images beyond the first page", { tag: "@slow" }, async ({ page, app, person }) => {
    const { path } = await manyImages(app, person, 205);
    await page.goto(path);
    await expect(page.getByText("205 images")).toBeVisible();
    await expect(gallery(page)).toHaveCount(200);
    await page.getByRole("link", { name: "More images" }).click();
    await expect(gallery(page)).toHaveCount(5);
    await expect(gallery(page).last()).toContainText("dot 205.png");
    await page.getByRole("button", { name: "More for dot 205.png" }).click();
    await page.getByRole("link", { name: "Rename" }).click();
    await page.getByRole("dialog", { name: "Rename image" }).getByLabel("Name").fill("the last dot");
    await page.getByRole("dialog", { name: "Rename image" }).getByRole("link", { name: "Cancel" }).click();
    await expect(gallery(page)).toHaveCount(5);
    await gallery(page).nth(1).getByRole("link").first().click();
    await expect(page.getByText("of 205")).toBeVisible();
    await page.getByRole("link", { name: "Previous image" }).click();
    await expect(page).toHaveTitle("dot 201.png · Atelier");
    await page.getByRole("link", { name: "Previous image" }).click();
    await expect(page).toHaveTitle("dot 200.png · Atelier");
    await expect(page.getByText("200 of 205")).toBeVisible();
  });
});

test("a selection spans pages of a long list, and items move by key and pointer", { tag: "@slow" }, async ({ page, app, person }) => {
  const { designId, path } = await manyImages(app, person, 205);
  const convex = await deploymentAs(app, person);
  const adjacentImages = async (id: string) => {
    const { previous, next } = await convex.query(api.designImages.getDesignImageInPlace, { id });
    return { previous, next };
  };
  await page.goto(`${path}?after=first&select=1`);
  await hydrated(page);
  const bar = page.getByRole("form", { name: "Selection" });
  const status = bar.getByRole("status");
  const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true });
  await box("dot 203.png").check();
  await box("dot 205.png").click({ modifiers: ["Shift"] });
  await expect(status).toHaveText("3 images selected");
  await box("dot 201.png").check();
  await box("dot 202.png").check();
  await expect(status).toHaveText("5 images selected");
  await page.getByRole("link", { name: "First images" }).click();
  await expect(status).toHaveText("5 images selected, 5 of them on other pages");
  const third = gallery(page).nth(2).getByRole("checkbox");
  await third.check();
  await expect(status).toHaveText("6 images selected, 5 of them on other pages");
  await bar.getByRole("button", { name: "Move to trash" }).click();
  await expect(page.getByText("6 images moved to the trash")).toBeVisible();
  await expect(page.getByText("199 images")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("Undone: 6 images moved to the trash")).toBeVisible();
  await expect(page.getByText("205 images")).toBeVisible();
  const taken = (await imagesIn(app, person, designId))[0]?._id ?? "";
  const said = await recordAnnouncements(page);
  await page.getByRole("button", { name: "Reorder dot 1.png", exact: true }).focus();
  await page.keyboard.press("Space");
  await expect.poll(said).toContain("dot 1.png picked up, position 1 of 205.");
  await page.keyboard.press("End");
  await expect.poll(said).toContain("The end of the list.");
  await page.keyboard.press("Space");
  await expect.poll(async () => (await adjacentImages(taken)).next).toBeNull();

  await page.goto(path);
  await hydrated(page);
  const carried = (await imagesIn(app, person, designId))[186]?._id ?? "";
  const tile = gallery(page).nth(186);
  await tile.hover();
  await tile.getByRole("button", { name: /^Reorder/ }).hover();
  await page.mouse.down();
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.mouse.move(width / 2, height - 2, { steps: 5 });
  await expect(gallery(page)).toHaveCount(205);
  const last = gallery(page).last();
  await expect.poll(() => page.evaluate(() => Math.ceil(scrollY + innerHeight) >= document.documentElement.scrollHeight)).toBe(true);
  await expect(last).toBeInViewport({ ratio: 1 });
  const there = await last.boundingBox();
  if (!there) throw new Error("The last one is not to be seen.");
  await page.mouse.move(there.x + 4, there.y + there.height / 2, { steps: 3 });
  const lastId = (await last.getAttribute("id"))?.replace("image-", "");
  await page.mouse.up();
  await expect.poll(() => adjacentImages(carried)).toMatchObject({ next: lastId });
  await expect(gallery(page).nth(203)).toHaveAttribute("id", `image-${carried}`);
  await expect(gallery(page)).toHaveCount(205);
});

test("the first HTML has names and picture addresses", async ({ app, person }) => {
  const { path, ids } = await designWith(app, person, ["fig", "bank"]);
  const html = await (await sendRequest(app, person, path, { Accept: "text/html" })).text();
  const markup = html.replace(/<script[^>]*>.*?<\/script>/gs, "");
  for (const id of ids)
    expect(markup).toMatch(new RegExp(`<img[^>]+src="/images/${id}\\?w=\\d+"[^>]+srcSet="/images/${id}\\?w=160 160w, `, "i"));
  expect(markup).toContain("fig.jpg");
  expect(markup).toContain("data:image/png;base64,");
});

test("thumbnails have the right size and look, and cause no layout shift", async ({ page, app, person }) => {
  const names: PictureName[] = ["fig", "dogs", "bank", "habits", "stripes", "sunset"];
  const { path, ids } = await designWith(app, person, names);
  await page.setViewportSize({ width: 1440, height: 900 });
  // Measures from the first paint of the whole page: a busy browser first paints half of the HTML, whose last row then grows.
  const painted = Promise.withResolvers<void>();
  await page.route("**/images/*", (route) => painted.promise.then(() => route.continue()));
  await page.goto(path, { waitUntil: "domcontentloaded" });
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const start = performance.now();
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.startTime > start && "value" in entry) shifts.push(Number(entry.value));
    }).observe({ type: "layout-shift" });
  });
  painted.resolve();
  for (const [index, name] of names.entries()) {
    const image = gallery(page).nth(index).getByRole("img");
    await image.scrollIntoViewIfNeeded();
    await expect.poll(() => image.evaluate((img) => img instanceof HTMLImageElement && img.complete && img.naturalWidth > 0)).toBe(true);
    const shown = await image.evaluate((img) =>
      img instanceof HTMLImageElement ? { src: img.currentSrc, width: img.clientWidth, height: img.clientHeight } : null,
    );
    if (!shown) throw new Error("no image");
    const { width, height } = pictures[name];
    expect(shown.width / shown.height).toBeCloseTo(Math.max(width / height, 0.45), 1);

    const response = await sendRequest(app, person, new URL(shown.src).pathname + new URL(shown.src).search, BROWSER);
    const bytes = Buffer.from(await response.arrayBuffer());
    const served = await sharp(bytes).metadata();
    expect(served.width).toBeGreaterThanOrEqual(Math.min(width, shown.width) - 1);
    expect(served.width).toBeLessThanOrEqual(Math.max(320, shown.width * 2));
    expect(await difference(bytes, await pictureBytes(name)), name).toBeLessThan(6);
    expect((await sharp(bytes).stats()).channels[0]?.stdev, `${name} is no plain rectangle`).toBeGreaterThan(10);
  }
  expect(ids.length).toBe(names.length);
  expect(
    await page.evaluate(() =>
      "shifts" in window && Array.isArray(window.shifts) ? window.shifts.reduce((sum, each) => sum + Number(each), 0) : -1,
    ),
  ).toBeLessThan(0.01);
});

test("hides the file name while a placeholder is shown", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
  const held = Promise.withResolvers<void>();
  await page.route("**/*", async (route) => {
    if (route.request().resourceType() === "image") await held.promise;
    await route.continue();
  });
  // Firefox draws alternative text while an image loads, in this colour; Chromium does not.
  const colourOfText = () =>
    page
      .getByRole("img", { name: "fig.jpg" })
      .first()
      .evaluate((image: HTMLImageElement) => [image.complete, getComputedStyle(image).color]);
  for (const address of [path, `${path}/images/${imageId}`]) {
    await page.goto(address, { waitUntil: "commit" });
    await expect.poll(colourOfText, { message: address }).toEqual([false, "rgba(0, 0, 0, 0)"]);
  }
  held.resolve();
});

test("nothing overflows a narrow screen in either theme", { tag: "@slow" }, async ({ page, app, person, context }) => {
  const { designId, path, ids } = await designWith(app, person, ["bank", "habits", "dogs"]);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const theme of ["dark", "light"]) {
    await context.addCookies([{ name: "theme", value: theme, url: app.url }]);
    for (const address of [path, viewerPath(designId, ids[0] ?? "")]) {
      await page.goto(address);
      await hydrated(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      await expectAccessible(page);
    }
  }
});

test("arrow keys change the picture and Escape returns to the gallery's position", { tag: "@slow" }, async ({ page, app, person }) => {
  const { designId, path, ids } = await designWith(app, person, ["fig", "dogs", "bank", "habits", "stripes", "mountain", "path"]);
  await page.setViewportSize({ width: 800, height: 500 });
  await page.goto(path);
  await hydrated(page);
  await gallery(page).nth(5).getByRole("link").scrollIntoViewIfNeeded();
  const left = await page.evaluate(() => window.scrollY);
  expect(left).toBeGreaterThan(0);
  await gallery(page).nth(5).getByRole("link").click();
  await expect(page.getByText("6 of 7")).toBeVisible();
  await expect(page).toHaveURL(viewerPath(designId, ids[5] ?? ""));
  await expect(page.getByRole("article", { name: "mountain.jpg" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText("7 of 7")).toBeVisible();
  await expect(page).toHaveURL(viewerPath(designId, ids[6] ?? ""));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByText("6 of 7")).toBeVisible();
  await expect(page).toHaveURL(viewerPath(designId, ids[5] ?? ""));
  await page.getByLabel("Name of the image").press("ArrowLeft");
  await expect(page).toHaveURL(viewerPath(designId, ids[5] ?? ""));
  await page.getByLabel("Name of the image").blur();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(path);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(left);
});

test("reports that a viewed image was deleted elsewhere, and offers to restore it", async ({ page, app, person }) => {
  const { designId, ids } = await designWith(app, person, ["fig", "bank"]);
  await page.goto(viewerPath(designId, ids[0] ?? ""));
  await hydrated(page);
  const convex = await deploymentAs(app, person);
  const [image] = await imagesIn(app, person, designId);
  if (image) await convex.mutation(api.designImages.remove, { id: image._id });
  await expect(page.getByRole("heading", { name: "“fig.jpg” is in the trash" })).toBeVisible();
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByRole("heading", { name: "fig.jpg", exact: true })).toBeAttached();
  await expect(page).toHaveURL(viewerPath(designId, ids[0] ?? ""));
});

test("foreign, missing and signed-out requests for an image get the same answer", async ({ app, person, stranger, otherBrowser }) => {
  const { designId, ids } = await designWith(app, person, ["fig"]);
  const id = ids[0] ?? "";
  await sendRequest(app, person, `/images/${id}`);
  for (const query of ["", "?w=320", "?original=1"]) {
    const answers = await Promise.all([
      sendRequest(app, stranger, `/images/${id}${query}`, BROWSER),
      sendRequest(app, stranger, `/images/${NONE}${query}`, BROWSER),
      sendRequest(app, stranger, `/images/nonsense${query}`, BROWSER),
      sendRequest(app, null, `/images/${id}${query}`, BROWSER),
    ]);
    const messages = await Promise.all(
      answers.map(async (answer) => {
        const headers = Object.fromEntries(
          [...answer.headers].filter(
            ([name]) => !["date", "x-request-id", "content-security-policy", "set-cookie", "server-timing"].includes(name),
          ),
        );
        return { status: answer.status, headers, body: await answer.text() };
      }),
    );
    expect(messages[0]).toMatchObject({ status: 404, body: `${NOT_FOUND}\n` });
    for (const each of messages.slice(1)) expect(each).toEqual(messages[0]);
  }
  const page = await otherBrowser(stranger);
  const own = await makeDesign(app, stranger);
  for (const path of [`/design/${designId}`, viewerPath(designId, id), viewerPath(own.designId, id), viewerPath(own.designId, NONE)]) {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(404);
    await expect(page.getByText(NOT_FOUND)).toBeVisible();
  }
});

test("an image of one design is not found under another", { tag: "@image-design-not-found-under-another" }, async ({ app, person }) => {
  const { ids } = await designWith(app, person, ["fig"]);
  const other = await makeDesign(app, person);
  expect((await sendRequest(app, person, viewerPath(other.designId, ids[0] ?? ""))).status).toBe(404);
});

test("serves pictures in an accepted format, privately cached, and once", async ({ app, person }) => {
  const { ids } = await designWith(app, person, ["fig"]);
  const path = `/images/${ids[0]}?w=640`;
  const avif = await sendRequest(app, person, path, BROWSER);
  expect([avif.status, avif.headers.get("Content-Type")]).toEqual([200, "image/avif"]);
  expect(avif.headers.get("Cache-Control")).toMatch(/^private, max-age=10\b/);
  expect(avif.headers.get("Vary")).toMatch(/Accept.*Cookie/);
  expect(avif.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(avif.headers.get("Content-Security-Policy")).toContain("sandbox");
  const bytes = await avif.arrayBuffer();
  expect(Number(avif.headers.get("Content-Length"))).toBe(bytes.byteLength);

  const webp = await sendRequest(app, person, path, { Accept: "image/webp,*/*" });
  expect(webp.headers.get("Content-Type")).toBe("image/webp");
  expect(webp.headers.get("ETag")).not.toBe(avif.headers.get("ETag"));

  const again = await sendRequest(app, person, path, { ...BROWSER, "If-None-Match": avif.headers.get("ETag") ?? "" });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const head = await sendRequest(app, person, path, BROWSER, "HEAD");
  // Two app servers encode a variant separately.
  const length = BALANCED ? expect.stringMatching(/^\d+$/) : String(bytes.byteLength);
  expect([head.status, head.headers.get("Content-Length"), await head.text()]).toEqual([200, length, ""]);

  for (const width of ["1", "641", "0", "-1", "99999", "x", ""])
    expect((await sendRequest(app, person, `/images/${ids[0]}?w=${width}`)).status, width).toBe(400);
});

test("downloads originals unchanged under their names, completely or in ranges", async ({ app, person }) => {
  const photograph = { ...(await sidewaysPhotograph()), name: "Müller's “fig”.jpg" };
  const { ids } = await designWith(app, person, [photograph]);
  const path = `/images/${ids[0]}?original=1`;
  const whole = await sendRequest(app, person, path);
  const bytes = Buffer.from(await whole.arrayBuffer());
  expect(bytes.equals(photograph.buffer)).toBe(true);
  expect(whole.headers.get("ETag")).toBe(`"${createHash("sha256").update(bytes).digest("hex")}"`);
  expect(whole.headers.get("Content-Disposition")).toBe(
    `attachment; filename="M_ller's _fig_.jpg"; filename*=UTF-8''M%C3%BCller%27s%20%E2%80%9Cfig%E2%80%9D.jpg`,
  );
  const part = await sendRequest(app, person, path, { Range: "bytes=100-199" });
  expect([part.status, part.headers.get("Content-Range")]).toEqual([206, `bytes 100-199/${bytes.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
  const head = await sendRequest(app, person, path, {}, "HEAD");
  expect([head.status, head.headers.get("Content-Length")]).toEqual([200, String(bytes.length)]);
});

test(
  "never runs a drawing's script: pages show pixels, originals are downloads",
  { tag: "@never-runs-drawings-script-pages-show" },
  async ({ page, app, person }) => {
    const { designId, ids } = await designWith(app, person, [hostileSvg()]);
    for (const query of ["", "?w=320"]) {
      const shown = await sendRequest(app, person, `/images/${ids[0]}${query}`, BROWSER);
      expect(shown.headers.get("Content-Type")).toBe("image/webp");
    }
    const original = await sendRequest(app, person, `/images/${ids[0]}?original=1`, BROWSER);
    expect(original.headers.get("Content-Disposition")).toMatch(/^attachment;/);
    expect(original.headers.get("Content-Security-Policy")).toMatch(/^sandbox;/);
    expect(original.headers.get("X-Content-Type-Options")).toBe("nosniff");
    await page.goto(viewerPath(designId, ids[0] ?? ""));
    const picture = page.getByRole("img", { name: "logo.svg" });
    await expect.poll(() => picture.evaluate((img) => img instanceof HTMLImageElement && img.naturalWidth)).toBeGreaterThan(0);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the original" }).click();
    expect((await download).suggestedFilename()).toBe("logo.svg");
    await expect(page).toHaveTitle("logo.svg · Atelier");
  },
);

test("serves no image ten seconds after its deletion or the session's end", { tag: "@slow" }, async ({ app, person }) => {
  const { designId, ids } = await designWith(app, person, ["fig", "bank"]);
  const [deleted = "", kept = ""] = ids;
  const elsewhere = await signIn(app.url, person);
  const status = async (user: Person, id: string) => (await sendRequest(app, user, `/images/${id}?w=160`)).status;
  const both = [await status(person, deleted), await status(person, kept), await status(elsewhere, kept)];
  expect(both).toEqual([200, 200, 200]);
  const convex = await deploymentAs(app, person);
  const [first] = await imagesIn(app, person, designId);
  if (first) await convex.mutation(api.designImages.remove, { id: first._id });
  const signOut = await fetch(`${app.url}/api/auth/sign-out`, {
    method: "POST",
    headers: { Origin: app.url, Cookie: elsewhere.cookieHeader, "Content-Type": "application/json" },
    body: "{}",
  });
  expect(signOut.ok).toBe(true);
  await Promise.all([
    expect.poll(() => status(person, deleted), { timeout: 60_000 }).toBe(404),
    expect.poll(() => status(elsewhere, kept), { timeout: 60_000 }).toBe(404),
  ]);
  expect(await status(person, kept)).toBe(200);
});

async function recordAnnouncements(page: Page): Promise<() => Promise<string>> {
  await page.locator("[data-announcer]").evaluate((region) => {
    Object.assign(window, { said: "" });
    new MutationObserver(() => Object.assign(window, { said: `${String(Reflect.get(window, "said"))} ${region.textContent}` })).observe(
      region,
      {
        childList: true,
        characterData: true,
        subtree: true,
      },
    );
  });
  return () => page.evaluate(() => String(Reflect.get(window, "said")));
}

async function difference(a: Buffer, b: Buffer): Promise<number> {
  const { width, height } = await sharp(b).metadata();
  const size = { width: 120, height: Math.round((120 * height) / width), fit: "fill" } as const;
  const [left, right] = await Promise.all(
    [a, b].map((bytes) => sharp(bytes).resize(size).toColourspace("srgb").removeAlpha().raw().toBuffer()),
  );
  if (!left || !right) throw new Error("no pixels");
  return left.reduce((sum, value, at) => sum + Math.abs(value - (right[at] ?? 0)), 0) / left.length;
}
