import { randomUUID } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { animatedGif, badFiles, type ChosenFile, hostileSvg, picturePath, sidewaysPhotograph } from "../fixtures/pictures.ts";
import { bothWays, expect, expectAccessible, hydrated, type Person, type RunningApp, test, toastsStand } from "../harness/test.ts";
import { addPictures, chosen, imagesIn, makeDesign, send } from "./pictures.ts";

const ACCEPTED = "JPEG, PNG, WebP, GIF, AVIF or SVG";

const gallery = (page: Page) => page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");
const tray = (page: Page) => page.getByRole("region", { name: "Uploads" });

/** Chooses files and sends them: with scripts choosing is enough. */
async function choose(page: Page, javaScript: boolean, files: Parameters<ReturnType<Page["locator"]>["setInputFiles"]>[0]) {
  if (javaScript) await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(files);
  if (!javaScript) await page.getByRole("button", { name: "Upload" }).click();
}

bothWays((javaScript) => {
  /** What is said of one file, wherever it is said. */
  const told = (page: Page, name: string) =>
    (javaScript ? tray(page) : page.getByRole("alert")).getByRole("listitem").filter({ hasText: name });

  test("files of every kind are added, and seen", async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "No images yet" })).toBeVisible();
    await expectAccessible(page);
    const files = [
      await chosen("fig"),
      await chosen("bank"),
      await chosen("clock"),
      await chosen("sunset"),
      await animatedGif(),
      hostileSvg(),
    ];
    await choose(page, javaScript, files);
    await expect(gallery(page)).toHaveCount(6);
    if (!javaScript) await expect(page.getByText("6 images added.")).toBeVisible();
    await expectAccessible(page);
    expect((await imagesIn(app, person, designId)).map(({ name, contentType }) => `${name} ${contentType}`).toSorted()).toEqual([
      "bank.png image/png",
      "clock.webp image/webp",
      "fig.jpg image/jpeg",
      "logo.svg image/svg+xml",
      "sunset.avif image/avif",
      "traffic.gif image/gif",
    ]);
  });

  test("of five files four arrive, and the fifth says why", async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await choose(page, javaScript, [
      await chosen("fig"),
      await chosen("bank"),
      badFiles.renamedText(),
      await chosen("dogs"),
      await sidewaysPhotograph(),
    ]);
    await expect(gallery(page)).toHaveCount(4);
    await expect(told(page, "notes.png")).toContainText(ACCEPTED);
    await expect(
      told(page, "notes.png")
        .getByRole("alert")
        .or(page.getByRole("alert").filter({ hasText: "notes.png" }))
        .first(),
    ).toBeVisible();
    await expectAccessible(page);
    expect((await imagesIn(app, person, designId)).length).toBe(4);
    if (javaScript) await expect(tray(page).getByRole("heading")).toHaveText("4 images added, 1 file not added");
    else await expect(page.getByRole("heading", { name: "4 of 5 files added" })).toBeVisible();
  });

  test("every bad file is refused with a reason of its own", async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    const files = [badFiles.empty(), await badFiles.cutOff(), badFiles.bomb(), await badFiles.tiff(), badFiles.pdf(), badFiles.html()];
    await choose(page, javaScript, files);
    await expect(told(page, "nothing.png")).toContainText("The file is empty");
    await expect(told(page, "half.jpg")).toContainText("damaged or cut off");
    await expect(told(page, "bomb.png")).toContainText("20,000 × 20,000 pixels; it may have 50 megapixels at most");
    await expect(told(page, "scan.jpg")).toContainText(`TIFF file. Choose a ${ACCEPTED}`);
    await expect(told(page, "brief.pdf")).toContainText(`This is a PDF. Choose a ${ACCEPTED}`);
    await expect(told(page, "page.svg")).toContainText(ACCEPTED);
    expect(await imagesIn(app, person, designId)).toEqual([]);
  });

  test("a file over the limit is refused, and those beside it are not", async ({ browser, launch }) => {
    const { signUp } = await import("../harness/people.ts");
    const small = await launch({ UPLOAD_MAX_BYTES: "150000" });
    const who = await signUp(small.url);
    const { designId, path } = await makeDesign(small, who);
    const context = await browser.newContext({ baseURL: small.url, javaScriptEnabled: javaScript });
    await context.addCookies(who.cookies);
    const page = await context.newPage();
    await page.goto(path);
    await choose(page, javaScript, [await chosen("bank"), await chosen("path"), await chosen("dogs")]);
    await expect(gallery(page)).toHaveCount(2);
    await expect(told(page, "path.jpg")).toContainText("it may have 146.5 KiB at most");
    expect((await imagesIn(small, who, designId)).map(({ name }) => name).toSorted()).toEqual(["bank.png", "dogs.jpg"]);
    await context.close();
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("an empty form says what to do", async ({ page, app, person }) => {
    const { path } = await makeDesign(app, person);
    await page.goto(path);
    await page.getByRole("button", { name: "Upload" }).click();
    await expect(page.getByRole("alert")).toContainText("Choose at least one image.");
  });
});

test("what one browser adds appears in another by itself", async ({ page, app, person, otherBrowser }) => {
  const { designId, path } = await makeDesign(app, person);
  const other = await otherBrowser(person);
  await Promise.all([page.goto(path), other.goto(path)]);
  await Promise.all([hydrated(page), hydrated(other)]);
  await addPictures(app, person, designId, ["fig"]);
  await expect(gallery(other)).toHaveCount(1);
  await expect(gallery(page)).toHaveCount(1);
});

test("what is dropped lands where it was dropped: on the page's design, in a card's, or in the design that a project is asked for", async ({
  page,
  app,
  person,
}) => {
  const { path } = await makeDesign(app, person, "Poster");
  await page.goto(path);
  await hydrated(page);
  const body = page.locator("body");
  const stripes = await transferOf(page, [await chosen("stripes")]);
  await body.dispatchEvent("dragenter", { dataTransfer: stripes });
  await expect(page.getByText("Drop to add to Poster")).toBeVisible();
  await body.dispatchEvent("drop", { dataTransfer: stripes });
  await expect(page.getByText("Drop to add to Poster")).toBeHidden();
  await expect(gallery(page)).toHaveCount(1);

  // Pixels from the clipboard, which all have the same name.
  await page.evaluate(
    (data) => window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })),
    await transferOf(page, [{ ...(await chosen("bank")), name: "image.png" }]),
  );
  await expect(gallery(page)).toHaveCount(2);
  await expect(page.getByRole("link", { name: /^Pasted \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png/ }).first()).toBeVisible();

  // What this page's tray has not heard of by then the next one's would tell of, and count with what is dropped there.
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("uploads")))).toEqual([]);
  await page.goto("/projects");
  await hydrated(page);
  const figs = await transferOf(page, [await chosen("fig"), await chosen("clock")]);
  await body.dispatchEvent("dragenter", { dataTransfer: figs });
  await expect(page.getByText("Drop on a project or a design")).toBeVisible();
  const card = page.getByRole("list", { name: "Projects" }).getByRole("listitem").first();
  await card.getByRole("heading").dispatchEvent("dragover", { dataTransfer: figs });
  await expect(page.getByText("Drop to add to Magazine")).toBeVisible();
  await card.getByRole("heading").dispatchEvent("drop", { dataTransfer: figs });
  const dialog = page.getByRole("dialog", { name: "Add 2 files to Magazine" });
  await expect(dialog.getByLabel("Design", { exact: true })).toHaveValue("");
  await expectAccessible(page);
  await dialog.getByLabel("Name of the new design").fill("Autumn");
  await dialog.getByRole("button", { name: "Add 2 files" }).click();
  await expect(tray(page).getByRole("heading")).toHaveText("2 images added");
  await expect(tray(page).getByRole("listitem").first()).toContainText("Added · Autumn");

  // A folder on a design's card lands in that design, with what is in it and in the folders within, and asks nothing.
  await page.goto(`/projects/${(await card.getByRole("link").first().getAttribute("href"))?.split("/").at(-1)}`);
  await hydrated(page);
  const folder = await mkdtemp(join(tmpdir(), "folder-"));
  await mkdir(join(folder, "drafts"));
  await copyFile(picturePath("dogs"), join(folder, "dogs.jpg"));
  await copyFile(picturePath("habits"), join(folder, "drafts", "habits.png"));
  await writeFile(join(folder, ".DS_Store"), "x");
  const autumn = page.getByRole("main").getByRole("listitem").filter({ hasText: "Autumn" });
  const onCard = await autumn.boundingBox();
  if (!onCard) throw new Error("The card is not to be seen.");
  const cdp = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    await cdp.send("Input.dispatchDragEvent", { type, x: onCard.x + onCard.width / 2, y: onCard.y + onCard.height / 2, data });
    if (type === "dragOver") await expect(page.getByText("Drop to add to Autumn")).toBeVisible();
  }
  await expect(tray(page).getByRole("heading")).toHaveText("2 images added");
  await expect(tray(page).getByRole("listitem")).toContainText(["Added · Autumn", "Added · Autumn"]);
  await expect(autumn).toContainText("4 images");
  await rm(folder, { recursive: true });

  await tray(page).getByRole("link", { name: "dogs.jpg" }).click();
  await expect(page).toHaveURL(/\/design\/[^/]+\/images\//);
});

/** Files as a drop or a paste brings them. */
function transferOf(page: Page, files: ChosenFile[]) {
  const contents = files.map(({ name, mimeType, buffer }) => ({
    name,
    type: mimeType.replace("*", "jpeg"),
    bytes: buffer.toString("base64"),
  }));
  return page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, type, bytes } of given)
      data.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], name, { type }));
    return data;
  }, contents);
}

test.describe("the tray", () => {
  test.use({ allowedErrors: [/ERR_FAILED|ERR_INTERNET_DISCONNECTED|WebSocket|manifest patches|dynamically imported module/] });

  test("goes along from page to page; files pause, go on, are cancelled, and say when they are here already", async ({
    page,
    app,
    person,
  }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await hydrated(page);
    const held = Promise.withResolvers<undefined>();
    await page.route("**/uploads/*", async (route) => {
      if (route.request().method() === "PATCH") await held.promise;
      await route.continue().catch(() => {});
    });
    // The two larger ones are announced before they are sent.
    await page.getByLabel("Add images").setInputFiles([picturePath("path"), picturePath("mountain"), picturePath("fig")]);
    const row = (name: string) => tray(page).getByRole("listitem").filter({ hasText: name });
    await expect(row("fig.jpg")).toContainText("Added");
    await expect(row("path.jpg")).toContainText("% of 422 KiB");
    await expect(tray(page).getByRole("heading")).toHaveText("Adding 3 images, 1 done");
    await tray(page).getByRole("button", { name: "Pause all" }).click();
    await expect(row("mountain.jpg")).toContainText("Paused at");
    await expectAccessible(page);

    await page.getByRole("link", { name: "Projects", exact: true }).first().click();
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
    await tray(page).getByRole("button", { name: "Cancel mountain.jpg" }).press("Enter");
    await expect(row("mountain.jpg")).toContainText("Cancelled");
    held.resolve(undefined);
    await tray(page).getByRole("button", { name: "Resume path.jpg" }).click();
    await expect(row("path.jpg")).toContainText("Added");
    await tray(page).getByRole("button", { name: "Try again: mountain.jpg" }).click();
    await expect(tray(page).getByRole("heading")).toHaveText("3 images added");
    await page.goBack();
    await expect(gallery(page)).toHaveCount(3);

    await page.getByLabel("Add images").setInputFiles([picturePath("fig"), picturePath("bank")]);
    await expect(row("fig.jpg").getByRole("alert")).toHaveText("Already in this design, as fig.jpg. It was not added again.");
    await expect(tray(page).getByRole("heading")).toHaveText("1 image added, 1 here already");
    await expectAccessible(page);
    await tray(page).getByRole("button", { name: "Add anyway: fig.jpg" }).click();
    await expect(gallery(page)).toHaveCount(5);
    expect((await imagesIn(app, person, designId)).length).toBe(5);
  });

  test("goes on by itself after the line was lost, even before anything was loaded, and after the tab was closed with the file chosen again", async ({
    page,
    app,
    person,
    context,
  }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await hydrated(page);
    await toastsStand(page);
    await context.setOffline(true);
    await page.getByLabel("Add images").setInputFiles([picturePath("fig"), picturePath("bank")]);
    await expect(page.getByText("Your files wait, and are added when it is back.")).toBeVisible();
    await context.setOffline(false);
    await expect(tray(page).getByRole("heading")).toHaveText("2 images added");

    await page.route("**/uploads/*", (route) => (route.request().method() === "PATCH" ? route.abort() : route.continue()));
    await page.getByLabel("Add images").setInputFiles(picturePath("path"));
    await expect(tray(page).getByRole("listitem").filter({ hasText: "path.jpg" })).toContainText(
      "The connection was lost. It goes on by itself",
    );
    await page.close();

    const next = await context.newPage();
    await next.goto("/projects");
    await expect(tray(next)).toContainText(
      "1 file stopped on the way when the page was closed. Choose it again, and it goes on where it stopped.",
    );
    await expectAccessible(next);
    await tray(next).getByLabel("Choose it again").setInputFiles(picturePath("fig"));
    await expect(tray(next).getByRole("alert")).toHaveText("Not among them: fig.jpg.");
    await tray(next).getByLabel("Choose it again").setInputFiles(picturePath("path"));
    await expect(tray(next).getByRole("heading")).toHaveText("1 image added");
    expect((await imagesIn(app, person, designId)).map(({ name }) => name).toSorted()).toEqual(["bank.png", "fig.jpg", "path.jpg"]);
    // Nothing of them is left that the next page would ask for.
    await expect.poll(() => next.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("uploads")))).toEqual([]);
  });
});

test("the same form sent twice adds its files once; other files of the same form are added", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const sending = randomUUID();
  const answers = await Promise.all([1, 2, 3].map(async () => (await send(app, person, designId, [await chosen("fig")], sending)).json()));
  expect(new Set(answers.map(({ results }) => results[0].imageId)).size).toBe(1);
  await send(app, person, designId, [await chosen("bank")], sending);
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["fig.jpg", "bank.png"]);
});

test("nobody adds to a design that is not theirs, or that does not exist", async ({ app, person, stranger }) => {
  const { designId } = await makeDesign(app, person);
  const file = await chosen("fig");
  const foreign = await send(app, stranger, designId, [file]);
  const missing = await send(app, stranger, "nonsense", [file]);
  expect([foreign.status, missing.status]).toEqual([404, 404]);
  expect(await foreign.text()).toBe(await missing.text());
  const signedOut = await send(app, null, designId, [file]);
  expect(signedOut.status).toBe(302);
  expect(signedOut.headers.get("Location")).toContain("/sign-in");
  expect(await imagesIn(app, person, designId)).toEqual([]);
});

test("another site cannot make a browser send files", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const form = new FormData();
  form.append("sending", randomUUID());
  form.append("files", new File(["x"], "x.png"));
  const headers = { Origin: "https://elsewhere.example", Cookie: person.cookieHeader };
  expect((await fetch(`${app.url}/uploads?design=${designId}`, { method: "POST", body: form, headers })).status).toBe(403);
});

test("what breaks off on the way leaves nothing behind", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const socket = sendHalf(app, person, designId);
  await expect.poll(() => waiting(app)).toHaveLength(1);
  socket.destroy();
  await expect.poll(() => waiting(app)).toEqual([]);
  expect(await imagesIn(app, person, designId)).toEqual([]);
});

test("a server that is killed during an upload has removed its remains when it is back", async ({ ownApp }) => {
  const { signUp } = await import("../harness/people.ts");
  const person = await signUp(ownApp.url);
  const { designId } = await makeDesign(ownApp, person);
  sendHalf(ownApp, person, designId).on("error", () => {});
  await expect.poll(() => waiting(ownApp)).toHaveLength(1);
  await ownApp.kill();
  expect(await waiting(ownApp)).toHaveLength(1);
  await ownApp.start();
  expect(await waiting(ownApp)).toEqual([]);
  await addPictures(ownApp, person, designId, ["fig"]);
  expect((await imagesIn(ownApp, person, designId)).length).toBe(1);
});

const waiting = (app: RunningApp) => readdir(join(app.dataDir, "uploads"));

/** The first half of an upload, on a line that stays open. */
function sendHalf(app: RunningApp, person: Person, designId: string) {
  const { hostname, port, host } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  const body = [
    `--x\r\nContent-Disposition: form-data; name="sending"\r\n\r\n${randomUUID()}\r\n`,
    '--x\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n',
    "x".repeat(100_000),
  ].join("");
  socket.write(
    [
      `POST /uploads?design=${designId} HTTP/1.1`,
      `Host: ${host}`,
      `Origin: ${app.url}`,
      `Cookie: ${person.cookieHeader}`,
      "Content-Type: multipart/form-data; boundary=x",
      "Content-Length: 900000",
      "",
      body,
    ].join("\r\n"),
  );
  return socket;
}
