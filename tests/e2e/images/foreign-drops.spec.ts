import type { Page } from "@playwright/test";
import { expect, hydrated, test } from "../../harness/test.ts";
import { addPictures, chosen, makeDesign } from "../support/pictures.ts";

const ADDRESS = "data:text/html,<h1>Somewhere else</h1>";
const EFFECTS = { copy: 1, link: 2 };

test("a link dropped from another tab does not change the page", async ({ page, app, person }) => {
  const { path } = await makeDesign(app, person);
  await page.goto(path);
  await hydrated(page);
  const cdp = await page.context().newCDPSession(page);
  const items = [{ mimeType: "text/uri-list", data: `${app.url}/error` }];
  const data = { items, files: [], dragOperationsMask: EFFECTS.copy | EFFECTS.link };
  let documents = 0;
  page.on("request", (request) => request.isNavigationRequest() && documents++);
  for (const type of ["dragEnter", "dragOver"] as const) await cdp.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  await expect(page.getByText("Links cannot be added.")).toBeVisible();
  await cdp.send("Input.dispatchDragEvent", { type: "drop", x: 400, y: 300, data });
  // A drop's navigation starts before a later request is answered.
  await page.evaluate(() => fetch("/shortcuts"));
  expect(documents).toBe(0);
  await expect(page).toHaveURL(app.url + path);
});

for (const [kind, types] of [
  ["a link", { "text/uri-list": ADDRESS, "text/plain": ADDRESS }],
  ["a picture without its file", { "text/uri-list": ADDRESS, "text/html": "<img src=x>" }],
  ["text", { "text/plain": ADDRESS }],
] as const)
  test(`${kind} is accepted only in text fields`, async ({ page, app, person }) => {
    const { path } = await makeDesign(app, person);
    await page.goto(path);
    await hydrated(page);
    const prevented = (selector: string) => preventedOn(page, selector, types);
    for (const selector of ["body", "main h1", "aside a, nav a"]) expect(await prevented(selector), selector).toEqual([true, true, true]);
    const toast = page.locator("[data-sonner-toast]").filter({ hasText: "Links cannot be added." });
    await expect(toast.first()).toBeVisible({ visible: "text/uri-list" in types });
    expect(await prevented("input[data-command^='Rename']")).toEqual([false, false, false]);
    await expect(page.locator(".drop-overlay")).toHaveCount(0);
  });

test("links dropped on date fields, signed-out and error pages change nothing", async ({ page, person, browser, app }) => {
  expect(person.id).not.toBe("");
  const types = { "text/uri-list": ADDRESS, "text/plain": ADDRESS };
  await page.goto("/search");
  await hydrated(page);
  expect(await preventedOn(page, "input[type=date]", types)).toEqual([true, true, true]);
  const visitor = await (await browser.newContext({ baseURL: app.url })).newPage();
  for (const path of ["/sign-in", "/nowhere"]) {
    await visitor.goto(path);
    await hydrated(visitor);
    for (const given of [types, { Files: "" }]) expect(await preventedOn(visitor, "h1", given), path).toEqual([true, true, true]);
  }
  await visitor.goto("/sign-in");
  await hydrated(visitor);
  expect(await preventedOn(visitor, "input[type=email]", types)).toEqual([false, false, false]);
  await visitor.context().close();
});

const preventedOn = (page: Page, selector: string, types: Record<string, string>) =>
  page.evaluate(
    ([at, given]) => {
      const dataTransfer = new DataTransfer();
      for (const [type, value] of Object.entries(given))
        if (type === "Files") dataTransfer.items.add(new File([value], "a.txt"));
        else dataTransfer.setData(type, value);
      const options = { dataTransfer, bubbles: true, cancelable: true };
      return ["dragenter", "dragover", "drop"].map((type) => !document.querySelector(at)?.dispatchEvent(new DragEvent(type, options)));
    },
    [selector, types] as const,
  );

test("a picture from another tab is added when the drag carries its file", async ({ page, app, person }) => {
  const { path } = await makeDesign(app, person);
  await page.goto(path);
  await hydrated(page);
  await dropPicture(page);
  await expect(page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem")).toHaveCount(1);
});

test("a picture can be dropped after images were dragged", { tag: "@drop-after-drag" }, async ({ page, app, person }) => {
  const { path, designId } = await makeDesign(app, person);
  await addPictures(app, person, designId, ["clock", "bank"]);
  await page.goto(path);
  await hydrated(page);
  const images = page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");
  await images
    .last()
    .getByRole("link")
    .dragTo(images.first(), { targetPosition: { x: 12, y: 20 } });
  await expect(images.first()).toContainText("bank");
  await dropPicture(page);
  await expect(images).toHaveCount(3);
});

async function dropPicture(page: Page): Promise<void> {
  const { name, buffer } = await chosen("fig");
  await page.evaluate(
    ([address, fileName, bytes]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/uri-list", address);
      dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], fileName, { type: "image/jpeg" }));
      for (const type of ["dragenter", "dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [ADDRESS, name, buffer.toString("base64")] as const,
  );
}
