import { randomUUID } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import {
  animatedGif,
  badFiles,
  type ChosenFile,
  hostileSvg,
  phonePhotograph,
  picturePath,
  sidewaysPhotograph,
  twoPages,
} from "../../fixtures/pictures.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  type Person,
  type RunningApp,
  test,
  toasterReady,
} from "../../harness/test.ts";
import { gallery } from "../support/gallery.ts";
import { addPictures, chosen, imagesIn, makeDesign, send } from "../support/pictures.ts";
import { deleteStoredContents, openDetails, queuedFiles, tray } from "../support/uploads.ts";

test.describe.configure({ mode: "parallel" });

const ACCEPTED = "JPEG, PNG, WebP, GIF, AVIF, HEIC, SVG or PDF";

async function choose(page: Page, javaScript: boolean, files: Parameters<ReturnType<Page["locator"]>["setInputFiles"]>[0]) {
  if (javaScript) await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(files);
  if (!javaScript) await page.getByRole("button", { name: "Upload" }).click();
}

withAndWithoutJavaScript((javaScript) => {
  const onMessage = (page: Page, name: string) =>
    (javaScript ? tray(page) : page.getByRole("alert")).getByRole("listitem").filter({ hasText: name });

  test("adds and shows files of every type", async ({ page, app, person }) => {
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

  test("adds four of five files and shows the error of the fifth", async ({ page, app, person }) => {
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
    await expect(onMessage(page, "notes.png")).toContainText(ACCEPTED);
    await expect(
      onMessage(page, "notes.png")
        .getByRole("alert")
        .or(page.getByRole("alert").filter({ hasText: "notes.png" }))
        .first(),
    ).toBeVisible();
    await expectAccessible(page);
    expect((await imagesIn(app, person, designId)).length).toBe(4);
    if (javaScript) await expect(tray(page).getByRole("heading")).toHaveText("4 images added, 1 failed");
    else await expect(page.getByRole("heading", { name: "4 of 5 files added" })).toBeVisible();
  });

  test("adds a HEIC photograph and each page of a PDF", { tag: "@adds-heic-photograph-each-page" }, async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await choose(page, javaScript, [await phonePhotograph(), twoPages()]);
    await expect(page.getByRole("img", { name: "brief (page 2).pdf" })).toBeVisible();
    const images = () => imagesIn(app, person, designId);
    await expect
      .poll(async () => (await images()).map(({ name, width, height }) => `${name} ${width} × ${height}`).toSorted())
      .toEqual(["IMG_3107.heic 64 × 96", "brief (page 1).pdf 200 × 400", "brief (page 2).pdf 400 × 200"]);
    for (const { name } of await images())
      await expect
        .poll(() => page.getByRole("img", { name }).evaluate((shown) => shown instanceof HTMLImageElement && shown.naturalWidth > 0))
        .toBe(true);
  });

  test("rejects every bad file with its own reason", { tag: "@rejects-every-bad-file-own-reason" }, async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    const files = [badFiles.empty(), await badFiles.cutOff(), badFiles.bomb(), await badFiles.tiff(), badFiles.pdf(), badFiles.html()];
    await choose(page, javaScript, files);
    await expect(onMessage(page, "nothing.png")).toContainText("The file is empty");
    await expect(onMessage(page, "half.jpg")).toContainText("damaged or incomplete");
    await expect(onMessage(page, "bomb.png")).toContainText("20,000 × 20,000 pixels (maximum 50 megapixels");
    await expect(onMessage(page, "scan.jpg")).toContainText("Unsupported file type (TIFF). Export it as a PNG.");
    await expect(onMessage(page, "brief.pdf")).toContainText("damaged or incomplete");
    await expect(onMessage(page, "page.svg")).toContainText(ACCEPTED);
    expect(await imagesIn(app, person, designId)).toEqual([]);
  });

  test(
    "rejects a file over the limit and accepts the others",
    { tag: ["@rejects-file-over-limit-accepts-others", "@slow"] },
    async ({ browser, launch }) => {
      const { signUp } = await import("../../harness/people.ts");
      const small = await launch({ UPLOAD_MAX_BYTES: "150000" });
      const user = await signUp(small.url);
      const { designId, path } = await makeDesign(small, user);
      const context = await browser.newContext({ baseURL: small.url, javaScriptEnabled: javaScript });
      await context.addCookies(user.cookies);
      const page = await context.newPage();
      await page.goto(path);
      await choose(page, javaScript, [await chosen("bank"), await chosen("path"), await chosen("dogs")]);
      await expect(gallery(page)).toHaveCount(2);
      await expect(onMessage(page, "path.jpg")).toContainText("maximum 150 kB");
      expect((await imagesIn(small, user, designId)).map(({ name }) => name).toSorted()).toEqual(["bank.png", "dogs.jpg"]);
      await context.close();
    },
  );
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("an empty form shows the next step", async ({ page, app, person }) => {
    const { path } = await makeDesign(app, person);
    await page.goto(path);
    await page.getByRole("button", { name: "Upload" }).click();
    await expect(page.getByRole("alert")).toContainText("Choose at least one image.");
  });
});

test("an added image appears in another browser", async ({ page, app, person, otherBrowser }) => {
  const { designId, path } = await makeDesign(app, person);
  const other = await otherBrowser(person);
  await Promise.all([page.goto(path), other.goto(path)]);
  await Promise.all([hydrated(page), hydrated(other)]);
  await addPictures(app, person, designId, ["fig"]);
  await expect(gallery(other)).toHaveCount(1);
  await expect(gallery(page)).toHaveCount(1);
});

test("dropped files go to the page's design, a card's design or a chosen one", { tag: "@slow" }, async ({ page, app, person }) => {
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

  await page.evaluate(
    (data) => window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })),
    await transferOf(page, [{ ...(await chosen("bank")), name: "image.png" }]),
  );
  await expect(gallery(page)).toHaveCount(2);
  await expect(page.getByRole("link", { name: /^Pasted \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png/ }).first()).toBeVisible();

  await expect.poll(() => queuedFiles(page)).toEqual([]);
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
  await openDetails(page);
  await expect(tray(page).getByRole("listitem").first()).toContainText("Added · Autumn");

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
  await openDetails(page);
  await expect(tray(page).getByRole("listitem")).toContainText(["Added · Autumn", "Added · Autumn"]);
  await expect(autumn).toContainText("4 images");
  await rm(folder, { recursive: true });

  await tray(page).getByRole("link", { name: "dogs.jpg" }).click();
  await expect(page).toHaveURL(/\/design\/[^/]+\/images\//);
});

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
  test.use({
    saveData: false,
    allowedErrors: [/ERR_FAILED|ERR_INTERNET_DISCONNECTED|WebSocket|manifest patches|dynamically imported module/],
  });

  test("the tray follows navigation; files pause, resume, cancel and show duplicates", { tag: "@slow" }, async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await hydrated(page);
    const held = Promise.withResolvers<undefined>();
    await page.route("**/uploads/*", async (route) => {
      if (route.request().method() === "PATCH") await held.promise;
      await route.continue().catch(() => {});
    });
    await page.getByLabel("Add images").setInputFiles([picturePath("path"), picturePath("mountain"), picturePath("fig")]);
    const row = (name: string) => tray(page).getByRole("listitem").filter({ hasText: name });
    await expect(tray(page).getByRole("heading")).toHaveText("Adding 3 images");
    await expect(tray(page).locator("li")).toHaveCount(0);
    await openDetails(page);
    await expect(row("fig.jpg")).toContainText("Added");
    await expect(row("path.jpg")).toContainText("% of 432.1 kB");
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
    await expect(row("fig.jpg").getByRole("alert")).toHaveText("Duplicate of fig.jpg in this design. Not added.");
    await expect(tray(page).getByRole("heading")).toHaveText("1 image added, 1 duplicate");
    await expectAccessible(page);
    await tray(page).getByRole("button", { name: "Keep both: fig.jpg" }).click();
    await expect(gallery(page)).toHaveCount(5);
    expect((await imagesIn(app, person, designId)).length).toBe(5);
  });

  test(
    "resumes after a lost connection and, with the file reselected, a closed tab",
    { tag: "@slow" },
    async ({ page, app, person, context }) => {
      const { designId, path } = await makeDesign(app, person);
      await page.goto(path);
      await hydrated(page);
      await toasterReady(page);
      await context.setOffline(true);
      await page.getByLabel("Add images").setInputFiles([picturePath("fig"), picturePath("bank")]);
      await expect(page.getByText("Your files are added when it is back.")).toBeVisible();
      await context.setOffline(false);
      await expect(tray(page).getByRole("heading")).toHaveText("2 images added");

      await page.route("**/uploads/*", (route) => (route.request().method() === "PATCH" ? route.abort() : route.continue()));
      await page.getByLabel("Add images").setInputFiles(picturePath("path"));
      await expect(tray(page).getByRole("heading")).toHaveText("Waiting for connection");
      await deleteStoredContents(page);
      await page.close();

      const next = await context.newPage();
      await next.goto("/projects");
      await expect(tray(next).getByRole("heading")).toHaveText("1 file was not uploaded.");
      await expectAccessible(next);
      await tray(next).getByLabel("Select file again").setInputFiles(picturePath("fig"));
      await expect(tray(next).getByRole("alert")).toHaveText("No unfinished upload matches: fig.jpg.");
      await tray(next).getByLabel("Select file again").setInputFiles(picturePath("path"));
      await expect(tray(next).getByRole("heading")).toHaveText("1 image added");
      expect((await imagesIn(app, person, designId)).map(({ name }) => name).toSorted()).toEqual(["bank.png", "fig.jpg", "path.jpg"]);
      await expect.poll(() => queuedFiles(next)).toEqual([]);
    },
  );
});

test("a form sent twice adds its files once, and new files are still added", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const sending = randomUUID();
  const answers = await Promise.all([1, 2, 3].map(async () => (await send(app, person, designId, [await chosen("fig")], sending)).json()));
  expect(new Set(answers.map(({ results }) => results[0].imageId)).size).toBe(1);
  await send(app, person, designId, [await chosen("bank")], sending);
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["fig.jpg", "bank.png"]);
});

test("rejects uploads to another user's or a missing design", async ({ app, person, stranger }) => {
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

test("rejects files that another site submits", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const form = new FormData();
  form.append("sending", randomUUID());
  form.append("files", new File(["x"], "x.png"));
  const headers = { Origin: "https://elsewhere.example", Cookie: person.cookieHeader };
  expect((await fetch(`${app.url}/uploads?design=${designId}`, { method: "POST", body: form, headers })).status).toBe(403);
});

test("an aborted upload leaves nothing behind", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const socket = sendHalf(app, person, designId);
  await expect.poll(() => waiting(app)).toHaveLength(1);
  socket.destroy();
  await expect.poll(() => waiting(app)).toEqual([]);
  expect(await imagesIn(app, person, designId)).toEqual([]);
});

test("a server killed during an upload removes the remains at its next start", { tag: "@slow" }, async ({ ownApp }) => {
  const { signUp } = await import("../../harness/people.ts");
  const person = await signUp(ownApp.url);
  const { designId } = await makeDesign(ownApp, person);
  sendHalf(ownApp, person, designId).on("error", () => {});
  await expect.poll(() => waiting(ownApp)).toHaveLength(1);
  await ownApp.kill();
  expect(await waiting(ownApp)).toHaveLength(1);
  await ownApp.start();
  await expect.poll(() => waiting(ownApp)).toEqual([]);
  await addPictures(ownApp, person, designId, ["fig"]);
  expect((await imagesIn(ownApp, person, designId)).length).toBe(1);
});

const waiting = (app: RunningApp) => readdir(join(app.dataDir, "uploads"));

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
