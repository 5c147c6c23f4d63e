import type { Page } from "@playwright/test";
import { type Identity, type SocialServer, startSocialServer } from "../harness/oidc.ts";
import { bothWays, expect, expectAccessible, test } from "../harness/test.ts";

let social: SocialServer;
test.beforeAll(async () => {
  social = await startSocialServer();
});
test.afterAll(() => social.close());

/** In the place of the provider's pages: goes through them on the real server as somebody would. */
const atGoogle = (page: Page, who: Identity, deny = false) =>
  page.route("https://accounts.google.com/**", async (route) => {
    const headers = { Location: await social.consent(route.request().url(), who, { deny }) };
    await route.fulfill({ status: 302, headers });
  });

bothWays(() => {
  test("signs up, and later in, by a provider, and comes to where it wanted to", async ({ page, launch, context }) => {
    const app = await launch(social.settings);
    await atGoogle(page, social.identity({ name: "Grace Hopper" }));
    await page.goto(`${app.url}/sign-up?redirectTo=%2Fbilling`);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Continue with Google" }).click();
    await expect(page).toHaveURL(`${app.url}/billing`);

    await context.clearCookies();
    await page.goto(`${app.url}/projects`);
    await expect(page).toHaveURL(/\/sign-in/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Continue with Google" }).click();
    await expect(page).toHaveURL(`${app.url}/projects`);
  });

  test("comes back to the error's page when somebody says no", async ({ page, launch }) => {
    const app = await launch(social.settings);
    await atGoogle(page, social.identity(), true);
    await page.goto(`${app.url}/sign-in`);
    await page.getByRole("button", { name: "Continue with Google" }).click();
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
