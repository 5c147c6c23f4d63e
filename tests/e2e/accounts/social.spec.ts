import type { Page } from "@playwright/test";
import { type Identity, type SocialServer, startSocialServer } from "../../harness/services/oidc.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, test } from "../../harness/test.ts";

let social: SocialServer;
test.beforeAll(async () => {
  social = await startSocialServer();
});
test.afterAll(() => social.close());

const isAtProvider = (page: Page, user: Identity, deny = false) =>
  page.setExtraHTTPHeaders({ "X-Person": user.sub, ...(deny && { "X-Deny": "yes" }) });

withAndWithoutJavaScript(() => {
  test("signs up and in by a provider and reaches the requested page", async ({ page, launch, context }) => {
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

  test("shows the error page when the user refuses consent", { tag: "@slow" }, async ({ page, launch }) => {
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

test("an unknown provider redirects to the error page", async ({ request, app }) => {
  const headers = { Origin: app.url };
  const answer = await request.post("/sign-in/social", {
    form: { provider: "https://evil.example", redirectTo: "//evil.example" },
    headers,
    maxRedirects: 0,
  });
  expect([answer.status(), answer.headers()["location"]]).toEqual([303, "/error?error=oauth_provider_not_found"]);
});

const OTHERS = Object.fromEntries(
  ["DISCORD", "SLACK"].flatMap((id) => [
    [`${id}_CLIENT_ID`, "x"],
    [`${id}_CLIENT_SECRET`, "x"],
  ]),
);

test("shows provider icons, in a grid from four providers on", { tag: "@slow" }, async ({ page, launch }) => {
  const app = await launch({ ...social.settings, ...OTHERS });
  const buttons = page.getByRole("button", { name: /^Continue with/ });
  await page.goto(`${app.url}/sign-in`);
  expect(await buttons.count()).toBeGreaterThanOrEqual(4);
  await expect(page.getByRole("button", { name: "Continue with Discord" }).locator("svg")).toBeVisible();
  await expect(page.getByRole("button", { name: "Continue with Slack" }).locator("svg")).toBeVisible();
  const [first, second] = await Promise.all([0, 1].map((index) => buttons.nth(index).boundingBox()));
  expect(first?.y).toBe(second?.y);
  await expectAccessible(page);
});

test("shows no divider above the providers of a sign-up without passwords", { tag: "@slow" }, async ({ page, launch }) => {
  const app = await launch({ ...social.settings, ACCOUNTS_EMAIL_AND_PASSWORD: "false" });
  await page.goto(`${app.url}/sign-up`);
  await expect(page.getByRole("button", { name: /^Continue with/ }).first()).toBeVisible();
  await expect(page.getByText("or", { exact: true })).toHaveCount(0);
});
