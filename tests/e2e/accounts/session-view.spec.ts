import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SignJWT } from "jose";
import { expect, hydrated, type RunningApp, signIn, test } from "../../harness/test.ts";
import { totp } from "../support/totp.ts";

test(
  "a name changed over HTTP appears at once in the tabs of two browsers",
  { tag: "@name-changed-program-seen-once-tabs" },
  async ({ page, person, otherBrowser, app }) => {
    const other = await otherBrowser(person);
    for (const tab of [page, other]) {
      await tab.goto("/projects");
      await hydrated(tab);
      await expect(tab.getByRole("button", { name: new RegExp(person.name) })).toBeVisible();
    }
    const answer = await fetch(`${app.url}/api/auth/update-user`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: app.url, Cookie: person.cookieHeader },
      body: JSON.stringify({ name: "Countess Lovelace" }),
    });
    expect(answer.status).toBe(200);
    for (const tab of [page, other]) await expect(tab.getByRole("button", { name: /Countess Lovelace/ })).toBeVisible();

    for (const tab of [page, other]) {
      await tab.reload();
      await expect(tab.getByRole("button", { name: /Countess Lovelace/ })).toBeVisible();
    }
  },
);

test("sessions ended by a password change send every open tab to /sign-in at once", async ({ page, person, otherBrowser, app }) => {
  const other = await otherBrowser(person);
  for (const tab of [page, other]) {
    await tab.goto("/projects");
    await hydrated(tab);
  }
  const answer = await fetch(`${app.url}/api/auth/change-password`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, Cookie: person.cookieHeader },
    body: JSON.stringify({ currentPassword: person.password, newPassword: "another fine password", revokeOtherSessions: true }),
  });
  expect(answer.status).toBe(200);
  for (const tab of [page, other]) await expect(tab).toHaveURL(/\/sign-in/);
});

test(
  "a tab at /sign-in continues after another tab signs in",
  { tag: "@tab-sign-continues-after-another-tab" },
  async ({ page, person, context }) => {
    await context.clearCookies();
    await page.goto("/notifications?from=here");
    await expect(page).toHaveURL(/\/sign-in\?redirectTo=/);
    await hydrated(page);
    const other = await context.newPage();
    await other.goto("/sign-in");
    await hydrated(other);
    await other.getByLabel("Email").fill(person.email);
    await other.getByLabel("Password", { exact: true }).fill(person.password);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(other).toHaveURL("/projects");
    await expect(page).toHaveURL("/notifications?from=here");
    await hydrated(page);

    await other.goto("/account/security");
    await hydrated(other);
    await other.getByLabel("Current password").fill(person.password);
    await other.getByLabel("New password").fill("another correct horse");
    await other.getByRole("button", { name: "Change password" }).click();
    await expect(other.getByText("Your password was changed.").first()).toBeVisible();
    await expect(page).toHaveURL("/notifications?from=here");
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await expect(page).toHaveURL("/projects");

    await page.goto("/account");
    await hydrated(page);
    await page.getByRole("button", { name: "Log out of this device" }).click();
    await expect(page).toHaveURL("/sign-in");
    await expect(page.getByRole("button", { name: "Sign in", exact: true })).toHaveAccessibleDescription("Last used");
  },
);

test(
  "a tab at /sign-in continues after a sign-up in another tab",
  { tag: "@tab-sign-continues-after-sign-up" },
  async ({ page, context }) => {
    await page.goto("/sign-in?redirectTo=%2Fnotifications");
    await hydrated(page);
    const other = await context.newPage();
    await other.goto("/sign-up");
    await hydrated(other);
    await other.getByLabel("Name").fill("Ada Lovelace");
    await other.getByLabel("Email").fill(`${crypto.randomUUID()}@example.com`);
    await other.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await other.getByRole("button", { name: "Create account" }).click();
    await expect(other).toHaveURL("/projects");
    await expect(page).toHaveURL("/notifications");
  },
);

test(
  "account changes show at once in the tabs of two browsers",
  { tag: "@account-changes-show-once-tabs-two" },
  async ({ page, person, otherBrowser, app }) => {
    const program = await signIn(app.url, person);
    let cookie = program.cookieHeader;
    const call = async (path: string, body?: object) => {
      const answer = await fetch(`${app.url}/api/auth${path}`, {
        method: body ? "POST" : "GET",
        redirect: "manual",
        headers: { "Content-Type": "application/json", Origin: app.url, Cookie: cookie },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status, path).toBeLessThan(400);
      const session = answer.headers.getSetCookie().find((line) => /session_token=[^;]/.test(line));
      if (session) cookie = session.split(";", 1).join();
      return answer;
    };
    const other = await otherBrowser(person);
    await page.goto("/account");
    await other.goto("/account/security");
    for (const tab of [page, other]) await hydrated(tab);
    await expect(page.getByText("which is not verified yet")).toBeVisible();

    await call(`/verify-email?token=${await confirmation(app, person.email)}`);
    await expect(page.getByText("which is verified.")).toBeVisible();

    const { totpURI } = await (await call("/two-factor/enable", { password: person.password })).json();
    await call("/two-factor/verify-totp", { code: totp(new URL(totpURI).searchParams.get("secret") ?? "") });
    await expect(other.getByText("On. Each sign-in")).toBeVisible();
    await call("/two-factor/disable", { password: person.password });
    await expect(other.getByRole("button", { name: "Set up two-factor authentication" })).toBeVisible();

    await call("/delete-user", { password: person.password });
    for (const tab of [page, other]) await expect(tab).toHaveURL(/\/sign-in/);
  },
);

async function confirmation(app: RunningApp, email: string): Promise<string> {
  const { secret } = JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8"));
  return new SignJWT({ email })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(String(secret)));
}
