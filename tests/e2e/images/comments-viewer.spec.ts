import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { expect, expectAccessible, hydrated, type Person, type RunningApp, test, waitForAnimations } from "../../harness/test.ts";
import { controlConnection } from "../support/controlled-connection.ts";
import { addPictures, addVersion, deploymentAs, makeDesign } from "../support/pictures.ts";

test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED/] });
test.describe.configure({ mode: "parallel" });

const panel = (page: Page) => page.getByRole("complementary", { name: "Comments" });
const pins = (page: Page) => page.getByRole("list", { name: "Comments on the image" }).getByRole("listitem");
const composer = (page: Page) => panel(page).getByLabel("Write a comment");
const surface = (page: Page) => page.getByRole("application", { name: "Comment position" });
const threads = (page: Page) => panel(page).getByRole("article");

async function imageOf(app: RunningApp, person: Person, name: Parameters<typeof addPictures>[3][number] = "dogs") {
  const { designId } = await makeDesign(app, person);
  const [imageId = ""] = await addPictures(app, person, designId, [name, "fig"]);
  const convex = await deploymentAs(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  return { convex, designId, imageId, projectId, path: `/design/${designId}/images/${imageId}` };
}

type Convex = Awaited<ReturnType<typeof deploymentAs>>;
type Anchor = { x: number; y: number; width?: number; height?: number };

const startThread = (convex: Convex, itemId: string, text: string, anchor?: Anchor) =>
  convex.mutation(api.comments.startThread, { itemId, text, key: randomUUID(), ...(anchor && { anchor }) });

const pinsOf = (convex: Convex, itemId: string) => convex.query(api.comments.listPins, { itemId });

async function openImage(page: Page, path: string) {
  await page.goto(path);
  await hydrated(page);
  await waitForAnimations(page);
}

async function startPlacing(page: Page) {
  await page.keyboard.press("c");
  await expect(surface(page)).toBeFocused();
}

const pictureBox = async (page: Page) => {
  const box = await page.locator(".viewer-picture").first().boundingBox();
  if (!box) throw new Error("The picture is not shown.");
  return box;
};

async function expectPinAt(page: Page, x: number, y: number) {
  const distance = async () => {
    const [picture, pin] = [await pictureBox(page), await pins(page).getByRole("button").boundingBox()];
    if (!pin) return Infinity;
    return Math.hypot((pin.x - picture.x) / picture.width - x, (pin.y + pin.height - picture.y) / picture.height - y);
  };
  await expect.poll(distance).toBeLessThan(0.01);
}

test("places a comment with the pointer, at any zoom and rotation", async ({ page, app, person }) => {
  const { convex, imageId, path } = await imageOf(app, person);
  await page.setViewportSize({ width: 1440, height: 900 });
  await openImage(page, path);
  await startPlacing(page);
  await expectAccessible(page);
  const box = await pictureBox(page);
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.5);
  await expect(composer(page)).toBeFocused();
  await composer(page).fill("Crop **here**\nplease");
  await page.keyboard.press("Control+Enter");
  await expect(threads(page)).toHaveText(/Crop here/);
  await expect(threads(page).locator("strong")).toHaveText("here");
  await expect(panel(page).getByRole("heading", { name: "Comments" })).toBeFocused();
  await expectAccessible(page);
  await expect.poll(async () => (await pinsOf(convex, imageId)).length).toBe(1);
  const [pin] = await pinsOf(convex, imageId);
  expect(pin?.anchor.x).toBeCloseTo(0.25, 2);
  expect(pin?.anchor.y).toBeCloseTo(0.5, 2);
  await expectPinAt(page, 0.25, 0.5);

  await page.keyboard.press("1");
  await expectPinAt(page, 0.25, 0.5);
  await convex.mutation(api.designImages.rotate, { id: imageId, direction: "right" });
  await expectPinAt(page, 0.5, 0.25);

  await startPlacing(page);
  const turned = await pictureBox(page);
  await page.mouse.move(turned.x + turned.width * 0.25, turned.y + turned.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(turned.x + turned.width * 0.75, turned.y + turned.height * 0.75, { steps: 4 });
  await page.mouse.up();
  await composer(page).fill("All of this");
  await panel(page).getByRole("button", { name: "Send" }).click();
  await expect(threads(page)).toHaveCount(2);
  await expect.poll(async () => (await pinsOf(convex, imageId)).length).toBe(2);
  const region = (await pinsOf(convex, imageId)).find(({ anchor }) => anchor.width !== undefined)?.anchor;
  for (const [side, expected] of [
    ["x", 0.5],
    ["y", 0.25],
    ["width", 0.25],
    ["height", 0.5],
  ] as const)
    expect(region?.[side], side).toBeCloseTo(expected, 1);
});

test("places and announces a comment by keyboard", async ({ page, app, person }) => {
  const { convex, imageId, path } = await imageOf(app, person);
  await openImage(page, path);
  const announced = page.locator("[data-announcer]");
  await startPlacing(page);
  await expect(announced).toContainText("arrow keys");
  await page.keyboard.press("ArrowDown");
  await expect(announced).toHaveText(/^\d+% from the left, \d+% from the top/);
  await page.keyboard.press("Escape");
  await expect(surface(page)).toBeHidden();
  await expect(page).toHaveURL(path);
  await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, key: "с", code: "KeyC" })),
  );
  await expect(surface(page)).toBeFocused();
  for (let press = 0; press < 60; press++) await page.keyboard.down("ArrowLeft");
  await page.keyboard.up("ArrowLeft");
  await expect(announced).toHaveText(/^0% from the left/);
  await page.keyboard.press("Enter");
  await expect(composer(page)).toBeFocused();
  await expect(announced).toHaveText(/Placed at 0%/);
  await page.keyboard.type("At the edge");
  await page.keyboard.press("Control+Enter");
  await expect(threads(page)).toHaveCount(1);
  await expect.poll(async () => (await pinsOf(convex, imageId))[0]?.anchor.x).toBe(0);

  await startPlacing(page);
  for (let press = 0; press < 6; press++) await page.keyboard.press("Shift+ArrowRight");
  for (let press = 0; press < 6; press++) await page.keyboard.press("Shift+ArrowDown");
  await expect(announced).toHaveText(/^Area \d+% by \d+%, middle/);
  await page.keyboard.press("Enter");
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type("An area");
  await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () => (await pinsOf(convex, imageId)).some(({ anchor: { width = 0, height = 0 } }) => width * height > 0))
    .toBe(true);
});

test("moves between threads by key, from a thread to its pin and back", async ({ page, app, person }) => {
  const { convex, imageId, path } = await imageOf(app, person);
  const first = await startThread(convex, imageId, "First", { x: 0.1, y: 0.1 });
  await startThread(convex, imageId, "Second", { x: 0.9, y: 0.9 });
  await page.setViewportSize({ width: 1440, height: 900 });
  await openImage(page, path);
  await expect(pins(page)).toHaveCount(2);
  await page.keyboard.press("j");
  await expect(threads(page).filter({ hasText: "Second" })).toBeFocused();
  await page.keyboard.press("j");
  await expect(threads(page).filter({ hasText: "First" })).toBeFocused();
  await expect(page.locator(`[data-pin="${first}"] button`)).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("k");
  await expect(threads(page).filter({ hasText: "Second" })).toBeFocused();
  await page.locator(`[data-pin="${first}"] button`).click();
  await expect(threads(page).filter({ hasText: "First" })).toBeFocused();
  await threads(page).filter({ hasText: "Second" }).getByRole("button", { name: "Show on image" }).click();
  await expect(pins(page).getByRole("button", { pressed: true })).toBeFocused();

  await panel(page).getByRole("button", { name: "Close the panel" }).click();
  await page.setViewportSize({ width: 700, height: 600 });
  for (let step = 0; step < 12; step++) await page.keyboard.press("+");
  await page.keyboard.press("j");
  const stage = page.locator(".viewer-backdrop");
  await expect
    .poll(async () => {
      const [inner, outer] = [await pins(page).getByRole("button", { pressed: true }).boundingBox(), await stage.boundingBox()];
      return (
        inner && outer && inner.x >= outer.x && inner.y >= outer.y && inner.x < outer.x + outer.width && inner.y < outer.y + outer.height
      );
    })
    .toBe(true);

  await page.goto(`${path}?thread=${first}`);
  await expect(threads(page).filter({ hasText: "First" })).toHaveAttribute("aria-current", "true");
  await expect(threads(page).filter({ hasText: "First" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await expect(page).toHaveURL(`${path}?thread=${first}`);
});

test(
  "replies, reacts, edits, resolves, filters and deletes, live in another browser",
  { tag: "@slow" },
  async ({ page, app, person, otherBrowser }) => {
    const { convex, imageId, path } = await imageOf(app, person);
    await startThread(convex, imageId, "Look", { x: 0.5, y: 0.5 });
    const second = await otherBrowser(person);
    for (const each of [page, second]) {
      await each.setViewportSize({ width: 1440, height: 900 });
      await openImage(each, path);
      await each.getByRole("link", { name: /^Comments/ }).click();
      await expect(threads(each)).toHaveCount(1);
    }
    await threads(page).getByRole("button", { name: "Reply" }).click();
    await expect(panel(page).getByLabel("Write a reply")).toBeFocused();
    await panel(page).getByLabel("Write a reply").fill("x".repeat(5001));
    await page.keyboard.press("Control+Enter");
    await expect(panel(page).getByText("A comment can have at most 5,000 characters.")).toBeVisible();
    await expect(panel(page).getByLabel("Write a reply")).toHaveValue("x".repeat(5001));
    await panel(page).getByLabel("Write a reply").fill("I see");
    await panel(page).getByRole("button", { name: "Send" }).click();
    await expect(panel(page).getByRole("list", { name: "Replies" })).toContainText("I see");
    await expect(threads(second).getByRole("button", { name: "1 reply" })).toBeVisible();

    const row = threads(page).locator(".comment-row").first();
    await row.getByRole("button", { name: "Add reaction" }).click();
    await page.getByRole("button", { name: "Celebration" }).click();
    await expect(threads(second).getByRole("button", { name: "Celebration, 1 person" })).toBeVisible();
    await row.getByRole("button", { name: "Celebration, 1 person" }).click();
    await expect(threads(second).getByRole("button", { name: /Celebration/ })).toHaveCount(0);

    await row.getByRole("button", { name: "Edit comment" }).click();
    await panel(page).getByLabel("Comment text").fill("Look again");
    await page.keyboard.press("Control+Enter");
    await expect(threads(second)).toContainText("Look again");
    await expect(threads(second)).toContainText("Edited");

    await threads(page).getByRole("button", { name: "Resolve" }).click();
    await expect(panel(second).getByText("No open threads.")).toBeVisible();
    await expect(pins(second)).toHaveCount(0);
    await panel(page).getByRole("button", { name: "Resolved", exact: true }).click();
    await expect(threads(page)).toContainText("Resolved by");
    await threads(page).getByRole("button", { name: "Reopen" }).click();
    await expect(threads(second)).toHaveCount(1);
    await panel(page).getByRole("button", { name: "Mentions" }).click();
    await expect(panel(page).getByText("No threads mention you.")).toBeVisible();
    await panel(page).getByRole("button", { name: "Mine" }).click();
    await expect(threads(page)).toHaveCount(1);

    await row.getByRole("button", { name: "Delete comment" }).click();
    await expect(panel(page).getByRole("button", { name: "Cancel" })).toBeFocused();
    await panel(page).getByRole("button", { name: "Delete", exact: true }).click();
    await expect(threads(second).getByText("Deleted comment")).toBeVisible();
  },
);

async function joinedBy(page: Page, other: Page, projectId: string): Promise<Page> {
  await page.goto(`/projects/${projectId}/members`);
  await page.getByLabel("Email").fill(`${randomUUID()}@example.com`);
  await page.getByLabel("Role", { exact: true }).selectOption("commenter");
  await page.getByRole("button", { name: "Create invitation link" }).click();
  await other.goto(await page.getByLabel("Invitation link").inputValue());
  await other.getByRole("button", { name: "Accept invitation" }).click();
  await expect(other).toHaveURL(new RegExp(`/projects/${projectId}$`));
  return other;
}

test(
  "mentions a member chosen with the keyboard, who sees it as unread",
  { tag: "@slow" },
  async ({ page, app, person, stranger, otherBrowser }) => {
    test.slow();
    const { path, projectId } = await imageOf(app, person);
    const other = await joinedBy(page, await otherBrowser(stranger), projectId);
    await openImage(page, path);
    await startPlacing(page);
    await page.keyboard.press("Enter");
    await composer(page).pressSequentially(`Ask @${stranger.name.slice(0, 2)}`);
    const people = panel(page).getByRole("listbox", { name: "People" });
    await expect(people.getByRole("option", { selected: true })).toHaveText(stranger.name);
    await expect(page.locator("[data-announcer]")).toContainText("1 person");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(people).toBeHidden();
    await expect(composer(page)).toBeFocused();
    await composer(page).pressSequentially(` and @${stranger.name.slice(0, 1)}`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(composer(page)).toHaveValue(new RegExp(` and @${stranger.name} $`));
    await page.keyboard.press("Control+Enter");
    await expect(threads(page).locator(".comment-mention")).toHaveText(`@${stranger.name}`);

    await openImage(other, path);
    await expect(other.getByRole("link", { name: "Comments 1 open unread" })).toBeVisible();
    await expect(pins(other).getByRole("button", { name: /unread/ })).toBeVisible();
    await other.keyboard.press("j");
    await panel(other).getByRole("button", { name: "Mentions" }).click();
    await expect(threads(other)).toContainText("New");
    await expect(other.getByRole("link", { name: "Comments 1 open", exact: true })).toBeVisible();
    await expect(threads(other).getByRole("button", { name: "Resolve" })).toHaveCount(0);
  },
);

test("pastes, drops and removes images of a comment, and opens them above the page", async ({ page, app, person, otherBrowser }) => {
  const { convex, designId, imageId, path } = await imageOf(app, person);
  await openImage(page, path);
  await startPlacing(page);
  await page.keyboard.press("Enter");
  const transfer = (name: string) =>
    page.evaluateHandle((fileName) => {
      const canvas = new OffscreenCanvas(40, 30);
      canvas.getContext("2d")?.fillRect(0, 0, 20, 30);
      return canvas.convertToBlob().then((blob) => {
        const data = new DataTransfer();
        data.items.add(new File([blob], fileName, { type: "image/png" }));
        return data;
      });
    }, name);
  await composer(page).evaluate(
    (field, clipboardData) => field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })),
    await transfer("image.png"),
  );
  await expect(panel(page).getByRole("img", { name: /^Pasted/ })).toBeVisible();
  for (const name of ["one.png", "two.png"]) {
    await composer(page).dispatchEvent("drop", { dataTransfer: await transfer(name) });
    await expect(panel(page).getByRole("img", { name: name.slice(0, 3) })).toBeVisible();
  }
  await panel(page)
    .getByRole("button", { name: /^Remove Pasted/ })
    .click();
  await page.reload();
  await hydrated(page);
  await page.getByRole("link", { name: /^Comments/ }).click();
  await expect(panel(page).getByRole("img")).toHaveCount(2);
  await panel(page).getByRole("button", { name: "Send" }).click();
  const other = await otherBrowser(person);
  await openImage(other, path);
  await other.getByRole("link", { name: /^Comments/ }).click();
  await expect(threads(other).getByRole("link")).toHaveCount(2);
  const images = await convex.query(api.designImages.getDesignImagesByDesignId, { designId });
  expect(images).toHaveLength(2);

  await threads(page).getByRole("link", { name: "one" }).click();
  const overlay = page.getByRole("dialog", { name: /^Image 1 of 2/ });
  await expect(overlay.getByRole("img", { name: "one" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("dialog", { name: "Image 2 of 2: two" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(threads(page).getByRole("link", { name: "one" })).toBeFocused();
  const { page: listed } = await convex.query(api.comments.listThreads, {
    itemId: imageId,
    filter: "all",
    paginationOpts: { cursor: null, numItems: 9 },
  });
  expect(listed.map(({ first }) => first.images?.map(({ name }) => name))).toEqual([["one.png", "two.png"]]);
});

test("marks threads of an earlier version", async ({ page, app, person }) => {
  const { convex, imageId, designId, path } = await imageOf(app, person);
  await startThread(convex, imageId, "On the first", { x: 0.5, y: 0.5 });
  await addVersion(app, person, designId, imageId, "bank");
  await openImage(page, path);
  await expect(pins(page).getByRole("button", { name: /from version 1/ })).toBeVisible();
  await pins(page).getByRole("button").click();
  await expect(threads(page)).toContainText("From version 1");
  await startThread(convex, imageId, "On the second", { x: 0.1, y: 0.1 });
  await expect(threads(page).filter({ hasText: "On the second" })).not.toContainText("From version");
});

test("keeps a draft through a reload, and erases it at sign-out", { tag: "@slow" }, async ({ page, app, person }) => {
  const { path } = await imageOf(app, person);
  await openImage(page, path);
  await startPlacing(page);
  await page.keyboard.press("Enter");
  await composer(page).fill("Half a thought");
  await openImage(page, path);
  await page.getByRole("link", { name: /^Comments/ }).click();
  await expect(composer(page)).toHaveValue("Half a thought");
  await expect(page.locator(".comment-pin[data-draft]")).toBeVisible();
  const stored = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("comments:")).length);
  expect(await stored()).toBe(1);
  await page.goto("/projects");
  await hydrated(page);
  await page.getByRole("button", { name: person.email }).click();
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await expect.poll(stored).toBe(0);
});

test("sends an offline comment once, with and without a reload", async ({ page, app, person, context }) => {
  const { convex, imageId, path } = await imageOf(app, person);
  await startThread(convex, imageId, "Before", { x: 0.1, y: 0.1 });
  const connection = await controlConnection(page);
  await openImage(page, path);
  await page.getByRole("link", { name: /^Comments/ }).click();
  await expect(threads(page)).toHaveCount(1);
  const texts = async () =>
    (
      await convex.query(api.comments.listThreads, { itemId: imageId, filter: "all", paginationOpts: { numItems: 10, cursor: null } })
    ).page.map(({ first }) => first.text);

  await connection.cut();
  await context.setOffline(true);
  await startPlacing(page);
  await page.keyboard.press("Enter");
  await composer(page).fill("Written offline");
  await page.keyboard.press("Control+Enter");
  await expect(threads(page)).toHaveCount(2);
  await expect(threads(page).first()).toContainText("Waiting for connection");
  expect(await texts()).toEqual(["Before"]);
  await context.setOffline(false);
  connection.restore();
  await expect.poll(texts).toEqual(["Written offline", "Before"]);
  await expect(threads(page)).toHaveCount(2);
  await expect(threads(page).first()).not.toContainText("Waiting");

  await connection.cut();
  await startPlacing(page);
  await page.keyboard.press("Enter");
  await composer(page).fill("Sent by the next page");
  await page.keyboard.press("Control+Enter");
  await expect(threads(page)).toHaveCount(3);
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto("/projects");
  connection.restore();
  await expect.poll(texts).toEqual(["Sent by the next page", "Written offline", "Before"]);
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(":unsent:")).length)).toBe(0);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

  test("places a comment by touch, and shows it in a sheet", async ({ page, app, person }) => {
    const { convex, imageId, path } = await imageOf(app, person);
    await openImage(page, path);
    await page.getByRole("link", { name: /^Comments/ }).tap();
    await expect(panel(page)).toBeVisible();
    await expectAccessible(page);
    await panel(page).getByRole("button", { name: "New comment" }).tap();
    await expect(panel(page)).toBeHidden();
    const box = await pictureBox(page);
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 4);
    await expect(composer(page)).toBeFocused();
    await composer(page).fill("By touch");
    await panel(page).getByRole("button", { name: "Send" }).tap();
    await expect(threads(page)).toContainText("By touch");
    await expect.poll(async () => (await pinsOf(convex, imageId))[0]?.anchor.y).toBeCloseTo(0.25, 1);
    await expectAccessible(page);
  });
});
