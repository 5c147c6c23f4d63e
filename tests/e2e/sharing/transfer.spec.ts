import { api } from "../../../convex/_generated/api.js";
import { storeOf } from "../../harness/store.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { sharedProject } from "../support/shared-project.ts";

const LONG_AGO = Date.now() - 3 * 24 * 60 * 60 * 1000;

withAndWithoutJavaScript((javaScript) => {
  const ready = async (page: Parameters<typeof hydrated>[0]) => (javaScript ? hydrated(page) : undefined);

  test(
    "offers to transfer shared projects before the account is deleted",
    { tag: "@offers-transfer-before-deletion" },
    async ({ page, person, stranger, app }) => {
      const { projectId } = await sharedProject(app, person, stranger);
      await page.goto("/account/data");
      await ready(page);
      await expect(page.getByText("Transfer shared projects first to keep them for their members:")).toBeVisible();
      await page.getByRole("link", { name: "Members of Magazine" }).click();
      await expect(page).toHaveURL(`/projects/${projectId}/members`);
      await expect(page.getByRole("link", { name: "Transfer project" })).toBeVisible();
    },
  );

  test(
    "transfers a project, which the member declines first and then accepts",
    { tag: "@transfers-project-member-accepts" },
    async ({ page, person, stranger, otherBrowser, app }) => {
      test.slow();
      const { projectId, convex } = await sharedProject(app, person, stranger);
      const other = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
      const offer = async () => {
        await page.getByLabel("New owner").selectOption({ index: 1 });
        await page.getByRole("button", { name: "Offer transfer" }).click();
        await expect(page.getByText(/The project is offered to/)).toBeVisible();
      };
      await page.goto(`/projects/${projectId}/members`);
      await page.getByRole("link", { name: "Transfer project" }).click();
      await ready(page);
      await page.getByRole("button", { name: "Offer transfer" }).click();
      await expect(page.getByText("Choose a member of the project.", { exact: true }).last()).toBeVisible();
      await expectAccessible(page);
      await offer();
      if (!javaScript) await page.goto(page.url());
      await page.getByRole("button", { name: "Cancel transfer" }).click();
      await expect(page.getByLabel("New owner")).toBeVisible();
      await ready(page);
      await offer();
      await expectAccessible(page);

      await other.goto("/notifications");
      await ready(other);
      await expectAccessible(other);
      await other.getByRole("link", { name: "View transfer of Magazine" }).click();
      await expect(other.getByRole("heading", { name: "Transfer", level: 1 })).toBeVisible();
      await ready(other);
      await other.getByRole("button", { name: "Decline transfer" }).click();
      await expect(other).toHaveURL(/\/shared$/);
      if (!javaScript) await page.goto(page.url());
      await expect(page.getByText(/declined the transfer/)).toBeVisible();
      await offer();

      await other.goto(`/projects/${projectId}/transfer`);
      await ready(other);
      await expectAccessible(other);
      await other.getByRole("button", { name: "Accept transfer" }).click();
      await expect.poll(async () => (await convex.query(api.projects.getProjectById, { id: projectId })).role).toBe("editor");
      await expect(other.getByRole("button", { name: "Decline transfer" })).toHaveCount(0);
      await other.goto("/projects");
      await expect(other.getByRole("main").getByRole("link", { name: "Magazine" })).toBeVisible();
      await other.goto("/account/data");
      await expect(other.getByRole("link", { name: "Members of Magazine" })).toBeVisible();
      await page.goto("/shared");
      await expect(page.getByRole("main").getByRole("link", { name: "Magazine" })).toBeVisible();
      await page.goto(`/projects/${projectId}/transfer`);
      await expect(page.getByText("No transfer is offered to you.")).toBeVisible();
    },
  );
});

test(
  "demands the password for an offer when the session is older than a day",
  { tag: "@transfer-needs-recent-sign-in" },
  async ({ page, person, stranger, app }) => {
    const { projectId } = await sharedProject(app, person, stranger);
    await (await storeOf(app)).change("sessions", { userId: person.id }, { createdAt: LONG_AGO });
    await page.goto(`/projects/${projectId}/transfer`);
    await hydrated(page);
    await page.getByLabel("New owner").selectOption({ index: 1 });
    await page.getByRole("button", { name: "Offer transfer" }).click();
    await expect(page.getByText("Enter your password to continue.")).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Your password").fill(person.password);
    await page.getByRole("button", { name: "Offer transfer" }).click();
    await expect(page.getByText(/The project is offered to/)).toBeVisible();
  },
);

test("shows a member that only the owner can offer a transfer", { tag: "@transfer-by-member" }, async ({ app, person, stranger }) => {
  const { projectId } = await sharedProject(app, person, stranger);
  const answer = await fetch(`${app.url}/projects/${projectId}/transfer`, {
    method: "POST",
    headers: { Cookie: stranger.cookieHeader, Origin: app.url },
    body: new URLSearchParams({ intent: "offerTransfer", userId: stranger.id }),
  });
  expect(answer.status).toBe(422);
});
