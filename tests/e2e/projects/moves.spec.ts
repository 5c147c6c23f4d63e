import type { Locator } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, test, waitForAnimations } from "../../harness/test.ts";
import { card, gallery, twoImages } from "../support/gallery.ts";
import { deploymentAs, imagesIn } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

test("cards have a context menu and keys", { tag: ["@card-menus-and-keys", "@slow"] }, async ({ page, app, person, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { path, convex, designId, names } = await twoImages(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const other = await convex.mutation(api.designs.create, { projectId, name: "Other" });
  await page.setViewportSize({ width: 1280, height: 960 });
  await page.goto(path);
  await hydrated(page);
  const menu = page.getByRole("group", { name: "fig.jpg", exact: true });

  await test.step("right-click, long press and the menu key", async () => {
    await card(page, "fig.jpg").click({ button: "right", position: { x: 60, y: 50 } });
    await expect(menu).toBeVisible();
    await waitForAnimations(page);
    const [picture, opened] = [await card(page, "fig.jpg").boundingBox(), await menu.boundingBox()];
    expect(Math.abs((opened?.x ?? 0) - (picture?.x ?? 0) - 60)).toBeLessThan(1);
    expect(Math.abs((opened?.y ?? 0) - (picture?.y ?? 0) - 50)).toBeLessThan(1);
    await expectAccessible(page);
    await page.keyboard.press("ArrowDown");
    await expect(menu.locator(".menu-item").first()).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
    await card(page, "fig.jpg").focus();
    await page.keyboard.press("Shift+F10");
    await expect(menu).toBeVisible();
    await page.keyboard.press("Tab");
    await expect(menu.locator(".menu-item").first()).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
    const touch = { pointerType: "touch", isPrimary: true, bubbles: true, clientX: 400, clientY: 300 };
    await card(page, "fig.jpg").dispatchEvent("pointerdown", touch);
    await expect(menu).toBeVisible();
    await card(page, "fig.jpg").dispatchEvent("pointerup", touch);
    await expect(menu).toBeVisible();
    await menu.getByRole("button", { name: "Select", exact: true }).click();
    await expect(page.getByRole("form", { name: "Selection" }).getByRole("status")).toHaveText("1 image selected");
    await page.keyboard.press("Escape");
  });

  await test.step("F2 and Ctrl+D", async () => {
    await card(page, "fig.jpg").focus();
    await page.keyboard.press("F2");
    const rename = page.getByRole("dialog", { name: "Rename image" });
    await rename.getByLabel("Name").fill("Figs.jpg");
    await page.keyboard.press("Enter");
    await expect(rename).toBeHidden();
    await card(page, "Figs.jpg").focus();
    await page.keyboard.press("Control+d");
    await expect.poll(names).toEqual(["Figs.jpg", "Figs (copy).jpg", "bank.png"]);
  });

  await test.step("copy, cut and paste", async () => {
    await card(page, "bank.png").focus();
    await page.keyboard.press("Control+c");
    await expect(page.getByText("1 image copied. Paste into a design.")).toBeVisible();
    await page.goto(`/design/${other}`);
    await hydrated(page);
    await page.keyboard.press("Control+v");
    await expect(gallery(page)).toHaveCount(1);
    await card(page, "bank.png").focus();
    await page.keyboard.press("Control+x");
    await expect(page.getByText("1 image cut. Paste into a design.")).toBeVisible();
    await page.goto(path);
    await hydrated(page);
    await page.keyboard.press("Control+v");
    await expect.poll(names).toEqual(["Figs.jpg", "Figs (copy).jpg", "bank.png", "bank.png"]);
    expect(await imagesIn(app, person, other)).toEqual([]);
    await page.keyboard.press("Control+z");
    await expect.poll(async () => (await imagesIn(app, person, other)).length).toBe(1);
  });

  await test.step("a copy after a cut replaces the cut items in the clipboard", async () => {
    await expect(gallery(page)).toHaveCount(3);
    await card(page, "Figs.jpg").focus();
    await page.keyboard.press("Control+x");
    await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(8, 8);
      canvas.getContext("2d")?.fillRect(0, 0, 8, 8);
      await navigator.clipboard.write([new ClipboardItem({ "image/png": await canvas.convertToBlob() })]);
    });
    await page.keyboard.press("Control+v");
    await expect(gallery(page)).toHaveCount(4);
    expect((await names())[0]).toBe("Figs.jpg");
  });

  await test.step("Ctrl+Enter saves a text", async () => {
    await page.getByRole("button", { name: "Add a description" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("Saved");
    await page.keyboard.press("Control+Enter");
    await expect(page.locator("p", { hasText: "Saved" })).toBeVisible();
  });
});

test("the picker finds, creates and copies to designs", { tag: "@destination-picker" }, async ({ page, app, person }) => {
  const { path, convex, designId, names } = await twoImages(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  await page.goto(path);
  await hydrated(page);
  const { name } = await convex.query(api.projects.getProjectById, { id: projectId });
  await page.getByRole("button", { name: "More for fig.jpg" }).click();
  await page.getByRole("link", { name: "Move to…" }).click();
  const picker = page.getByRole("dialog", { name: "Move or copy 1 image" });
  await expect(picker.locator("details[open] > summary")).toContainText(name);
  await picker.getByLabel("New design").fill("Made here");
  await page.keyboard.press("Enter");
  await expect(picker.getByRole("radio", { name: /^Made here/ }).last()).toBeChecked();
  await expectAccessible(page);
  await picker.getByRole("button", { name: "Copy here" }).click();
  await expect(page.getByText("1 image copied")).toBeVisible();
  const designs = await convex.query(api.designs.getDesignsByProjectId, { projectId });
  const copied = () => Promise.all(designs.map(async ({ _id, name }) => [name, (await imagesIn(app, person, _id)).length]));
  await expect.poll(copied).toContainEqual(["Made here", 1]);
  await expect.poll(names).toEqual(["fig.jpg", "bank.png"]);
  await page.keyboard.press("Control+z");
  await expect.poll(copied).toContainEqual(["Made here", 0]);
});

test("designs dragged onto a project of the sidebar move", { tag: "@drag-to-sidebar" }, async ({ page, app, person }) => {
  const convex = await deploymentAs(app, person);
  const [from, to] = [
    await convex.mutation(api.projects.create, { name: "From" }),
    await convex.mutation(api.projects.create, { name: "To" }),
  ];
  for (const name of ["One", "Two"]) await convex.mutation(api.designs.create, { projectId: from, name });
  const namesIn = async (projectId: string) =>
    (await convex.query(api.designs.getDesignsByProjectId, { projectId })).map(({ name }) => name);
  for (const sort of ["", "?sort=manual"]) {
    await page.goto(`/projects/${from}${sort}`);
    await hydrated(page);
    const target = page.getByRole("complementary", { name: "Sidebar" }).getByRole("link", { name: "To", exact: true });
    await page.getByRole("main").getByRole("link", { name: "One" }).dragTo(target);
    await expect.poll(() => namesIn(to)).toEqual(["One"]);
    await expect(page.getByText("1 design moved")).toBeVisible();
    await page.keyboard.press("Control+z");
    await expect.poll(() => namesIn(to)).toEqual([]);
  }
});

test("images dragged onto a design of a project move", { tag: ["@drag-images-to-design", "@slow"] }, async ({ page, app, person }) => {
  const { path, convex, designId } = await twoImages(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const target = await convex.mutation(api.designs.create, { projectId, name: "Target" });
  const inTarget = async () => (await imagesIn(app, person, target)).map(({ name }) => name);
  const dragOver = async (onto: Locator) => {
    const { x, y, width, height } = (await onto.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const further of [0, 1]) await page.mouse.move(x + width / 2 + further, y + height / 2, { steps: 4 });
  };
  const designs = page.getByRole("list", { name: "Designs of the project" });
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const [name, links, sort] of [
    ["fig.jpg", page.getByRole("complementary", { name: "Sidebar" }), ""],
    ["bank.png", page.getByRole("navigation", { name: "Breadcrumb" }), "?sort=name"],
  ] as const) {
    await page.goto(path + sort);
    await hydrated(page);
    await card(page, name).hover();
    await page.mouse.down();
    await dragOver(links.getByRole("link", { name: "Magazine" }));
    await expect(designs.getByRole("link")).toHaveText(["Target"]);
    await dragOver(designs.getByRole("link", { name: "Target" }));
    await page.mouse.up();
    await expect(page.getByText("1 image moved")).toBeVisible();
    await expect(designs).toHaveCount(0);
  }
  await expect.poll(inTarget).toEqual(["fig.jpg", "bank.png"]);

  await test.step("images move on the page of all images, also by keys", async () => {
    await page.goto(`/projects/${projectId}/images`);
    await hydrated(page);
    const images = page.getByRole("list", { name: /^Images of/ }).getByRole("listitem");
    await convex.mutation(api.designImages.move, { ids: [(await imagesIn(app, person, target))[0]?._id ?? ""], designId });
    await expect(page.getByRole("list", { name: "Images of Cover" })).toBeVisible();
    await page.getByRole("link", { name: "fig.jpg" }).dragTo(page.getByRole("heading", { name: "Target" }).getByRole("link"));
    await expect.poll(inTarget).toEqual(["bank.png", "fig.jpg"]);
    await expect(images).toHaveCount(2);
    await page.getByRole("link", { name: "fig.jpg" }).focus();
    await page.keyboard.press("Delete");
    await expect(images).toHaveCount(1);
    await page.keyboard.press("ControlOrMeta+z");
    await expect(images).toHaveCount(2);
  });
});

test("a finger drags an image by its handle onto a design", { tag: "@drag-image-by-touch" }, async ({ app, person, browser }) => {
  const { path, convex, designId, names } = await twoImages(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const target = await convex.mutation(api.designs.create, { projectId, name: "Target" });
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await context.addCookies(person.cookies);
  const phone = await context.newPage();
  await phone.goto(path);
  await hydrated(phone);
  const cdp = await context.newCDPSession(phone);
  const touch = async (type: "touchStart" | "touchMove", at: Locator) => {
    const { x, y, width, height } = (await at.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const further of type === "touchStart" ? [0] : [0, 8])
      await cdp.send("Input.dispatchTouchEvent", { type, touchPoints: [{ x: x + width / 2 + further, y: y + height / 2 }] });
  };
  await touch("touchStart", phone.getByRole("button", { name: "Reorder fig.jpg" }));
  await touch("touchMove", card(phone, "bank.png"));
  await expect(phone.locator(".drop-line")).toBeVisible();
  await touch("touchMove", phone.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Magazine" }));
  const design = phone.getByRole("list", { name: "Designs of the project" }).getByRole("link", { name: "Target" });
  await touch("touchMove", design);
  await expect(phone.locator(".drag-label")).toHaveText("Move to Target");
  await expect(design).toHaveAttribute("data-drop-target");
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await expect(phone.getByText("1 image moved")).toBeVisible();
  expect((await imagesIn(app, person, target)).map(({ name }) => name)).toEqual(["fig.jpg"]);
  await expect.poll(names).toEqual(["bank.png"]);
  await expect(phone).toHaveURL(path);
  await context.close();
});

test("copies and cuts images on the page of all images", { tag: "@copy-from-all-images" }, async ({ page, app, person, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { path, convex, designId, names } = await twoImages(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const other = await convex.mutation(api.designs.create, { projectId, name: "Other" });
  const inOther = async () => (await imagesIn(app, person, other)).map(({ name }) => name);
  for (const [key, message, left, pasted] of [
    ["c", "1 image copied. Paste into a design.", ["fig.jpg", "bank.png"], ["fig.jpg"]],
    ["x", "1 image cut. Paste into a design.", ["bank.png"], ["fig.jpg", "fig.jpg"]],
  ] as const) {
    await page.goto(`/projects/${projectId}/images`);
    await hydrated(page);
    await page.getByRole("list", { name: "Images of Cover" }).getByRole("link", { name: "fig.jpg" }).focus();
    await page.keyboard.press(`Control+${key}`);
    await expect(page.getByText(message)).toBeVisible();
    await page.keyboard.press("Control+v");
    await expect(page.getByText("Open a design to paste images.")).toBeVisible();
    await page.goto(`/design/${other}`);
    await hydrated(page);
    await page.keyboard.press("Control+v");
    await expect.poll(inOther).toEqual(pasted);
    await expect.poll(names).toEqual(left);
  }
  // A page that is not connected yet offers the undo with the answer to its form.
  await expect(page.getByText("1 image moved")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect.poll(names).toEqual(["fig.jpg", "bank.png"]);
  await page.goto(path);
  await expect(gallery(page)).toHaveCount(2);
});
