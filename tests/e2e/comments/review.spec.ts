import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import type { MemberRole } from "../../../convex/model/rights.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, addVersion, deploymentAs, makeDesign } from "../support/pictures.ts";

async function projectOf(app: RunningApp, owner: Person) {
  const { designId } = await makeDesign(app, owner);
  const images = await addPictures(app, owner, designId, ["fig", "bank"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  return { projectId, designId, imageId: images[0] ?? "", images, convex };
}

async function join(page: Page, guest: Page, projectId: string, role: MemberRole) {
  await page.goto(`/projects/${projectId}/members`);
  await page.getByLabel("Email").fill(`${role}-${projectId}@example.com`);
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByRole("button", { name: "Create invitation link" }).click();
  await guest.goto(await page.getByLabel("Invitation link").inputValue());
  await guest.getByRole("button", { name: "Accept invitation" }).click();
  await expect(guest.getByRole("heading", { name: "Magazine", level: 1 })).toBeVisible();
}

withAndWithoutJavaScript((javaScript) => {
  const ready = async (page: Page) => (javaScript ? hydrated(page) : undefined);

  test("sets a status with a note for one image, shows it on cards, and filters by it", { tag: "@slow" }, async ({ page, person, app }) => {
    const { projectId, designId, imageId } = await projectOf(app, person);
    await page.goto(`/design/${designId}`);
    await ready(page);
    await page.getByRole("button", { name: "More for fig.jpg", exact: true }).click();
    await page.getByRole("link", { name: "Review status…" }).click();
    const dialog = page.getByRole("dialog", { name: "Set review status" });
    await dialog.getByLabel("Changes requested").check();
    await dialog.getByLabel("Note").fill("Larger title.");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Set status" }).click();
    const images = page.getByRole("list", { name: "Images" });
    await expect(images.getByRole("listitem").filter({ hasText: "Changes requested" })).toHaveCount(1);

    await page.getByRole("button", { name: /^Status: All/ }).click();
    await page.getByRole("group", { name: "Filter by review status" }).getByRole("link", { name: "Changes requested" }).click();
    await expect(page).toHaveURL(/review=changesRequested/);
    await expect(images.getByRole("listitem")).toHaveCount(1);
    await expectAccessible(page);
    await page.goto(`/design/${designId}?review=approved`);
    await expect(page.getByText("No images with the status “Approved”")).toBeVisible();
    await page.goto(`/design/${designId}?review=none`);
    await expect(images.getByRole("listitem")).toHaveCount(1);

    await page.goto(`/design/${designId}/images/${imageId}`);
    await ready(page);
    await pageActions(page, javaScript).openDetails();
    const review = page.getByRole("region", { name: "Review" });
    await expect(review).toContainText("Larger title.");
    await expect(review).toContainText("You,");
    await review.getByRole("button", { name: "Change status" }).click();
    await dialog.getByLabel("Approved").check();
    await dialog.getByRole("button", { name: "Set status" }).click();
    await pageActions(page, javaScript).openDetails();
    await expect(review).toContainText("Approved");
    await expect(review).not.toContainText("Larger title.");
    await expectAccessible(page);

    await page.goto(`/projects/${projectId}`);
    await ready(page);
    await page.getByRole("button", { name: "More for Cover", exact: true }).click();
    await page.getByRole("link", { name: "Review status…" }).click();
    await dialog.getByLabel("In review").check();
    await dialog.getByRole("button", { name: "Set status" }).click();
    await expect(page.getByRole("list", { name: "Designs" }).getByRole("listitem")).toContainText("In review");
    await page.goto(`/projects/${projectId}?review=approved`);
    await expect(page.getByText("No designs with the status “Approved”")).toBeVisible();
    await page.goto(`/projects/${projectId}?review=inReview`);
    await expect(page.getByRole("list", { name: "Designs" }).getByRole("listitem")).toHaveCount(1);
    await page.goto(`/projects/${projectId}/images?review=approved`);
    await expect(page.getByRole("list", { name: "Images of Cover" }).getByRole("listitem")).toHaveCount(1);
  });

  test("sets the status of selected images and of all in a filtered list, with undo", { tag: "@slow" }, async ({ page, person, app }) => {
    const { designId, convex } = await projectOf(app, person);
    const counts = async () => (await convex.query(api.designs.getDesignById, { id: designId })).imageReviews;
    const actions = pageActions(page, javaScript);
    const setAll = async (status: string) => {
      await page.getByRole("form", { name: "Selection" }).getByRole("button", { name: "Status…" }).click();
      await page.getByRole("group", { name: "Status of the selection" }).getByRole("button", { name: status }).click();
    };
    await actions.open(`/design/${designId}?select=1`);
    await page.getByRole("checkbox", { name: "Select fig.jpg", exact: true }).check();
    await setAll("In review");
    await expect.poll(counts).toEqual({ inReview: 1, changesRequested: 0, approved: 0 });
    await page.getByRole("button", { name: "Undo" }).first().click();
    await expect.poll(counts).toEqual({ inReview: 0, changesRequested: 0, approved: 0 });
    await actions.open(`/design/${designId}?select=1`);
    await page.getByRole("checkbox", { name: "Select fig.jpg", exact: true }).check();
    await setAll("In review");
    await expect.poll(counts).toEqual({ inReview: 1, changesRequested: 0, approved: 0 });
    await actions.open(`/design/${designId}?review=none&select=1`);
    await page
      .getByRole("form", { name: "Selection" })
      .getByRole(javaScript ? "button" : "link", { name: "Select all (1)" })
      .click();
    await setAll("Approved");
    await expect.poll(counts).toEqual({ inReview: 1, changesRequested: 0, approved: 1 });
  });

  test(
    "requests a review with a due date and notifies both people",
    { tag: "@slow" },
    async ({ page, person, stranger, otherBrowser, app }) => {
      test.slow();
      const { projectId, designId, imageId } = await projectOf(app, person);
      const other = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
      await join(page, other, projectId, "commenter");
      await page.goto(`/design/${designId}/images/${imageId}`);
      await ready(page);
      await page.getByRole("button", { name: "More for this image" }).click();
      await page.getByRole("link", { name: "Request review…" }).click();
      await expect(page.getByRole("heading", { name: "Request a review of the image “fig.jpg”" })).toBeVisible();
      await ready(page);
      await page.getByRole("button", { name: "Request review" }).click();
      await expect(page.getByText("Choose at least one person.")).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("group", { name: "Reviewers" }).getByLabel(stranger.name).check();
      await page.getByLabel("Due date").fill("2199-12-24");
      await page.getByLabel("Note").fill("Is the title large enough?");
      await page.getByRole("button", { name: "Request review" }).click();
      const requests = page.getByRole("list", { name: "Requested reviews" });
      await expect(requests).toContainText(`Review by ${stranger.name} requested by you, due`);
      await expectAccessible(page);

      await other.goto("/notifications");
      await expect(other.getByRole("heading", { name: "Review requested" })).toBeVisible();
      await expect(other.getByText("Is the title large enough?")).toBeVisible();
      await expectAccessible(other);
      await other.getByRole("link", { name: "View image" }).click();
      await expect(other.getByRole("article", { name: "fig.jpg" })).toBeVisible();
      await ready(other);
      await pageActions(other, javaScript).openDetails();
      await expect(other.getByRole("region", { name: "Review" })).toContainText("Your review requested by");
      await other.getByRole("button", { name: "Change status" }).click();
      const dialog = other.getByRole("dialog", { name: "Set review status" });
      await expect(dialog.getByRole("radio")).toHaveCount(2);
      await dialog.getByLabel("Approved").check();
      await dialog.getByRole("button", { name: "Set status" }).click();

      await page.goto("/notifications");
      await expect(page.getByText("approved “fig.jpg”.")).toBeVisible();
      await page.goto(`/projects/${projectId}/review`);
      await expect(page.getByRole("list", { name: "Images: Approved" }).getByRole("listitem")).toHaveCount(1);
      await expect(requests).toHaveCount(0);
      await page.goto(`/projects/${projectId}/activity`);
      await expect(page.getByText("approved “fig.jpg” in “Cover”")).toBeVisible();
    },
  );
});

test(
  "shows statuses of others live, on cards, in the viewer and in the overview",
  { tag: "@slow" },
  async ({ page, person, otherBrowser, app }) => {
    const { projectId, designId, imageId, convex } = await projectOf(app, person);
    const viewer = await otherBrowser(person);
    const overview = await otherBrowser(person);
    await page.goto(`/design/${designId}`);
    await viewer.goto(`/design/${designId}/images/${imageId}`);
    await overview.goto(`/projects/${projectId}/review`);
    for (const each of [page, viewer, overview]) await hydrated(each);
    await viewer.getByText("Details", { exact: true }).click();
    await convex.mutation(api.reviews.setStatus, { id: imageId, status: "approved", note: "Ready to print." });
    await expect(page.getByRole("list", { name: "Images" }).getByText("Approved")).toBeVisible();
    await expect(viewer.getByText("Ready to print.")).toBeVisible();
    await expect(overview.getByRole("list", { name: "Images: Approved" }).getByRole("listitem")).toHaveCount(1);
    await addVersion(app, person, designId, imageId, "path");
    await expect(page.getByRole("list", { name: "Images" }).getByText("In review")).toBeVisible();
    await expect(viewer.getByRole("region", { name: "Review" })).toContainText("In review");
    await expect(overview.getByRole("list", { name: "Images: In review" }).getByRole("listitem")).toHaveCount(1);
  },
);

test("refuses an approval when a new version arrived after the form was opened", async ({ page, person, otherBrowser, app }) => {
  const { designId, imageId } = await projectOf(app, person);
  const plain = await otherBrowser(person, { javaScriptEnabled: false });
  await plain.goto(`/design/${designId}?status=${imageId}`);
  await addVersion(app, person, designId, imageId, "path");
  const dialog = plain.getByRole("dialog", { name: "Set review status" });
  await dialog.getByLabel("Approved").check();
  await dialog.getByRole("button", { name: "Set status" }).click();
  await expect(plain.getByText("A new version was added since you opened the image.")).toBeVisible();
  await page.goto(`/design/${designId}`);
  await expect(page.getByRole("list", { name: "Images" }).getByText("Approved")).toHaveCount(0);
});
