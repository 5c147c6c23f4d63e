import { chosen, imagesIn } from "../support/pictures.ts";
import { card, gallery } from "../support/gallery.ts";
import { sharedProject } from "../support/shared-project.ts";
import { tray } from "../support/uploads.ts";
import { withAndWithoutJavaScript, expect, hydrated, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { api } from "../../../convex/_generated/api.js";

test(
  "a viewer's keys, pasted and dropped files change nothing",
  { tag: "@viewer-keys-drops" },
  async ({ person, stranger, otherBrowser, app }) => {
    const { designId, path, projectId } = await sharedProject(app, person, stranger);
    const page = await otherBrowser(stranger);
    const { name, buffer } = await chosen("bank");
    const bytes = buffer.toString("base64");
    for (const [address, item] of [
      [path, "fig.jpg"],
      [`/projects/${projectId}`, "Cover"],
    ] as const) {
      await page.goto(address);
      await hydrated(page);
      const link = address === path ? card(page, item) : page.getByRole("main").getByRole("link", { name: item }).first();
      for (const key of ["F2", "Delete", "Control+d"]) {
        await link.focus();
        await page.keyboard.press(key);
      }
      for (const type of ["paste", "drop"] as const)
        await page.evaluate(
          ([kind, file, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([Uint8Array.from(atob(content), (each) => each.charCodeAt(0))], file, { type: "image/png" }));
            const options = { bubbles: true, cancelable: true };
            if (kind === "paste") window.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: data }));
            else document.querySelector("main")?.dispatchEvent(new DragEvent("drop", { ...options, dataTransfer: data }));
          },
          [type, name, bytes] as const,
        );
      // Keys are handled in order, so the effect of a later key shows that the earlier ones were handled.
      await link.focus();
      await page.keyboard.press("Control+c");
      await expect(page.getByText(/^1 (?:image|design) copied\. Paste into a/)).toBeVisible();
      await page.keyboard.press("Control+v");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await expect(tray(page)).toHaveCount(0);
      await expect(page.locator("[data-drop]")).toHaveCount(0);
      await expect(link).toBeVisible();
    }
    await page.goto(path);
    await expect(gallery(page)).toHaveCount(1);
    await expect(card(page, "fig.jpg")).toBeVisible();
    expect(await imagesIn(app, person, designId)).toHaveLength(1);
  },
);

withAndWithoutJavaScript((javaScript) => {
  test(
    "an editor moves an image to another design of a shared project",
    { tag: "@editor-moves-within-shared" },
    async ({ person, stranger, otherBrowser, app }) => {
      const { designId, imageId, path, projectId, convex } = await sharedProject(app, person, stranger, "editor");
      const back = await convex.mutation(api.designs.create, { projectId, name: "Back" });
      const page = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
      await page.goto(`/design/${designId}/images/${imageId}/move`);
      if (javaScript) await hydrated(page);
      await expect(page.getByRole("button", { name: "Magazine" })).toBeVisible();
      await pageActions(page, javaScript).moveTo("Back");
      await expect.poll(async () => (await imagesIn(app, person, back)).length).toBe(1);
      if (!javaScript) return;
      await page.goto(path.replace(designId, back));
      await hydrated(page);
      await page.getByRole("button", { name: "More for fig.jpg" }).click();
      await page.getByRole("link", { name: "Move to…" }).click();
      const dialog = page.getByRole("dialog", { name: "Move or copy 1 image" });
      await expect(dialog.getByRole("heading", { name: "Shared with me" })).toBeVisible();
      await dialog
        .getByRole("radio", { name: /^Cover / })
        .first()
        .check();
      await dialog.getByRole("button", { name: "Move here" }).click();
      await expect.poll(async () => (await imagesIn(app, person, designId)).length).toBe(1);
    },
  );
});

test(
  "keeps the typed name in an open dialog when the member's role is lowered",
  { tag: "@role-lowered-in-dialog" },
  async ({ person, stranger, otherBrowser, app }) => {
    const { path, projectId, convex, imageId } = await sharedProject(app, person, stranger, "editor");
    const page = await otherBrowser(stranger);
    await page.goto(path);
    await hydrated(page);
    await card(page, "fig.jpg").focus();
    await page.keyboard.press("F2");
    const dialog = page.getByRole("dialog", { name: "Rename image" });
    await dialog.getByLabel("Name").fill("Fig");
    await convex.mutation(api.members.setRole, { projectId, userId: stranger.id, role: "viewer" });
    await expect(page.getByRole("button", { name: "Add images" })).toHaveCount(0);
    await dialog.getByRole("button", { name: "Rename" }).click();
    await expect(dialog.getByText("This item no longer exists, or you can no longer change it.")).toBeVisible();
    await expect(dialog.getByLabel("Name")).toHaveValue("Fig");
    expect((await convex.query(api.designImages.getDesignImageInPlace, { id: imageId })).image.name).toBe("fig.jpg");
  },
);
