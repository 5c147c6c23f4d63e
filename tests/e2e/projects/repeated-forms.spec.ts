import type { Locator, Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { expect, test } from "../../harness/test.ts";
import { joinProject } from "../support/members.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

test.use({ javaScriptEnabled: false });

async function submitTwice(page: Page, button: Locator): Promise<void> {
  const [request] = await Promise.all([page.waitForRequest((each) => each.method() === "POST"), button.click()]);
  await page.waitForLoadState();
  const repeated = await page.request.fetch(request);
  expect(repeated.status()).toBeLessThan(400);
}

test(
  "creates one comment, reply, invitation, link and request from a repeated form",
  { tag: "@repeated-forms" },
  async ({ page, person, stranger, app }) => {
    test.slow();
    const { designId } = await makeDesign(app, person);
    const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
    const convex = await deploymentAs(app, person);
    const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
    await joinProject(app, { owner: person, member: stranger, projectId, role: "commenter" });
    const paginationOpts = { cursor: null, numItems: 20 };

    await page.goto(`/design/${designId}/images/${imageId}/comments`);
    await page.getByLabel("New comment").fill("Larger?");
    await submitTwice(page, page.getByRole("button", { name: "Send" }).first());
    await page.getByText("Reply", { exact: false }).first().click();
    await page.getByLabel("Your reply").fill("Yes");
    await submitTwice(page, page.getByRole("button", { name: "Send" }).last());
    const threads = (await convex.query(api.comments.listThreads, { itemId: imageId, filter: "open", paginationOpts })).page;
    expect(threads.map(({ first, replyCount }) => [first.text, replyCount])).toEqual([["Larger?", 1]]);

    const pending = async () => (await convex.query(api.invitations.list, { projectId })).filter((each) => each.acceptedBy === undefined);
    await page.goto(`/projects/${projectId}/members`);
    await page.getByLabel("Email").fill("invited@example.com");
    await submitTwice(page, page.getByRole("button", { name: "Create invitation link" }));
    expect(await pending()).toHaveLength(1);

    await page.goto(`/projects/${projectId}/sharing`);
    await page.getByLabel("Name", { exact: true }).fill("For the client");
    await submitTwice(page, page.getByRole("button", { name: "Create link" }));
    const links = async () => (await convex.query(api.links.list, { projectId, paginationOpts })).page.map(({ name }) => name).toSorted();
    expect(await links()).toEqual(["For the client"]);
    await page.goBack();
    await page.getByLabel("Name", { exact: true }).first().fill("For the press");
    await page.getByRole("button", { name: "Create link" }).click();
    await expect.poll(links).toEqual(["For the client", "For the press"]);

    await page.goto(`/projects/${projectId}/review?item=${imageId}`);
    await page.getByRole("group", { name: "Reviewers" }).getByLabel(stranger.name).check();
    await submitTwice(page, page.getByRole("button", { name: "Request review" }));
    expect((await convex.query(api.reviews.getOverview, { projectId })).requests).toHaveLength(1);
    const notices = await (await deploymentAs(app, stranger)).query(api.notices.listAll, {});
    expect(notices.filter(({ notice }) => notice.kind === "reviewRequested")).toHaveLength(1);
  },
);
