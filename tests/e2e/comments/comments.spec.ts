import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../../convex/_generated/api.js";
import { twoPages } from "../../fixtures/pictures.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";
import { joinProject } from "../support/members.ts";

async function itemsOf(app: RunningApp, owner: Person) {
  const { designId } = await makeDesign(app, owner);
  const [imageId = ""] = await addPictures(app, owner, designId, ["fig"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  return { convex, projectId, designId, imageId, path: `/design/${designId}/images/${imageId}/comments` };
}

const threads = (page: Page) => page.getByRole("list", { name: "Threads" }).getByRole("article");
const open = (page: Page, name: string) => threads(page).locator("summary", { hasText: name }).first().click();

withAndWithoutJavaScript((javaScript) => {
  const ready = async (page: Page) => (javaScript ? hydrated(page) : undefined);

  test(
    "writes, answers, edits, reacts to, resolves and deletes comments",
    { tag: "@comments-on-pages-of-their-own" },
    async ({ page, person, stranger, otherBrowser, app }) => {
      test.slow();
      const { convex, projectId, designId, imageId, path } = await itemsOf(app, person);
      await joinProject(app, { owner: person, member: stranger, projectId, role: "editor" });
      const other = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
      const anchor = { x: 0.25, y: 0.5 };
      await convex.mutation(api.comments.startThread, { itemId: imageId, text: "Crop **here**", anchor, key: randomUUID() });

      await other.goto(`/design/${designId}`);
      await ready(other);
      await expect(other.getByText("New comments")).toBeAttached();
      await other.goto(path);
      await ready(other);
      await expect(threads(other)).toContainText("Point 25% from the left and 50% from the top");
      await expect(threads(other).locator("strong", { hasText: "here" })).toBeVisible();
      await expect(other.getByRole("article", { name: "Unread thread by Ada Lovelace" })).toBeVisible();
      await expectAccessible(other);

      await open(other, "Reply");
      await other.getByLabel("Your reply").fill("Is this enough?");
      await other.getByRole("button", { name: "Send" }).last().click();
      await expect(other.getByRole("list", { name: "Replies" })).toContainText("Is this enough?");

      await page.goto(`/design/${designId}`);
      await ready(page);
      await page.getByRole("link", { name: /^Comments/ }).click();
      await expect(page.getByRole("heading", { name: "Comments", level: 1 })).toBeVisible();
      await ready(page);
      await page.getByLabel("New comment").fill("Two\nlines ");
      if (javaScript) {
        await page.getByLabel("New comment").press("End");
        await page.keyboard.type(`@${stranger.name.slice(0, 3)}`);
        await expect(page.getByRole("option", { name: stranger.name })).toBeVisible();
        await page.keyboard.press("Enter");
        await expect(page.getByLabel("New comment")).toHaveValue(`Two\nlines @${stranger.name} `);
      }
      await page.getByRole("button", { name: "Send" }).first().click();
      await expect(threads(page)).toContainText("Two");
      if (javaScript) await expect(threads(page).locator(".comment-mention")).toHaveText(`@${stranger.name}`);
      await expect(page.getByLabel("New comment")).toHaveValue("");
      await open(page, "Edit");
      await page.getByLabel("Comment text").fill("Three lines");
      await page.getByRole("button", { name: "Save" }).click();
      await expect(threads(page)).toContainText("edited");
      await expect(threads(page)).toContainText("Three lines");
      await open(page, "Delete");
      await page.getByRole("button", { name: "Delete comment" }).click();
      await expect(page.getByRole("heading", { name: "No comments" })).toBeVisible();

      await page.goto(path);
      await ready(page);
      await open(page, "React");
      await page.getByRole("button", { name: "React with 👍" }).first().click();
      await expect(threads(page).getByRole("button", { name: "👍 1" })).toHaveAttribute("aria-pressed", "true");
      if (!javaScript) await other.reload();
      await expect(threads(other).getByRole("button", { name: "👍 1" })).toHaveAttribute("aria-pressed", "false");
      await other.getByRole("button", { name: "Resolve thread" }).click();
      await expect(other.getByRole("heading", { name: "No comments" })).toBeVisible();
      if (!javaScript) await page.reload();
      await expect(page.getByRole("heading", { name: "No comments" })).toBeVisible();
      await page.getByRole("link", { name: "Resolved" }).click();
      await expect(threads(page)).toContainText(`Resolved by ${stranger.name}`);
      await ready(page);
      await page.getByRole("button", { name: "Reopen thread" }).click();
      await expect(page.getByRole("heading", { name: "No comments" })).toBeVisible();

      await page.goto("/notifications");
      await ready(page);
      await expect(page.getByText(/replied to a comment on/)).toBeVisible();
      await page.getByRole("link", { name: "View comment" }).click();
      await expect(page.getByText("Is this enough?")).toBeVisible();
    },
  );

  test("adds images to comments without their metadata", { tag: "@images-in-comments" }, async ({ page, person, app }) => {
    const { convex, imageId, path } = await itemsOf(app, person);
    const located = sharp({ create: { width: 60, height: 40, channels: 3, background: "#357" } }).withExif({
      IFD3: { GPSLatitude: "52/1 31/1 0/1" },
    });
    const buffer = Buffer.concat([await located.jpeg().toBuffer(), Buffer.alloc(600_000)]);
    expect((await sharp(buffer).metadata()).exif).toBeDefined();
    const file = { name: "sketch.jpg", mimeType: "image/jpeg", buffer };
    await page.goto(path);
    await ready(page);
    const field = page.locator("input[type=file]").first();
    const write = (text: string) => page.getByLabel("New comment").fill(text);
    const send = () => page.getByRole("button", { name: "Send" }).first().click();
    await field.setInputFiles(twoPages());
    if (!javaScript) await write("Refused");
    if (!javaScript) await send();
    await expect(page.getByText("Comments can contain images, but not PDFs.")).toBeVisible();
    await field.setInputFiles(file);
    if (javaScript) await expect(page.getByRole("img", { name: "sketch" })).toBeVisible();
    await write("See");
    await send();
    const shown = threads(page).getByRole("link", { name: "sketch" });
    await expect(shown).toBeVisible();
    await expectAccessible(page);
    const address = new URL((await shown.getAttribute("href")) ?? "", app.url).href;
    const stored = await fetch(address, { headers: { Cookie: person.cookieHeader } });
    const { exif, width, format } = await sharp(Buffer.from(await stored.arrayBuffer())).metadata();
    expect({ exif, width, format }).toEqual({ exif: undefined, width: 60, format: "jpeg" });
    expect((await fetch(address)).status).toBe(404);
    const { page: listed } = await convex.query(api.comments.listThreads, {
      itemId: imageId,
      filter: "all",
      paginationOpts: { cursor: null, numItems: 9 },
    });
    expect(listed.map(({ first }) => first.images?.length)).toEqual([1]);
  });

  test("offers both texts after two edits of one comment", { tag: "@comment-edit-conflict" }, async ({ page, person, app }) => {
    const { convex, imageId, path } = await itemsOf(app, person);
    const threadId = await convex.mutation(api.comments.startThread, { itemId: imageId, text: "First", key: randomUUID() });
    await page.goto(path);
    await ready(page);
    await open(page, "Edit");
    await page.getByLabel("Comment text").fill("Mine");
    const { first } = await convex.query(api.comments.getThread, { threadId });
    await convex.mutation(api.comments.edit, { commentId: first._id, text: "Theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Theirs" })).toBeVisible();
    await expect(page.getByLabel("Comment text")).toHaveValue("Mine");
    await page.getByRole("button", { name: "Overwrite with my text" }).click();
    await expect(threads(page)).toContainText("Mine");
    await expect.poll(async () => (await convex.query(api.comments.getThread, { threadId })).first.text).toBe("Mine");
  });

  test("shows viewers the threads without forms", { tag: "@comments-for-viewers" }, async ({ person, stranger, otherBrowser, app }) => {
    const { convex, projectId, imageId, path } = await itemsOf(app, person);
    await joinProject(app, { owner: person, member: stranger, projectId, role: "viewer" });
    await convex.mutation(api.comments.startThread, { itemId: imageId, text: "Look", key: randomUUID() });
    const other = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
    await other.goto(path);
    await expect(threads(other)).toContainText("Look");
    await expect(other.getByRole("main").getByRole("button", { name: /Send|Resolve|Delete/ })).toHaveCount(0);
    await expect(other.getByRole("main").locator("summary")).toHaveCount(0);
  });
});
