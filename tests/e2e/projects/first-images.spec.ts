import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { badFiles, type PictureName, picturePath } from "../../fixtures/pictures.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, signUp, test } from "../../harness/test.ts";
import { addPictures, chosen, deploymentAs, imagesIn, makeDesign } from "../support/pictures.ts";
import { tray } from "../support/uploads.ts";

const TODAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

withAndWithoutJavaScript((javaScript) => {
  test("creates a project for images chosen on the empty Projects page", async ({ page, app, context }) => {
    const person = await signUp(app.url);
    await context.addCookies(person.cookies);
    await page.goto("/projects");
    await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
    await expectAccessible(page);
    if (javaScript) await hydrated(page);
    else {
      await page.getByLabel("Add images").setInputFiles(badFiles.renamedText());
      await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByRole("alert")).toContainText("0 of 1 file added");
      await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
    }
    await page.getByLabel("Add images").setInputFiles([picturePath("fig"), picturePath("bank")]);
    if (!javaScript) await page.getByRole("button", { name: "Upload" }).click();
    await expect(page).toHaveURL(/\/design\/\w+/);
    await expect(page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem")).toHaveCount(2);
    await expect(page.getByRole("navigation", { name: "Breadcrumb" })).toContainText(TODAY.format(new Date()));
  });
});

test("shows the first picture after sign-up and one selection of files", { tag: "@first-picture" }, async ({ page }) => {
  await page.goto("/sign-up");
  await hydrated(page);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ada Lovelace");
  await page.getByRole("textbox", { name: "Email" }).fill(`${randomUUID()}@example.com`);
  await page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/projects");
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(picturePath("fig"));
  await expect(page.getByRole("list", { name: "Images", exact: true }).getByRole("img", { name: "fig.jpg" })).toBeVisible();
});

test("creates the project once the page is connected, if its connection is slow", async ({ page, app, context }) => {
  const person = await signUp(app.url);
  await context.addCookies(person.cookies);
  const selected = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/sync$/, async (socket) => {
    await selected.promise;
    socket.connectToServer();
  });
  await page.goto("/projects");
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(picturePath("bank"));
  await expect(page.getByText("Your files are added when it is back.")).toBeVisible();
  selected.resolve();
  await expect(page).toHaveURL(/\/design\/\w+/);
  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
});

test("creates a project for a pasted image; its viewer accepts more", async ({ page, app, context }) => {
  const person = await signUp(app.url);
  await context.addCookies(person.cookies);
  await page.goto("/projects");
  await hydrated(page);
  await pasteImage(page);
  await expect(page).toHaveURL(/\/design\/\w+/);
  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");

  await page
    .getByRole("link", { name: /^Pasted/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/images\/\w+/);
  await page.reload();
  await hydrated(page);
  await expect(page.locator("[data-drop-page]")).toHaveAttribute("data-drop", "design");
});

test(
  "pastes an image on each page that accepts images, and gives a reason on others",
  { tag: ["@paste-pages", "@slow"] },
  async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    const [image = ""] = await addPictures(app, person, designId, ["fig"]);
    const { projectId } = await (await deploymentAs(app, person)).query(api.designs.getDesignById, { id: designId });
    const stored = async () => (await imagesIn(app, person, designId)).length;
    for (const [address, picture, number] of [
      [path, "bank", 2],
      [`${path}/images/${image}`, "brushes", 3],
    ] as const) {
      await page.goto(address);
      await hydrated(page);
      await pasteImage(page, picture);
      await expect.poll(stored).toBe(number);
    }
    for (const address of [`/projects/${projectId}`, `/projects/${projectId}/images`]) {
      await page.goto(address);
      await hydrated(page);
      await pasteImage(page);
      await expect(page.getByRole("dialog", { name: "Add 1 file to Magazine" }).getByRole("combobox")).toContainText("Cover");
    }
    for (const address of ["/projects", "/trash"]) {
      await page.goto(address);
      await hydrated(page);
      await pasteImage(page);
      await expect(page.getByText("Nothing was added. Open a project or a design, then paste.")).toBeVisible();
    }
  },
);

async function pasteImage(page: Page, picture: PictureName = "bank"): Promise<void> {
  const { name, buffer } = await chosen(picture);
  await page.evaluate(
    ([end, bytes]) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], `image.${end}`, { type: "image/*" }));
      window.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    [name.split(".").at(-1), buffer.toString("base64")] as const,
  );
}
