import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { makeLink } from "../support/links.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

async function linkedDesign(app: RunningApp, owner: Person) {
  const { designId } = await makeDesign(app, owner);
  const [imageId = ""] = await addPictures(app, owner, designId, ["fig"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const link = await makeLink(app, owner, projectId, { item: designId, comments: true });
  return { designId, imageId, projectId, link };
}

const threads = (page: Page) => page.getByRole("list", { name: "Threads" }).getByRole("article");
const open = (page: Page, name: string) => threads(page).locator("summary", { hasText: name }).first().click();

withAndWithoutJavaScript((javaScript) => {
  const ready = async (page: Page) => (javaScript ? hydrated(page) : undefined);

  test(
    "guests comment through a link, and the owner deletes all comments of one guest",
    { tag: "@guests-comment-through-link" },
    async ({ page, person, otherBrowser, app }) => {
      test.slow();
      const { designId, imageId, link } = await linkedDesign(app, person);
      const guest = await otherBrowser(undefined, { javaScriptEnabled: javaScript });
      await guest.goto(link);
      await ready(guest);
      await guest.getByRole("link", { name: "Comments" }).click();
      await expect(guest.getByRole("heading", { name: "Comments", level: 1 })).toBeVisible();
      await ready(guest);
      await guest.getByLabel("New comment").fill("Without a name");
      await guest.getByRole("button", { name: "Send" }).click();
      await expect(guest.getByText("Enter your name.")).toBeVisible();
      await expect(guest.getByLabel("New comment")).toHaveValue("Without a name");
      await guest.getByLabel("Your name").fill("Grace");
      await guest.getByLabel("New comment").fill("Frist");
      await guest.getByRole("button", { name: "Send" }).click();
      await expect(threads(guest)).toContainText("You");
      await expect(threads(guest)).toContainText("Guest");
      await expectAccessible(guest);
      await open(guest, "Edit");
      await guest.getByLabel("Comment text").fill("First");
      await guest.getByRole("button", { name: "Save", exact: true }).click();
      await expect(threads(guest)).toContainText("edited");

      await page.goto(`/design/${designId}/comments`);
      await ready(page);
      await expect(threads(page)).toContainText("Grace");
      await open(page, "Reply");
      await page.getByLabel("Your reply").fill("Thank you");
      await page.getByRole("button", { name: "Send" }).last().click();
      await expect(page.getByRole("list", { name: "Replies" })).toContainText("Thank you");
      if (!javaScript) await guest.reload();
      await expect(guest.getByRole("list", { name: "Replies" })).toContainText("Thank you");

      await guest.goto(`${link}/images/${imageId}/comments`);
      await ready(guest);
      await guest.getByLabel("New comment").fill("On the image");
      await guest.getByRole("button", { name: "Send" }).click();
      await expect(threads(guest)).toContainText("On the image");

      await page.goto(`/design/${designId}/images/${imageId}/comments`);
      await ready(page);
      await open(page, "Delete");
      await page.getByRole("button", { name: "Delete all by Grace through this link" }).click();
      await expect(async () => {
        await page.reload();
        await expect(threads(page)).toHaveCount(0, { timeout: 500 });
      }).toPass();
    },
  );
});

test(
  "a guest comments in the viewer until the link is revoked",
  { tag: "@guest-comments-in-viewer" },
  async ({ page, person, otherBrowser, app }) => {
    test.slow();
    const { imageId, designId, projectId, link } = await linkedDesign(app, person);
    const guest = await otherBrowser();
    await guest.goto(`${link}/designs/${designId}/images/${imageId}`);
    await hydrated(guest);
    await page.goto(`/design/${designId}/images/${imageId}`);
    await hydrated(page);
    await guest.keyboard.press("c");
    await expect(guest.getByRole("application", { name: "Comment position" })).toBeFocused();
    await guest.keyboard.press("Enter");
    const panel = guest.getByRole("complementary", { name: "Comments" });
    await panel.getByLabel("Write a comment").fill("Larger here");
    await panel.getByRole("button", { name: "Send" }).click();
    await expect(panel.getByText("Enter your name.")).toBeVisible();
    await panel.getByLabel("Your name").fill("Grace");
    await expectAccessible(guest);
    await panel.getByRole("button", { name: "Send" }).click();
    await expect(panel.getByRole("article")).toContainText("Larger here");
    await expect(panel.getByRole("button", { name: "Edit comment" })).toBeVisible();
    await expect(panel.getByRole("button", { name: "Mine" })).toHaveCount(0);
    await expect(page.getByRole("list", { name: "Comments on the image" }).getByRole("listitem")).toHaveCount(1);

    const convex = await deploymentAs(app, person);
    const [made] = (await convex.query(api.links.list, { projectId, paginationOpts: { cursor: null, numItems: 1 } })).page;
    await convex.mutation(api.links.revoke, { projectId, linkId: made?._id ?? "" });
    await expect(guest.getByText("Page not found")).toBeVisible();
    expect((await fetch(`${app.url}${link}/comments`, { method: "POST", headers: { Origin: app.url } })).status).toBe(404);
  },
);

test("rejects a change of a comment without its fields", { tag: "@link-comment-fields" }, async ({ app, person }) => {
  const { imageId, link } = await linkedDesign(app, person);
  const send = (body: object) =>
    fetch(`${app.url}${link}/comments`, {
      method: "POST",
      headers: { Origin: app.url, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Grace", ...body }),
    });
  for (const call of ["startThread", "reply", "edit", "remove"])
    for (const args of [{}, { itemId: imageId }, { commentId: "x", threadId: "x" }, { text: "a" }]) {
      const answer = await send({ call, args });
      expect([answer.status, await answer.json()], call).toEqual([400, { refusal: { code: "invalid", message: "Invalid input" } }]);
    }
  expect((await send({ call: "startThread", args: { itemId: imageId, text: "Larger?", key: "a" } })).status).toBe(200);
});
