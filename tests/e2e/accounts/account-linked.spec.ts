import { randomUUID } from "node:crypto";
import type { BrowserContext, Locator, Page } from "@playwright/test";
import { Program, through } from "../../api/support/program.ts";
import { startApp } from "../../harness/app.ts";
import type { Mailbox } from "../../harness/services/mailbox.ts";
import type { Identity, SocialServer } from "../../harness/services/oidc.ts";
import { mailboxOfWorker, socialOfWorker } from "../../harness/services/servers.ts";
import { type Store, storeOf } from "../../harness/store.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test as base } from "../../harness/test.ts";

const test = base.extend<object, { mailbox: Mailbox; social: SocialServer; store: Store }>({
  mailbox: mailboxOfWorker,
  social: socialOfWorker,
  app: [
    async ({ mailbox, social }, use) => {
      const app = await startApp({ ...social.settings, SMTP_URL: mailbox.url });
      await use(app);
      await app.dispose();
    },
    { scope: "worker" },
  ],
  store: [async ({ app }, use) => use(await storeOf(app)), { scope: "worker" }],
});

async function signInBy(program: Program, social: SocialServer, context: BrowserContext): Promise<Identity> {
  const identity = social.identity();
  await through(program, social, identity);
  const url = program.app.url;
  await context.addCookies([...program.cookies].map(([name, value]) => ({ name, value, url })));
  return identity;
}

const PROVIDER = "https://accounts.google.com/";

async function consenting(page: Page, social: SocialServer, identity: Identity) {
  await page.route(`${PROVIDER}**`, async (route) => {
    await route.fulfill({ status: 302, headers: { Location: await social.consent(route.request().url(), identity) } });
  });
}

async function withFingerprint(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const;
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
}

const LONG_AGO = Date.now() - 3 * 24 * 60 * 60 * 1000;

async function mailed(mailbox: Mailbox, to: string, subject: RegExp) {
  const found = () => mailbox.for(to).find((each) => subject.test(each.subject));
  await expect.poll(() => found()?.link, `a mail to ${to} about ${subject}`).toBeTruthy();
  return found()?.link ?? "";
}

withAndWithoutJavaScript((javaScript) => {
  const open = async (page: Page, path: string) => {
    await page.goto(path);
    if (javaScript) await hydrated(page);
  };

  const NEW_EMAIL = `${javaScript ? "with" : "without"}-${randomUUID()}@example.com`;
  const SENSITIVE: { at: string; typed?: [label: string, text: string]; press: string; done: (page: Page) => Locator; scripted?: true }[] =
    [
      { at: "/account/connections", press: "Link Google", done: (page) => page.getByRole("button", { name: "Unlink Google" }) },
      { at: "/account/connections", press: "Unlink Google", done: (page) => page.getByText("so it cannot be removed") },
      {
        at: "/account/security",
        typed: ["Passkey name", "My laptop"],
        press: "Add a passkey",
        done: (page) => page.getByRole("heading", { name: "My laptop" }),
        scripted: true,
      },
      {
        at: "/account",
        typed: ["New email", NEW_EMAIL],
        press: "Change email",
        done: (page) => page.getByText(`Email changed to ${NEW_EMAIL}.`),
      },
    ];

  test(
    "asks for the password in place when the session is stale, then continues",
    { tag: ["@asks-password-place-when-session-stale", "@slow"] },
    async ({ page, person, social, store }) => {
      await consenting(page, social, social.identity({ email: person.email }));
      if (javaScript) await withFingerprint(page);
      for (const { at, typed, press, done, scripted } of SENSITIVE) {
        if (scripted && !javaScript) continue;
        await store.change("sessions", { userId: person.id }, { createdAt: LONG_AGO });
        await open(page, at);
        await expectAccessible(page);
        const form = page.locator("form").filter({ has: page.getByRole("button", { name: press }) });
        const password = form.getByLabel("Your password");
        if (typed) await page.getByLabel(typed[0]).fill(typed[1]);
        await page.getByRole("button", { name: press }).click();
        await expect(page.getByText("Enter your password to continue.")).toBeVisible();
        await expectAccessible(page);
        await password.fill("wrong horse");
        await page.getByRole("button", { name: press }).click();
        await expect(form.getByText("Invalid password")).toBeVisible();
        if (typed) await expect(page.getByLabel(typed[0])).toHaveValue(typed[1]);
        await password.fill(person.password);
        await page.getByRole("button", { name: press }).click();
        await expect(done(page)).toBeVisible();
      }
    },
  );

  test(
    "sets a first password only after a fresh sign-in",
    { tag: ["@sets-first-password-only-after-fresh", "@slow"] },
    async ({ page, context, app, social, store }) => {
      const program = new Program(app);
      const identity = await signInBy(program, social, context);
      const [user] = await store.find("users", { email: identity.email });
      await open(page, "/account/connections");
      await expect(page.getByText("Set a password or link another account first.")).toBeVisible();

      await open(page, "/account/security");
      await expect(page.getByText("Two-factor authentication requires a password")).toBeVisible();
      await expectAccessible(page);
      await store.change("sessions", { userId: String(user?.["id"]) }, { createdAt: LONG_AGO });
      await page.getByLabel("New password").fill("a first correct horse");
      await page.getByRole("button", { name: "Set password" }).click();
      await expect(page.getByRole("button", { name: "Sign in again" })).toBeVisible();
      await expect(page.getByText("Enter your password to continue.")).toHaveCount(0);
      await expectAccessible(page);
      await page.getByRole("button", { name: "Sign in again" }).click();
      await expect(page).toHaveURL("/sign-in?redirectTo=%2Faccount%2Fsecurity");
      if (javaScript) await hydrated(page);
      await consenting(page, social, identity);
      await page.getByRole("button", { name: "Google" }).click();
      await expect(page).toHaveURL("/account/security");
      if (javaScript) await hydrated(page);
      await page.getByLabel("New password").fill("a first correct horse");
      await page.getByRole("button", { name: "Set password" }).click();
      await expect(page.getByText("You can now sign in with your password.")).toBeVisible();
      await expect(page.getByRole("button", { name: "Change password" })).toBeVisible();
      const answer = await new Program(app).post("/sign-in/email", { email: identity.email, password: "a first correct horse" });
      expect(answer.status).toBe(200);
    },
  );

  test("changes a verified address after both addresses have confirmed", async ({ page, person, store, mailbox }) => {
    await store.change("users", { id: person.id }, { emailVerified: true });
    await page.context().clearCookies({ name: "atelier.convex_token" });
    await open(page, "/account");
    const fresh = `new-${person.email}`;
    await page.getByLabel("New email").fill(fresh);
    await page.getByRole("button", { name: "Change email" }).click();
    await expect(page.getByText(`We sent an email to ${person.email}.`)).toBeVisible();
    await page.goto(await mailed(mailbox, person.email, /email address change/));
    await page.goto(await mailed(mailbox, fresh, /new email address/));
    await open(page, "/account");
    await expect(page.getByRole("main").getByText(fresh)).toBeVisible();
  });

  test(
    "deletes an account by an emailed link, also when opened signed out",
    { tag: "@deletes-account-emailed-link-also-when" },
    async ({ page, person, mailbox, store, context }) => {
      await open(page, "/account/data");
      await page.getByLabel(/^Type .* to confirm$/).fill(person.email);
      await page.getByLabel("Your password").fill(person.password);
      await page.getByRole("button", { name: "Delete account" }).click();
      await expect(page.getByText(`We sent an email to ${person.email}.`)).toBeVisible();
      expect(await store.find("users", { id: person.id })).toHaveLength(1);
      const link = await mailed(mailbox, person.email, /delet/i);
      await context.clearCookies();
      await page.goto(link);
      await expect(page).toHaveURL(/\/sign-in\?redirectTo=/);
      if (javaScript) await hydrated(page);
      await page.getByLabel("Email", { exact: true }).fill(person.email);
      await page.getByLabel("Password", { exact: true }).fill(person.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await expect(page).toHaveURL("/sign-in");
      expect(await store.find("users", { id: person.id })).toEqual([]);
    },
  );

  test("sends the second factor by email, too", async ({ page, person, mailbox, store, context }) => {
    await store.create("twoFactors", {
      id: `factor of ${person.id}`,
      userId: person.id,
      secret: "none",
      backupCodes: "none",
      verified: true,
    });
    await store.change("users", { id: person.id }, { twoFactorEnabled: true });
    await context.clearCookies();
    await open(page, "/sign-in");
    await page.getByLabel("Email", { exact: true }).fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL("/two-factor");
    if (javaScript) await hydrated(page);
    await page.getByRole("link", { name: "Get a code by email" }).click();
    await expect(page).toHaveURL(/by=email/);
    if (javaScript) await hydrated(page);
    await page.getByRole("button", { name: "Send code" }).click();
    await expect(page.getByText("It can take a minute to arrive.")).toBeVisible();
    const code = () =>
      mailbox
        .for(person.email)
        .map(({ text }) => /\b(\d{6})\b/.exec(text)?.[1])
        .find(Boolean);
    await expect.poll(code).toBeTruthy();
    await page.getByLabel("Code").fill(code() ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page).toHaveURL("/projects");
  });
});
