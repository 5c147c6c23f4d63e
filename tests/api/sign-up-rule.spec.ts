import { randomUUID } from "node:crypto";
import type { RunningApp } from "../harness/app.ts";
import type { SocialServer } from "../harness/services/oidc.ts";
import type { Store } from "../harness/store.ts";
import { type Answer, member, Program, text, through } from "./support/program.ts";
import { withSettings } from "./support/switches.ts";
import { expect, test } from "./support/test.ts";

type Fixtures = { app: RunningApp; store: Store; social: SocialServer };
type Invitee = { email: string; invitation?: string; isVerified?: boolean };

const password = "correct horse battery";
const freshEmail = () => `${randomUUID()}@example.com`;
const result = (answer: Answer) => (answer.status === 200 ? "created" : `${answer.status} ${text(answer, "code")}`);

async function byEmail({ app }: Fixtures, { email, invitation }: Invitee): Promise<string> {
  return result(await new Program(app).post("/sign-up/email", { name: "Ada", email, password, invitation }));
}

async function byForm({ app }: Fixtures, { email, invitation }: Invitee): Promise<string> {
  const search = invitation === undefined ? "" : `?${new URLSearchParams({ invitation })}`;
  const response = await fetch(`${app.url}/sign-up${search}`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: app.url, "Sec-Fetch-Dest": "document" },
    body: new URLSearchParams({ name: "Ada", email, password }),
  });
  return `${response.status} ${response.headers.get("Location") ?? ""}`.trim();
}

async function byProvider({ app, social }: Fixtures, { email, invitation, isVerified = true }: Invitee): Promise<string | null> {
  const body = { callbackURL: "/projects", ...(invitation !== undefined && { additionalData: { invitation } }) };
  return through(new Program(app), social, social.identity({ email, email_verified: isVerified }), { body });
}

async function byIdToken({ app, social }: Fixtures, { email, invitation, isVerified = true }: Invitee): Promise<string> {
  const token = await social.idToken(social.identity({ email, email_verified: isVerified }));
  const more = invitation === undefined ? {} : { additionalData: { invitation } };
  return result(await new Program(app).post("/sign-in/social", { provider: "google", idToken: { token }, ...more }));
}

const page = async ({ app }: Fixtures, search = "") => (await fetch(`${app.url}/sign-up${search}`)).text();

async function expectNoAccount({ store }: Fixtures, email: string): Promise<void> {
  expect(await store.find("users", { email })).toEqual([]);
}

const verified = async ({ store }: Fixtures, email: string) => (await store.find("users", { email })).map((row) => row["emailVerified"]);

withSettings({ ACCOUNTS_SIGN_UP: "closed", SMTP_URL: "smtp://127.0.0.1:1" }, (started) => {
  test("closed: no method creates an account, even with an invitation", { tag: "@closed-sign-up" }, async ({ social }) => {
    const at = { ...started(), social };
    const email = freshEmail();
    const invitation = await at.store.invite(email);
    for (const invitee of [{ email }, { email, invitation }]) {
      expect(await byEmail(at, invitee)).toBe("403 SIGN_UP_CLOSED");
      expect(await byForm(at, invitee)).toBe("403");
      expect(await byProvider(at, invitee)).toMatch(/^\/error\?error=sign_up_closed&/);
      expect(await byIdToken(at, invitee)).toBe("403 SIGN_UP_CLOSED");
    }
    await expectNoAccount(at, email);
    for (const search of ["", `?invitation=${invitation}`]) {
      const html = await page(at, search);
      expect(html).toContain("This installation accepts no new accounts.");
      expect(html).not.toContain('name="password"');
      expect(html).not.toContain("Continue with");
    }
    expect(await (await fetch(`${at.app.url}/sign-in`)).text()).not.toContain("Create an account");
  });

  test("closed: users sign in and link providers", { tag: "@closed-sign-in" }, async ({ social }) => {
    const { app, store } = started();
    const email = freshEmail();
    await store.create("users", { id: email, name: "Ada", email, emailVerified: true, createdAt: 1, updatedAt: 1 });
    const ada = new Program(app);
    expect(await through(ada, social, social.identity({ email }))).toBe("/projects");
    const gitlab = social.identity({ email });
    const link = { provider: "gitlab", path: "/link-social", body: { callbackURL: "/account" } } as const;
    expect(await through(ada, social, gitlab, link)).toBe("/account");
    const { token } = Object(await ada.get("/one-time-token/generate")).body;
    expect((await new Program(app).post("/one-time-token/verify", { token })).status).toBe(200);
  });
});

withSettings({ ACCOUNTS_SIGN_UP: "invited", SMTP_URL: "smtp://127.0.0.1:1" }, (started) => {
  test("invited: no method creates an account without an invitation", { tag: "@uninvited-sign-up" }, async ({ social }) => {
    const at = { ...started(), social };
    const email = freshEmail();
    expect(await byEmail(at, { email })).toBe("403 INVITATION_REQUIRED");
    expect(await byForm(at, { email })).toBe("403");
    expect(await byProvider(at, { email })).toMatch(/^\/error\?error=invitation_required&/);
    expect(await byIdToken(at, { email })).toBe("403 INVITATION_REQUIRED");
    for (const [path, body] of [
      ["/sign-in/email-otp", { email, otp: "123456" }],
      ["/email-otp/send-verification-otp", { email, type: "sign-in" }],
      ["/sign-in/magic-link", { email, callbackURL: "/projects" }],
    ] as const)
      await new Program(at.app).post(path, body);
    await expectNoAccount(at, email);
    const html = await page(at);
    expect(html).toContain("You need an invitation to create an account.");
    expect(html).not.toContain('name="password"');
    expect(html).not.toContain("Continue with");
  });

  test("invited: a token creates one account with a verified address", { tag: "@invited-sign-up" }, async ({ social }) => {
    const at = { ...started(), social };
    for (const [method, expected] of [
      [byEmail, "created"],
      [byForm, "303 /projects"],
      [byProvider, "/projects"],
      [byIdToken, "created"],
    ] as const) {
      const email = freshEmail();
      const invitation = await at.store.invite(email);
      const html = await page(at, `?invitation=${invitation}`);
      expect(html).toContain(`value="${email}"`);
      expect(await method(at, { email: freshEmail(), invitation }), method.name).toMatch(/invitation_invalid|INVITATION_INVALID|^403$/);
      expect(await method(at, { email, invitation, isVerified: false }), method.name).toBe(expected);
      expect(await verified(at, email), method.name).toEqual([true]);
      expect(await page(at, `?invitation=${invitation}`)).toContain("This invitation was already used");
      const used = await byEmail(at, { email, invitation });
      expect(used).toBe("403 INVITATION_INVALID");
    }
  });

  test("invited: a provider needs no token for an address that it verified", { tag: "@invited-provider" }, async ({ social }) => {
    const at = { ...started(), social };
    for (const method of [byProvider, byIdToken]) {
      const email = freshEmail();
      await at.store.invite(email);
      expect(await method(at, { email, isVerified: false })).toMatch(/invitation_required|INVITATION_REQUIRED/);
      await expectNoAccount(at, email);
      expect(await method(at, { email })).toMatch(/^(\/projects|created)$/);
    }
  });

  test("invited: answers reveal neither accounts nor invitations", { tag: "@invited-reveals-nothing" }, async ({ social }) => {
    const at = { ...started(), social };
    const [taken, invited, unknown] = [freshEmail(), freshEmail(), freshEmail()];
    expect(await byEmail(at, { email: taken, invitation: await at.store.invite(taken) })).toBe("created");
    await at.store.invite(invited);
    for (const email of [taken, invited, unknown]) {
      expect(await byEmail(at, { email })).toBe("403 INVITATION_REQUIRED");
      expect(await byEmail(at, { email, invitation: "x".repeat(32) })).toBe("403 INVITATION_INVALID");
    }
  });

  test("invited: one of two concurrent uses of a token creates an account", { tag: "@invitation-concurrent" }, async ({ social }) => {
    const at = { ...started(), social };
    const email = freshEmail();
    const invitation = await at.store.invite(email);
    const results = await Promise.all([1, 2, 3].map(() => byEmail(at, { email, invitation })));
    expect(results.filter((each) => each === "created")).toHaveLength(1);
    expect(await at.store.find("users", { email })).toHaveLength(1);
  });

  test("invited: opening the link accepts nothing", { tag: "@invitation-get" }, async ({ social }) => {
    const at = { ...started(), social };
    const email = freshEmail();
    const invitation = await at.store.invite(email);
    for (const method of ["HEAD", "GET", "GET"])
      expect((await fetch(`${at.app.url}/sign-up?invitation=${invitation}`, { method })).status).toBe(200);
    await expectNoAccount(at, email);
    expect(await byEmail(at, { email: email.toUpperCase(), invitation })).toBe("created");
  });
});

withSettings({ ACCOUNTS_SIGN_UP: "invited", ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true", SMTP_URL: "smtp://127.0.0.1:1" }, (started) => {
  test("invited: a token signs in at once where verification is required", { tag: "@invited-verified" }, async () => {
    const { app, store } = started();
    const email = freshEmail();
    const program = new Program(app);
    const body = { name: "Ada", email, password, invitation: await store.invite(email) };
    expect((await program.post("/sign-up/email", body)).body).toMatchObject({ token: expect.any(String), user: { emailVerified: true } });
    expect(await program.signedIn()).toBe(true);
  });
});

test("open: an invitation is optional and verifies its address", { tag: "@open-sign-up" }, async ({ app, store, social }) => {
  const at = { app, store, social };
  const [email, other] = [freshEmail(), freshEmail()];
  const invitation = await store.invite(email);
  expect(await byEmail(at, { email: other, invitation })).toBe("created");
  expect(await verified(at, other)).toEqual([false]);
  expect(await byEmail(at, { email, invitation })).toBe("created");
  expect(await verified(at, email)).toEqual([true]);
  expect((await member(app)).id).toBeTruthy();
});
