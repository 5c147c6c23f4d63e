import { randomUUID } from "node:crypto";
import { api } from "../../../convex/_generated/api.js";
import { startMailbox } from "../../harness/services/mailbox.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  type Person,
  type RunningApp,
  signUp,
  test,
} from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

const DENIED = ["New design", "Delete project", "Add a description"];

async function projectOf(app: RunningApp, owner: Person) {
  const { designId } = await makeDesign(app, owner);
  const [imageId = ""] = await addPictures(app, owner, designId, ["fig"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  return { projectId, designId, imageId, convex };
}

withAndWithoutJavaScript((javaScript) => {
  test(
    "invites by link, changes a role, removes a member, and ends the access at once",
    { tag: "@invites-by-link-changes-removes-member" },
    async ({ page, person, stranger, otherBrowser, app }) => {
      test.slow();
      const { projectId, designId, imageId, convex } = await projectOf(app, person);
      const other = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
      const ready = async (each = page) => (javaScript ? hydrated(each) : undefined);
      await page.goto(`/projects/${projectId}`);
      await ready();
      await page.getByRole("button", { name: "More for this project" }).click();
      await page.getByRole("link", { name: "Members" }).click();
      await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
      await ready();
      const address = `${randomUUID()}@example.com`;
      await page.getByLabel("Email").fill(address);
      await page.getByLabel("Role", { exact: true }).selectOption("viewer");
      await page.getByRole("button", { name: "Create invitation link" }).click();
      const link = await page.getByLabel("Invitation link").inputValue();
      await expectAccessible(page);
      await page.getByLabel("Email").fill("not an address");
      await page.getByLabel("Role", { exact: true }).selectOption("commenter");
      await page.getByRole("button", { name: "Create invitation link" }).click();
      await expect(page.getByText("Invalid email")).toBeVisible();
      await expect(page.getByLabel("Email")).toHaveValue("not an address");
      await expect(page.getByLabel("Role", { exact: true })).toHaveValue("commenter");

      await other.goto(link);
      await other.goto(link);
      await ready(other);
      await expectAccessible(other);
      await expect(other.getByRole("heading", { name: "Join “Magazine”" })).toBeVisible();
      await other.getByRole("button", { name: "Accept invitation" }).click();
      await expect(other).toHaveURL(new RegExp(`/projects/${projectId}$`));
      await expect(other.getByRole("heading", { name: "Magazine", level: 1 })).toBeVisible();
      await expect(other.getByRole("link", { name: "Cover" }).first()).toBeVisible();
      await expect(other.locator("[data-within]")).toHaveText("Shared with me");
      for (const name of DENIED) await expect(other.getByRole("button", { name })).toHaveCount(0);
      await expect(other.getByLabel("Name of the project")).toHaveCount(0);
      await expectAccessible(other);

      await other.goto(`/design/${designId}`);
      await expect(other.getByRole("img", { name: "fig.jpg" })).toBeVisible();
      await expect(other.getByLabel("Add images")).toHaveCount(0);
      await other.goto(`/design/${designId}/images/${imageId}`);
      await expect(other.getByRole("button", { name: "Delete image" })).toHaveCount(0);
      await expect(other.getByRole("button", { name: "Rotate right" })).toHaveCount(0);

      await other.goto("/shared");
      await expect(other.getByRole("main").getByRole("link", { name: "Magazine" })).toBeVisible();
      await expect(other.getByText("by Ada Lovelace")).toBeAttached();
      await expect(other.getByTitle(`Ada Lovelace, ${stranger.name}`)).toBeVisible();
      await expect(other.getByRole("complementary", { name: "Sidebar" }).getByRole("link", { name: "Shared with me" })).toBeVisible();
      await expectAccessible(other);
      await ready(other);
      const card = pageActions(other, javaScript);
      await card.runCardAction("Add to favourites", "Magazine");
      const members = await deploymentAs(app, stranger);
      await expect.poll(async () => (await members.query(api.projects.getProjectById, { id: projectId })).favourite).toBe(true);
      expect((await convex.query(api.projects.getProjectById, { id: projectId })).favourite).toBe(false);
      await other.goto(`/projects/${projectId}`);
      await ready(other);

      if (!javaScript) await page.goto(`/projects/${projectId}/members`);
      await expect(page.getByText(`accepted by ${stranger.name}`)).toBeVisible();
      await page.getByLabel(`Role of ${stranger.name}`).selectOption("editor");
      await page.getByRole("button", { name: `Save for ${stranger.name}` }).click();
      const roles = async () => {
        const { page: members } = await convex.query(api.members.list, { projectId, paginationOpts: { cursor: null, numItems: 9 } });
        return members.map(({ role }) => role);
      };
      await expect.poll(roles).toEqual(["editor"]);
      if (!javaScript) await other.reload();
      await expect(other.getByRole("button", { name: "New design" })).toBeVisible();
      await page.getByRole("button", { name: `Remove ${stranger.name}` }).click();
      await expect.poll(roles).toEqual([]);
      await expect(page.getByLabel(`Role of ${stranger.name}`)).toHaveCount(0);
      if (!javaScript) await other.reload();
      await expect(other.getByText("The page you are looking for does not exist.")).toBeVisible();
      await other.goto(link);
      await expect(other.getByRole("heading", { name: "Invitation not valid" })).toBeVisible();
    },
  );

  test(
    "signs up from an emailed invitation, accepts it, and leaves the project",
    { tag: ["@signs-up-from-project-invitation", "@slow"] },
    async ({ page, launch }) => {
      test.slow();
      const mailbox = await startMailbox();
      const app = await launch({ SMTP_URL: mailbox.url });
      const owner = await signUp(app.url);
      const { projectId } = await projectOf(app, owner);
      const email = `${randomUUID()}@example.com`;
      const sent = await fetch(`${app.url}/projects/${projectId}/members`, {
        method: "POST",
        headers: { Cookie: owner.cookieHeader, Origin: app.url },
        body: new URLSearchParams({ intent: "inviteMember", form: "invite", email, role: "editor" }),
      });
      expect([sent.status, (await sent.text()).includes("invitation=")]).toEqual([200, false]);
      await expect.poll(() => mailbox.for(email).length).toBe(1);
      const link = mailbox.for(email)[0]?.link ?? "";

      await page.goto(link);
      await page.getByRole("link", { name: "Create an account" }).click();
      if (javaScript) await hydrated(page);
      await page.getByLabel("Name").fill("Grace");
      await expect(page.getByLabel("Email")).toHaveValue(email);
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByRole("button", { name: "Accept invitation" }).click();
      await expect(page.getByRole("button", { name: "New design" }).first()).toBeVisible();
      await page.goto(`${app.url}/projects/${projectId}/members`);
      if (javaScript) await hydrated(page);
      await expect(page.getByLabel("Email")).toHaveCount(0);
      await page.getByRole("button", { name: "Leave project" }).click();
      await expect(page.getByRole("heading", { name: "No shared projects" })).toBeVisible();
      await page.goto(`${app.url}/projects/${projectId}`);
      await expect(page.getByText("The page you are looking for does not exist.")).toBeVisible();
      await mailbox.close();
    },
  );
});

test("the members page works at 360 px and by keyboard", async ({ page, person, app }) => {
  const { projectId } = await projectOf(app, person);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/projects/${projectId}/members`);
  await hydrated(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.getByLabel("Email").fill("someone@example.com");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Invitation link")).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.getByRole("button", { name: "Revoke invitation of someone@example.com" }).press("Enter");
  await expect(page.getByText("Invitation revoked")).toBeVisible();
  await expect(page.getByRole("list", { name: "Invitations" })).toHaveCount(0);
});
