import type { Page } from "@playwright/test";
import { type Identity, type SocialServer, startSocialServer } from "../harness/oidc.ts";
import { bothWays, expect, expectAccessible, test } from "../harness/test.ts";

let social: SocialServer;
test.beforeAll(async () => {
  social = await startSocialServer();
});
test.afterAll(() => social.close());

/** Who the browser's person is at the provider, and whether they agree: its pages read it from the request. */
const isAtProvider = (page: Page, who: Identity, deny = false) =>
  page.setExtraHTTPHeaders({ "X-Person": who.sub, ...(deny && { "X-Deny": "yes" }) });

bothWays(() => {
  test("signs up, and later in, by a provider, and comes to where it wanted to", async ({ page, launch, context }) => {
    const app = await launch(social.settings);
    await isAtProvider(page, social.identity({ name: "Grace Hopper" }));
    await page.goto(`${app.url}/sign-up?redirectTo=%2Fbilling`);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Continue with GitLab" }).click();
    await expect(page).toHaveURL(`${app.url}/billing`);

    await context.clearCookies();
    await page.goto(`${app.url}/projects`);
    await expect(page).toHaveURL(/\/sign-in/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Continue with GitLab" }).click();
    await expect(page).toHaveURL(`${app.url}/projects`);
  });

  test("comes back to the error's page when somebody says no", async ({ page, launch }) => {
    const app = await launch(social.settings);
    await isAtProvider(page, social.identity(), true);
    await page.goto(`${app.url}/sign-in`);
    await page.getByRole("button", { name: "Continue with GitLab" }).click();
    await expect(page.getByRole("heading", { name: "Authentication Error" })).toBeVisible();
    await expect(page.getByText("access_denied")).toBeVisible();
    await page.getByRole("link", { name: "Return to Application" }).click();
    await expect(page).toHaveURL(`${app.url}/sign-in`);
  });

  test("offers no provider that is not configured", async ({ page }) => {
    await page.goto("/sign-in");
    await expect(page.getByRole("button", { name: /^Continue with/ })).toHaveCount(0);
  });
});

test("a provider that is made up leads to the error's page, and nowhere else", async ({ request, app }) => {
  const headers = { Origin: app.url };
  const answer = await request.post("/sign-in/social", {
    form: { provider: "https://evil.example", redirectTo: "//evil.example" },
    headers,
    maxRedirects: 0,
  });
  expect([answer.status(), answer.headers()["location"]]).toEqual([303, "/error?error=oauth_provider_not_found"]);
});
