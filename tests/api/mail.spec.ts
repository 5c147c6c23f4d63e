import { createHash, randomUUID } from "node:crypto";
import { totp } from "../e2e/support/totp.ts";
import type { Store } from "../harness/store.ts";
import { expect, test } from "./support/mailed.ts";
import { softPasskey } from "./support/passkey.ts";
import { signInAgain, member, Program, text, through } from "./support/program.ts";
import { secretOf } from "./support/second-factor.ts";

const MINUTE = 60_000;
const ROUNDED = 1000;

const endOf = async (store: Store, identifier: string): Promise<number> => {
  const [row] = await store.find("verifications", { identifier });
  return Number(row?.["expiresAt"]);
};

function expectLasts(end: number, minutes: number, [before, after]: readonly [number, number]): void {
  expect(end).toBeGreaterThanOrEqual(before + minutes * MINUTE - ROUNDED);
  expect(end).toBeLessThanOrEqual(after + minutes * MINUTE);
}

for (const path of ["/request-password-reset", "/forget-password"]) {
  test(
    `POST ${path}: one answer for all addresses, and a link valid for an hour`,
    { tag: "@post-answer-addresses-link-valid-hour" },
    async ({ app, ada, store, linkTo }) => {
      const nobody = new Program(app);
      const answer = { status: true, message: "If this email exists in our system, check your email for the reset link" };
      expect((await nobody.post(path, { email: `${randomUUID()}@example.com` })).body).toEqual(answer);
      const before = Date.now();
      expect((await nobody.post(path, { email: ada.email, redirectTo: "/reset-password" })).body).toEqual(answer);
      const after = Date.now();

      const link = await linkTo(ada.email, "/reset-password/");
      const token = /\/reset-password\/([^?]+)\?/.exec(link)?.[1] ?? "";
      expect(token).toMatch(/^[A-Za-z0-9]{24}$/);
      expectLasts(await endOf(store, `reset-password:${token}`), 60, [before, after]);
      expect((await nobody.get(link)).location).toBe(`${app.url}/reset-password?token=${token}`);
      expect((await nobody.post("/reset-password", { newPassword: "a fine password", token })).body).toEqual({ status: true });
      expect(await ada.program.signedIn()).toBe(false);
      expect((await nobody.get(link)).location).toBe(`${app.url}/reset-password?error=INVALID_TOKEN`);
    },
  );
}

test(
  "POST /delete-user: emails a token of 32 characters, valid for a day",
  { tag: "@post-delete-user-mails-token-32" },
  async ({ app, ada, store, linkTo }) => {
    const before = Date.now();
    const answer = await ada.program.post("/delete-user", { password: ada.password, callbackURL: "/sign-up" });
    const after = Date.now();
    expect(answer.body).toEqual({ success: true, message: "Verification email sent" });
    const link = await linkTo(ada.email, "/delete-user/callback");
    const token = new URL(link).searchParams.get("token") ?? "";
    expect(token).toMatch(/^[0-9a-z]{32}$/);
    expectLasts(await endOf(store, `delete-account-${token}`), 24 * 60, [before, after]);
    expect(await ada.program.signedIn()).toBe(true);

    const bob = await member(app);
    expect((await bob.program.get(link)).status).toBe(404);
    expect(await store.find("users", { id: ada.id })).toHaveLength(1);
  },
);

test(
  "GET /delete-user/callback: deletes, clears the cookies, and redirects",
  { tag: "@get-delete-user-callback-deletes-clears" },
  async ({ ada, store, linkTo }) => {
    await ada.program.post("/delete-user", { callbackURL: "/sign-up" });
    const answer = await ada.program.get(await linkTo(ada.email, "/delete-user/callback"));
    expect([answer.status, answer.location]).toEqual([302, "/sign-up"]);
    expect(await store.find("users", { id: ada.id })).toEqual([]);
    expect([...ada.program.cookies.keys()].filter((name) => /session/.test(name))).toEqual([]);
  },
);

test(
  "POST /send-verification-email and GET /verify-email",
  { tag: "@post-send-verification-email-get-verify" },
  async ({ app, ada, linkTo }) => {
    expect((await ada.program.post("/send-verification-email", { email: ada.email, callbackURL: "/account" })).body).toEqual({
      status: true,
    });
    const link = await linkTo(ada.email, "/verify-email");
    expect((await ada.program.get(link)).status).toBe(302);
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { emailVerified: true } });
    expect((await new Program(app).get("/verify-email?token=nonsense&callbackURL=%2Fverify-email")).location).toMatch(
      /error=INVALID_TOKEN/i,
    );
  },
);

test(
  "POST /change-email: changes an unverified address at once and emails the new one",
  { tag: "@post-change-email-unverified-user-once" },
  async ({ ada, linkTo }) => {
    const newEmail = `${randomUUID()}@example.com`;
    expect((await ada.program.post("/change-email", { newEmail })).body).toEqual({ status: true });
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: newEmail, emailVerified: false } });
    await linkTo(newEmail, "/verify-email");
  },
);

test(
  "POST /change-email: emails the old address of a verified user first",
  { tag: "@post-change-email-verified-user-mails" },
  async ({ ada, store, changeLink, linkTo }) => {
    await store.change("users", { id: ada.id }, { emailVerified: true });
    const newEmail = `${randomUUID()}@example.com`;
    expect((await ada.program.post("/change-email", { newEmail })).body).toEqual({ status: true });
    const address = async () => text(await ada.program.get("/get-session"), "user", "email");
    expect(await address()).toBe(ada.email);
    await ada.program.get(await changeLink(ada, newEmail));
    expect(await address()).toBe(ada.email);
    await ada.program.get(await linkTo(newEmail, "/verify-email"));
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: newEmail, emailVerified: true } });
  },
);

test(
  "emailed codes expire in 5 minutes, authenticator codes 30 seconds late",
  { tag: "@codes-expire-mailed-ones-5-minutes" },
  async ({ ada, store, codeTo, app }) => {
    const secret = secretOf(await ada.program.post("/two-factor/enable", { password: ada.password }));
    expect((await ada.program.post("/two-factor/verify-totp", { code: totp(secret) })).status).toBe(200);
    const program = await signInAgain(ada);
    const old = totp(secret, Date.now() - 3 * MINUTE);
    expect((await program.post("/two-factor/verify-totp", { code: old })).status).toBe(401);
    await program.post("/two-factor/send-otp");
    const sent = Date.now();
    const code = await codeTo(ada.email);
    const challenge = decodeURIComponent(program.cookies.get("atelier.two_factor") ?? "").split(".")[0] ?? "";
    const identifier = `2fa-otp-${challenge}`;
    expect(await endOf(store, identifier)).toBeLessThanOrEqual(sent + 5 * MINUTE);
    expect(await store.change("verifications", { identifier }, { expiresAt: Date.now() - 1 })).toBe(1);
    expect((await program.post("/two-factor/verify-otp", { code })).status).toBe(400);
    expect(await program.signedIn()).toBe(false);

    const bob = await member(app);
    await new Program(app).post("/email-otp/send-verification-otp", { email: bob.email, type: "sign-in" });
    const answered = Date.now();
    const signInCode = await codeTo(bob.email);
    const kept = `sign-in-otp-${bob.email}`;
    expect(await endOf(store, kept)).toBeLessThanOrEqual(answered + 5 * MINUTE);
    expect(await store.change("verifications", { identifier: kept }, { expiresAt: Date.now() - 1 })).toBe(1);
    expect((await new Program(app).post("/sign-in/email-otp", { email: bob.email, otp: signInCode })).status).toBe(400);
  },
);

test("stores emailed codes as hashes", { tag: "@stores-mailed-codes-hashes" }, async ({ ada, store, codeTo }) => {
  const identifier = `sign-in-otp-${ada.email}`;
  await ada.program.post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
  const code = await codeTo(ada.email);
  const [row] = await store.find("verifications", { identifier });
  expect(row?.["value"]).toMatch(/^[\w-]{43}:\d+$/);
  expect(JSON.stringify(row?.["value"])).not.toContain(code);
});

test("sends no code before the second factor is confirmed", { tag: "@sends-no-code-before-second-factor" }, async ({ ada, mailbox }) => {
  const refused = { code: "TWO_FACTOR_NOT_ENABLED", message: "Two factor isn't enabled" };
  for (const _state of ["off", "not confirmed"]) {
    for (const [path, body] of [
      ["/two-factor/send-otp", {}],
      ["/two-factor/verify-otp", { code: "000000" }],
    ] as const) {
      const answer = await ada.program.post(path, body);
      expect([answer.status, answer.body], path).toEqual([400, refused]);
    }
    await ada.program.post("/two-factor/enable", { password: ada.password });
  }
  expect(mailbox.for(ada.email).filter(({ text }) => /\b\d{6}\b/.test(text))).toEqual([]);
});

test(
  "POST /two-factor/send-otp emails a code that completes the sign-in",
  { tag: "@post-two-factor-send-otp" },
  async ({ ada, store, codeTo }) => {
    await ada.program.post("/two-factor/enable", { password: ada.password });
    await store.change("twoFactors", { userId: ada.id }, { verified: true });
    await store.change("users", { id: ada.id }, { twoFactorEnabled: true });
    const program = await signInAgain(ada);
    expect((await program.post("/two-factor/send-otp")).body).toEqual({ status: true });
    const code = await codeTo(ada.email);
    expect((await program.post("/two-factor/verify-otp", { code: "000000" })).status).toBe(401);
    expect((await program.post("/two-factor/verify-otp", { code })).status).toBe(200);
    expect(await program.signedIn()).toBe(true);
  },
);

test(
  "a sign-in link works once, is stored as a hash and creates no account",
  { tag: "@sign-link-works-once-stored-hash" },
  async ({ app, ada, store, linkTo }) => {
    const program = new Program(app);
    expect((await program.post("/sign-in/magic-link", { email: ada.email, callbackURL: "/projects" })).body).toEqual({ status: true });
    const link = await linkTo(ada.email, "/magic-link/verify");
    const token = new URL(link).searchParams.get("token") ?? "";
    const stored = async (value: string) => (await store.find("verifications", { identifier: `magic-link:${value}` })).length;
    expect([await stored(token), await stored(createHash("sha256").update(token).digest("base64url"))]).toEqual([0, 1]);
    expect((await program.get(link)).location).toMatch(/\/projects$/);
    expect(await program.signedIn()).toBe(true);
    const second = new Program(app);
    await second.get(link);
    expect(await second.signedIn()).toBe(false);

    const fresh = `${randomUUID()}@example.com`;
    expect((await program.post("/sign-in/magic-link", { email: fresh })).body).toEqual({ status: true });
    expect(await store.find("users", { email: fresh })).toEqual([]);
  },
);

test("emails a notice of each change of a sign-in method", async ({ social, app, ada, store, mailbox }) => {
  const onMessage = (subject: RegExp, to = ada.email) =>
    expect.poll(() => mailbox.for(to).some((mail) => subject.test(mail.subject)), { message: String(subject) }).toBe(true);
  const { program } = ada;
  await program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });
  await onMessage(/^Password changed/);
  const secret = secretOf(await program.post("/two-factor/enable", { password: "another fine password" }));
  expect((await program.post("/two-factor/verify-totp", { code: totp(secret) })).status).toBe(200);
  await onMessage(/^Two-factor authentication is on/);
  await program.post("/two-factor/disable", { password: "another fine password" });
  await onMessage(/^Two-factor authentication is off/);
  const passkey = softPasskey(ada.id);
  expect((await passkey.register(program, { verified: false })).status).toBe(401);
  expect(await store.find("passkeys", { userId: ada.id })).toEqual([]);
  expect((await passkey.register(program, { verified: true })).status).toBe(200);
  await onMessage(/^Passkey added/);
  expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(200);
  await through(program, social, social.identity({ email: ada.email }), { path: "/link-social" });
  await onMessage(/^Sign-in provider linked/);
  await program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
  await onMessage(/^Email address changed/);
});
