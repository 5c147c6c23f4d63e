import { randomUUID } from "node:crypto";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import type { Page } from "@playwright/test";

const password = "correct horse battery";
const freshEmail = () => `${randomUUID()}@example.com`;

async function fillSignUp(page: Page, { name = "Grace Hopper", email = freshEmail() } = {}) {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  return email;
}

async function expectAutofill(page: Page, words: Record<string, string>) {
  const form = page.locator("form", { has: page.getByLabel("Password", { exact: true }) });
  await expect(form).toHaveAttribute("method", "post");
  for (const [label, word] of Object.entries(words)) await expect(form.getByLabel(label)).toHaveAttribute("autocomplete", word);
}

withAndWithoutJavaScript((javaScript) => {
  const ready = (page: Page) => (javaScript ? hydrated(page) : undefined);

  test("signs up, signs out and signs in again", { tag: "@somebody-signs-up-signs-out-signs" }, async ({ page }) => {
    await page.goto("/sign-up");
    await ready(page);
    await expectAccessible(page);
    await expectAutofill(page, { Name: "name", Email: "username", Password: "new-password" });
    const email = await fillSignUp(page);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page).toHaveURL("/projects");
    await expect(page.getByRole("navigation").getByRole("link", { name: "Projects", exact: true })).toBeVisible();
    await ready(page);

    await page.getByRole("button", { name: /Grace Hopper/ }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await expect(page).toHaveURL("/sign-in");
    await page.goto("/projects");
    await expect(page).toHaveURL("/sign-in");

    await ready(page);
    await expectAutofill(page, { Email: "username", Password: "current-password" });
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL("/projects");
  });

  test("a signed-out visitor signs in and reaches the requested page", async ({ page, person, context }) => {
    await context.clearCookies();
    await page.goto("/notifications?unread=1");
    await expect(page).toHaveURL(/\/sign-in\?redirectTo=/);
    await ready(page);
    await expectAccessible(page);
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL("/notifications?unread=1");
  });

  test("shows sign-in errors at their fields and keeps the input", async ({ page, person, context }) => {
    await context.clearCookies();
    await page.goto("/sign-in");
    await ready(page);
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill("wrong horse");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription("Invalid email or password");
    await expect(page.getByLabel("Email")).toHaveValue(person.email);
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue(javaScript ? /.*/ : "");
    await expectAccessible(page);

    await page.getByLabel("Email").fill("ada@");
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByLabel("Email")).toHaveAccessibleDescription("Invalid email");
    await expect(page.getByLabel("Email")).toHaveValue("ada@");
    await expect(page).toHaveURL("/sign-in");
  });

  test("reports a taken address at its field and keeps the other input", async ({ page, person, context }) => {
    await context.clearCookies();
    await page.goto("/sign-up");
    await ready(page);
    await fillSignUp(page, { name: "Grace Hopper", email: person.email });
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Email")).toHaveAccessibleDescription(/An account with this email address already exists/);
    await expect(page.getByLabel("Name")).toHaveValue("Grace Hopper");
    await expect(page.getByLabel("Email")).toHaveValue(person.email);
  });

  test("reports a short password and a missing name at their fields", async ({ page }) => {
    await page.goto("/sign-up");
    await ready(page);
    await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription("At least 8 characters");
    await page.getByLabel("Email").fill(freshEmail());
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Name")).toHaveAccessibleDescription("Enter your name.");
    await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription("Use at least 8 characters.");
  });

  test(
    "redirects a signed-in user from /, /sign-in and /sign-up to the projects",
    { tag: "@redirects-signed-user-from-sign-sign" },
    async ({ page, person }) => {
      expect(person.id).not.toBe("");
      for (const path of ["/sign-in", "/sign-up", "/"]) {
        await page.goto(path);
        await expect(page).toHaveURL("/projects");
      }
    },
  );
});

test("/ redirects a signed-out visitor to /sign-in", { tag: "@redirects-signed-out-visitor-sign" }, async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveURL("/sign-in");
});

for (const path of ["/projects", "/projects/", "/projects/x", "/design/x", "/account", "/billing", "/notifications"]) {
  test(`${path} requires a session before it shows anything`, async ({ request }) => {
    const answer = await request.get(path, { maxRedirects: 0 });
    expect(answer.status()).toBe(302);
    const usual = path === "/projects" || path === "/projects/";
    expect(answer.headers().location).toBe(usual ? "/sign-in" : `/sign-in?redirectTo=${encodeURIComponent(path)}`);
    expect(await answer.text()).toBe("");
  });
}

test("signing in redirects only to our own pages", async ({ page, person, context }) => {
  await context.clearCookies();
  for (const target of ["https://evil.example", "//evil.example", "/\\evil.example", "/%09/evil.example"]) {
    await page.goto(`/sign-in?redirectTo=${encodeURIComponent(target)}`);
    await hydrated(page);
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL((url) => url.pathname !== "/sign-in");
    expect(new URL(page.url()).hostname).toBe("localhost");
    await context.clearCookies();
  }
});

test("signing out in one tab ends the other tabs too", { tag: "@signing-out-tab-ends-other-tabs" }, async ({ page, person, context }) => {
  await page.goto("/projects");
  await hydrated(page);
  const other = await context.newPage();
  await other.goto("/projects");
  await hydrated(other);
  await other.getByRole("button", { name: new RegExp(person.name) }).click();
  await other.getByRole("button", { name: "Log out" }).click();
  await expect(other).toHaveURL("/sign-in");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("rejects a form from another site without effect", async ({ page, request, person }) => {
  for (const [path, form] of [
    ["/sign-out", {}],
    ["/projects", { intent: "createProject", name: "From elsewhere" }],
  ] as const) {
    const answer = await request.post(path, {
      form,
      maxRedirects: 0,
      headers: { Cookie: person.cookieHeader, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    });
    expect([400, 403], path).toContain(answer.status());
  }
  await page.goto("/projects");
  await expect(page).toHaveURL("/projects");
  await expect(page.getByText("From elsewhere")).toHaveCount(0);
});
