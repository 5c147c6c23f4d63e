import type { Page } from "@playwright/test";
import { startApp } from "../../harness/app.ts";
import type { TestIssuer } from "../../harness/services/issuer.ts";
import type { Identity } from "../../harness/services/oidc.ts";
import { issuerOfWorker } from "../../harness/services/servers.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test as base } from "../../harness/test.ts";
import { runUserCommandWith } from "../support/user-command.ts";

const ONLY = { ACCOUNTS_EMAIL_AND_PASSWORD: "false" };
const settingsOf = (issuer: TestIssuer, others: Record<string, string> = {}) => issuer.settings("ACME", { LABEL: "Acme Corp", ...others });

const test = base.extend<object, { issuer: TestIssuer }>({
  issuer: issuerOfWorker,
  app: [
    async ({ issuer }, use) => {
      const app = await startApp({ ...settingsOf(issuer, { END_SESSION: "true" }), ...ONLY });
      await issuer.connect(app.url, "oidc-acme");
      await use(app);
      await app.dispose();
    },
    { scope: "worker" },
  ],
});

const isAtIssuer = (page: Page, user: Identity) => page.setExtraHTTPHeaders({ "X-Person": user.sub });
const signInButton = (page: Page) => page.getByRole("button", { name: "Continue with Acme Corp" });

async function endSessionAtIssuer(page: Page, issuer: TestIssuer): Promise<void> {
  await page.goto(`${issuer.url}/session/end`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Signed out" })).toBeVisible();
}

withAndWithoutJavaScript((javaScript) => {
  const ready = async (page: Page) => {
    if (javaScript) await hydrated(page);
  };

  test(
    "signs in by one button, and out here and at the issuer",
    { tag: "@single-sign-on-pages" },
    async ({ page, app, issuer, context }) => {
      await isAtIssuer(page, issuer.person());
      await page.goto(`${app.url}/account/connections`);
      await expect(page).toHaveURL(/\/sign-in\?redirectTo=/);
      await ready(page);
      await expectAccessible(page);
      await expect(page.getByRole("main").getByRole("button")).toHaveCount(1);
      await signInButton(page).click();
      await expect(page).toHaveURL(`${app.url}/account/connections`);
      await expect(page.getByRole("heading", { name: "Acme Corp" })).toBeVisible();
      await expect(page.getByText("You have linked every available provider.")).toBeVisible();

      await page.goto(`${app.url}/account`);
      await ready(page);
      await page.getByRole("button", { name: "Log out of this device" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await expect(page).toHaveURL(`${app.url}/sign-in`);

      await signInButton(page).click();
      await expect(page).toHaveURL(`${app.url}/projects`);
      await ready(page);
      const other = await context.newPage();
      await endSessionAtIssuer(other, issuer);
      await other.close();
      if (!javaScript) await page.reload();
      await expect(page).toHaveURL(`${app.url}/sign-in`, { timeout: 10_000 });
    },
  );

  test("links an issuer to an account, and unlinks it", { tag: "@slow" }, async ({ page, launch, issuer }) => {
    const app = await launch(settingsOf(issuer));
    const grace = issuer.person();
    await isAtIssuer(page, grace);
    await page.goto(`${app.url}/sign-up`);
    await ready(page);
    await page.getByLabel("Name").fill("Grace Hopper");
    await page.getByLabel("Email").fill(grace.email);
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page).toHaveURL(`${app.url}/projects`);
    await page.goto(`${app.url}/account/connections`);
    await ready(page);
    await page.getByRole("button", { name: "Link Acme Corp" }).click();
    await expect(page.getByRole("button", { name: "Unlink Acme Corp" })).toBeVisible();
    await ready(page);
    await page.getByRole("button", { name: "Unlink Acme Corp" }).click();
    await expect(page.getByRole("button", { name: "Link Acme Corp", exact: true })).toBeVisible();
  });

  test("opens the only issuer at once, except after a sign-out", { tag: "@slow" }, async ({ page, launch, issuer }) => {
    const app = await launch({ ...settingsOf(issuer), ...ONLY, ACCOUNTS_SIGN_IN_REDIRECT: "true" });
    const grace = issuer.person();
    await isAtIssuer(page, grace);
    await page.goto(`${app.url}/account`);
    await expect(page).toHaveURL(`${app.url}/account`);
    await ready(page);
    await page.getByRole("button", { name: "Log out of this device" }).click();
    await expect(page).toHaveURL(`${app.url}/sign-in`);
    await expect(signInButton(page)).toBeVisible();
    await page.goto(`${app.url}/sign-in?stay`);
    await expect(signInButton(page)).toBeVisible();

    issuer.answer("/auth", (_, response) => response.end("The issuer's own page"));
    try {
      await page.goto(`${app.url}/sign-in`);
      await expect(page.getByText("The issuer's own page")).toBeVisible();
    } finally {
      issuer.answer("/auth", null);
    }

    const { output } = await runUserCommandWith({ ...settingsOf(issuer), ...ONLY }, app, "sign-in", grace.email);
    await page.goto(/https?:\S+/.exec(output)?.[0] ?? "");
    await expect(page).toHaveURL(`${app.url}/projects`);
  });

  test("explains why a person or an issuer is refused", { tag: "@slow" }, async ({ page, launch, issuer }) => {
    const app = await launch({ ...settingsOf(issuer, { GROUPS: "designers" }), ...ONLY });
    await isAtIssuer(page, issuer.person({ groups: ["sales"] }));
    await page.goto(`${app.url}/sign-in`);
    await signInButton(page).click();
    await expect(page.getByText("Your account at the provider is in no group that this installation allows.")).toBeVisible();
    await expect(page.getByText("group_not_allowed")).toBeVisible();

    const down = await launch({ ...settingsOf(issuer, { ISSUER: "http://127.0.0.1:1" }), ...ONLY });
    await page.goto(`${down.url}/sign-in`);
    await ready(page);
    await signInButton(page).click();
    await expect(page.getByText("The provider is not responding, or its settings here are wrong.")).toBeVisible();
  });
});
