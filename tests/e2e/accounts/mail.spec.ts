import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { z } from "zod";
import { api } from "../../../convex/_generated/api.js";
import { startApp } from "../../harness/app.ts";
import { type Mailbox, type Received, startMailbox } from "../../harness/services/mailbox.ts";
import { storeOf } from "../../harness/store.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  openBrowser,
  type RunningApp,
  signIn,
  test as base,
} from "../../harness/test.ts";
import { test } from "../support/mailed-test.ts";
import { deploymentAs } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

const SIGN_IN_LINK = /sign-in link/;

const freshEmail = () => `${randomUUID()}@example.com`;

async function mail(mailbox: Mailbox, to: string, subject: RegExp, nth = 0): Promise<Received> {
  const found = () => mailbox.for(to).filter((each) => subject.test(each.subject));
  await expect.poll(() => found().length, `mails to ${to} about ${subject}`).toBeGreaterThan(nth);
  const [received] = found().slice(nth);
  if (!received) throw new Error("It was there a moment ago");
  return received;
}

const call = (app: RunningApp, path: string, body: object, cookie = "") =>
  fetch(`${app.url}/api/auth${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, ...(cookie && { Cookie: cookie }) },
    body: JSON.stringify(body),
  });

withAndWithoutJavaScript((javaScript) => {
  const ready = (page: Page) => (javaScript ? hydrated(page) : undefined);

  test(
    "asks before a sign-in link signs in another user",
    { tag: ["@asks-before-sign-link-signs-another", "@slow"] },
    async ({ page, person, stranger, app, mailbox, otherBrowser }) => {
      const magicLink = async () => {
        const sent = mailbox.for(stranger.email).filter(({ subject }) => SIGN_IN_LINK.test(subject)).length;
        await call(app, "/sign-in/magic-link", { email: stranger.email, callbackURL: "/projects" });
        return (await mail(mailbox, stranger.email, SIGN_IN_LINK, sent)).link;
      };
      const token = await fetch(`${app.url}/api/auth/one-time-token/generate`, { headers: { Cookie: stranger.cookieHeader } });
      const { token: ott } = z.object({ token: z.string() }).parse(await token.json());
      // The token comes first: a magic link to an unverified address ends its session.
      for (const link of [`/account?ott=${ott}`, await magicLink()]) {
        const browser = await otherBrowser(person);
        await browser.goto(link);
        await expect(browser.getByRole("heading", { name: "Switch account?" })).toBeVisible();
        await expect(browser.getByText(stranger.email)).toBeVisible();
        await ready(browser);
        await expectAccessible(browser);
        await browser.getByRole("link", { name: `Stay signed in as ${person.name}` }).click();
        await expect(browser).toHaveURL("/projects");
        await browser.goto("/account");
        await expect(browser.getByLabel("Name")).toHaveValue(person.name);

        await browser.goto(link);
        await ready(browser);
        await browser.getByRole("button", { name: `Continue as ${stranger.name}` }).click();
        await expect(browser).toHaveURL(/\/(projects|account)$/);
        await browser.goto("/account");
        await expect(browser.getByLabel("Name")).toHaveValue(stranger.name);
      }

      await page.context().clearCookies();
      for (const _visit of ["signed out", "the same user"]) {
        await page.goto(await magicLink());
        await expect(page).toHaveURL("/projects");
      }
    },
  );

  test(
    "resets a forgotten password by a link that works once",
    { tag: ["@resets-forgotten-password-link-works-once", "@slow"] },
    async ({ page, context, person, mailbox, otherBrowser }) => {
      const elsewhere = await otherBrowser(person);
      await elsewhere.goto("/account");
      const front = await elsewhere.context().newPage();
      await front.goto("/projects");
      for (const tab of [elsewhere, front]) await ready(tab);
      await front.bringToFront();
      await context.clearCookies();
      await page.goto("/sign-in");
      await ready(page);
      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await expect(page).toHaveURL("/forgot-password");
      await ready(page);
      await expectAccessible(page);
      await page.getByLabel("Email").fill("ada@");
      await page.getByRole("button", { name: "Send reset link" }).click();
      await expect(page.getByLabel("Email")).toHaveAccessibleDescription("Invalid email");
      await expect(page.getByLabel("Email")).toHaveValue("ada@");
      await page.getByLabel("Email").fill(person.email);
      await page.getByRole("button", { name: "Send reset link" }).click();
      await expect(page.getByText("If this email exists in our system, check your email for the reset link")).toBeVisible();
      await expectAccessible(page);

      const { link, from, html } = await mail(mailbox, person.email, /new password/);
      expect(from).toBe("atelier@example.com");
      expect(html).toContain(link.replaceAll("&", "&amp;"));
      await page.goto(link);
      await expect(page).toHaveURL(/\/reset-password\?token=/);
      await ready(page);
      await expectAccessible(page);
      await page.getByLabel("New password").fill("short");
      await page.getByRole("button", { name: "Change password" }).click();
      await expect(page.getByLabel("New password")).toHaveAccessibleDescription("Use at least 8 characters.");
      await page.getByLabel("New password").fill("another horse battery");
      await page.getByRole("button", { name: "Change password" }).click();
      await expect(page).toHaveURL("/sign-in?notice=password-changed");
      await expect(page.getByText("Your password was changed.")).toBeVisible();
      await ready(page);

      if (!javaScript) for (const tab of [elsewhere, front]) await tab.reload();
      await expect(front).toHaveURL("/sign-in");
      await expect(elsewhere).toHaveURL("/sign-in?redirectTo=%2Faccount");
      for (const tab of [elsewhere, front]) await expect(tab.getByText(person.email)).toHaveCount(0);

      await page.getByLabel("Email").fill(person.email);
      await page.getByLabel("Password", { exact: true }).fill("another horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await expect(page).toHaveURL("/projects");

      await page.goto(link);
      await expect(page).toHaveURL("/reset-password?error=INVALID_TOKEN");
      await expect(page.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible();
      await expectAccessible(page);
    },
  );

  test("reports a link that was used while its page was open", async ({ page, context, person, app, mailbox }) => {
    await context.clearCookies();
    await call(app, "/request-password-reset", { email: person.email, redirectTo: "/reset-password" });
    await page.goto((await mail(mailbox, person.email, /new password/)).link);
    const token = new URL(page.url()).searchParams.get("token");
    expect((await call(app, "/reset-password", { newPassword: "somebody was faster", token })).status).toBe(200);
    await ready(page);
    await page.getByLabel("New password").fill("another horse battery");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible();
    await page.getByRole("link", { name: "Request a new link" }).click();
    await expect(page).toHaveURL("/forgot-password");
  });

  test("the pages do not reveal an address without an account, and send nothing", async ({ page, mailbox }) => {
    const nobody = freshEmail();
    await page.goto("/forgot-password");
    await ready(page);
    await page.getByLabel("Email").fill(nobody);
    await page.getByRole("button", { name: "Send reset link" }).click();
    await expect(page.getByText("If this email exists in our system, check your email for the reset link")).toBeVisible();
    await page.goto("/sign-in");
    await ready(page);
    await page.getByLabel("Email").fill(nobody);
    await page.getByRole("button", { name: "Email me a sign-in link" }).click();
    await expect(page.getByText("If an account with this email exists")).toBeVisible();
    await page.goto("/verify-email");
    await ready(page);
    await page.getByLabel("Email").fill(nobody);
    await page.getByRole("button", { name: "Send verification link" }).click();
    await expect(page.getByText("If this address belongs to an account")).toBeVisible();
    expect(mailbox.for(nobody)).toEqual([]);
  });

  test("a sign-in link works once and opens the requested page", async ({ page, context, person, mailbox }) => {
    await page.goto((await mail(mailbox, person.email, /Verify your email/)).link);
    await expect(page.getByRole("heading", { name: "Email address verified" })).toBeVisible();
    await context.clearCookies();
    await page.goto("/notifications");
    await expect(page).toHaveURL(/\/sign-in\?redirectTo=/);
    await ready(page);
    await page.getByRole("button", { name: "Email me a sign-in link" }).click();
    await expect(page.getByLabel("Email")).toHaveAccessibleDescription("Enter your email address.");
    await page.getByLabel("Email").fill(person.email);
    await page.getByRole("button", { name: "Email me a sign-in link" }).click();
    await expect(page.getByText("If an account with this email exists")).toBeVisible();
    const { link } = await mail(mailbox, person.email, /sign-in link/);
    await page.goto(link);
    await expect(page).toHaveURL("/notifications");
    await context.clearCookies();
    await page.goto(link);
    await expect(page).toHaveURL(/\/sign-in\?error=INVALID_TOKEN/);
    await expect(page.getByRole("alert").filter({ hasText: "no longer valid" })).toBeVisible();
    await expectAccessible(page);
  });

  test("lists unread notices first and marks one or all as read", { tag: "@slow" }, async ({ page, app, person }) => {
    await page.goto("/notifications");
    await expect(page.getByRole("heading", { name: "No notifications" })).toBeVisible();
    await signIn(app.url, person);
    await call(app, "/change-password", { currentPassword: person.password, newPassword: "another horse battery" }, person.cookieHeader);
    await call(app, "/change-email", { newEmail: freshEmail() }, person.cookieHeader);
    const convex = await deploymentAs(app, person);
    const unread = () => convex.query(api.notices.getUnreadCount, {});
    await expect.poll(unread).toBe(3);
    await page.goto("/notifications");
    await ready(page);
    await expectAccessible(page);
    const titles = page.getByRole("article").getByRole("heading");
    await expect(titles).toHaveText([/Email address changed/, /Password changed/, /New sign-in/]);
    await expect(page.getByRole("main").getByText("3 unread")).toBeVisible();

    await page.getByRole("button", { name: "Mark as read: Email address changed" }).click();
    await expect(page.getByRole("main").getByText("2 unread")).toBeVisible();
    await expect(titles).toHaveText([/Password changed/, /New sign-in/, /Email address changed/]);
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await expect(page.getByRole("button", { name: /Mark/ })).toHaveCount(0);
    await expect.poll(unread).toBe(0);
    await page.reload();
    await expect(page.getByText(/unread/i)).toHaveCount(0);

    const store = await storeOf(app);
    const at = Date.now();
    const session = (each: number) => ({
      id: `${person.id}-${each}`,
      token: `${person.id}-${each}`,
      userId: person.id,
      userAgent: `Browser ${each}`,
    });
    await Promise.all(
      Array.from({ length: 100 }, (_, each) =>
        store.create("sessions", { ...session(each), device: `device ${each}`, expiresAt: at + 3_600_000, createdAt: at, updatedAt: at }),
      ),
    );
    await expect.poll(unread).toBe(100);
    await page.goto("/notifications");
    await ready(page);
    await expect(page.getByRole("article")).toHaveCount(100);
    await page.getByRole("link", { name: "More notifications" }).click();
    await expect(page).toHaveURL(/\?after=0\./);
    await expect(titles).toHaveText([/Email address changed/, /Password changed/, /New sign-in/]);
    await page.getByRole("link", { name: "First notifications" }).click();
    await expect(page.getByRole("article")).toHaveCount(100);
  });
});

test("announces a sign-in from a new device in every open page and by email", async ({ page, app, person, mailbox }) => {
  await page.goto("/projects");
  await hydrated(page);
  const dot = page.getByText("Unread notifications");
  await expect(dot).toHaveCount(0);
  await signIn(app.url, person);
  await expect(dot).toHaveCount(1);
  await page.getByRole("button", { name: new RegExp(person.name) }).click();
  const link = page.getByRole("link", { name: "Notifications 1 unread" });
  await expect(link).toBeVisible();
  await expectAccessible(page);
  await link.click();
  await page.getByRole("button", { name: "Mark as read: New sign-in" }).click();
  await expect(dot).toHaveCount(0);
  expect((await mail(mailbox, person.email, /New sign-in/)).link).toMatch(/\/notifications$/);
});

test("email address links show their result in any browser", async ({ page, app, person, mailbox }) => {
  await page.goto("/account");
  await page.getByRole("link", { name: "Verify it" }).click();
  await expect(page.getByLabel("Email")).toHaveValue(person.email);
  await page.getByRole("button", { name: "Send verification link" }).click();
  const confirm = await mail(mailbox, person.email, /Verify your email/, 1);
  await page.goto(confirm.link);
  await expect(page).toHaveURL("/verify-email?state=confirmed");
  await expect(page.getByRole("heading", { name: "Email address verified" })).toBeVisible();
  await expectAccessible(page);
  await page.goto("/account");
  await expect(page.getByText("which is verified")).toBeVisible();

  const newEmail = freshEmail();
  expect((await call(app, "/change-email", { newEmail }, person.cookieHeader)).status).toBe(200);
  await page.goto((await mail(mailbox, person.email, /email address change/)).link);
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await page.goto((await mail(mailbox, newEmail, /new email/)).link);
  await expect(page.getByRole("heading", { name: "Email address changed" })).toBeVisible();
  await page.goto("/account");
  await expect(page.getByRole("main").getByText(newEmail).first()).toBeVisible();

  await page.goto(confirm.link.replace(/token=[^&]+/, "token=nonsense"));
  await expect(page.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible();
});

base.describe("with verification required", () => {
  for (const javaScriptEnabled of [true, false]) {
    base(
      `signing in waits for the address, ${javaScriptEnabled ? "with" : "without"} JavaScript`,
      { tag: "@slow" },
      async ({ browser }) => {
        const mailbox = await startMailbox();
        const app = await startApp({ SMTP_URL: mailbox.url, ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" });
        const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled });
        const page = await context.newPage();
        const ready = () => (javaScriptEnabled ? hydrated(page) : undefined);
        const email = freshEmail();
        const password = "correct horse battery";

        await page.goto("/sign-up");
        await ready();
        await page.getByLabel("Name").fill("Grace Hopper");
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Create account" }).click();
        await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
        await mail(mailbox, email, /Verify your email/);

        await page.goto("/sign-in");
        await ready();
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await expect(page.getByLabel("Email")).toHaveAccessibleDescription(/Email not verified/);
        await expect(page.getByLabel("Email")).toHaveValue(email);
        const second = await mail(mailbox, email, /Verify your email/, 1);
        await page.getByRole("button", { name: "Resend link" }).click();
        await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
        await mail(mailbox, email, /Verify your email/, 2);

        await page.goto(second.link);
        await expect(page.getByRole("heading", { name: "Email address verified" })).toBeVisible();
        await page.goto("/sign-in");
        await ready();
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await expect(page).toHaveURL("/projects");
        await context.close();
        await app.dispose();
        await mailbox.close();
      },
    );
  }
});

base("an address is left in peace after an email, and the page says for how long", { tag: "@slow" }, async ({ browser, launch }) => {
  const mailbox = await startMailbox();
  const app = await launch({ SMTP_URL: mailbox.url, ACCOUNTS_RATE_LIMIT: "true" });
  const page = await openBrowser(browser, app);
  const email = freshEmail();
  for (const time of ["first", "second"]) {
    await page.goto("/forgot-password");
    await hydrated(page);
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send reset link" }).click();
    if (time === "first") {
      await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
      await expect(page.getByRole("button", { name: /Resend email \(in \d+ s\)/ })).toBeVisible();
    }
  }
  await expect(page.getByText(/Too many attempts\. Try again in \d+ seconds\./)).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue(email);
  await page.context().close();
  await mailbox.close();
});

base.describe("without a mail server", () => {
  base("nothing that needs email is offered, and there is no outbox", async ({ page, request }) => {
    await page.goto("/sign-in");
    await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
    await expect(page.getByText(/link|Forgot/)).toHaveCount(0);
    await page.goto("/forgot-password");
    await expect(page.getByText("This installation does not send email.")).toBeVisible();
    await expect(page.getByLabel("Email")).toHaveCount(0);
    expect((await request.get("/dev/outbox")).status()).toBe(404);
  });
});

base("email that was written before a crash is sent after it", { tag: "@slow" }, async ({ launch }) => {
  base.slow();
  const mailbox = await startMailbox();
  mailbox.refuseWith({ code: 451, message: "not now" });
  const app = await launch({ SMTP_URL: mailbox.url });
  const email = freshEmail();
  await call(app, "/sign-up/email", { name: "Ada", email, password: "correct horse battery" });
  await expect.poll(() => app.output()).toMatch(/"attempts":1.*"an email could not be sent"/);
  expect(app.output()).not.toContain(email);
  await app.kill();
  mailbox.refuseWith(null);
  await app.start();
  await expect.poll(() => mailbox.for(email).length, { timeout: 90_000 }).toBe(1);
  await mailbox.close();
});
