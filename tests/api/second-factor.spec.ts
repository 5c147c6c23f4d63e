import { randomUUID } from "node:crypto";
import { nextTotp, totp } from "../e2e/support/totp.ts";
import { expect, test } from "./support/mailed.ts";
import { softPasskey } from "./support/passkey.ts";
import { signInAgain, member, Program, text, through } from "./support/program.ts";
import { enableSecondFactor, secretOf, turnOn } from "./support/second-factor.ts";

test("stores the secret and the backup codes encrypted", { tag: "@stores-secret-backup-codes-encrypted" }, async ({ ada, store }) => {
  const { secret, backup } = await turnOn(ada);
  const [row] = await store.find("twoFactors", { userId: ada.id });
  for (const field of ["secret", "backupCodes"]) expect(row?.[field], field).toMatch(/^(\$ba\$\d+\$)?[0-9a-f]{60,}$/);
  for (const plain of [secret, ...backup]) expect(JSON.stringify(row)).not.toContain(plain);
});

test(
  "no provider bypasses the second factor, whether linked before or after",
  { tag: "@no-provider-bypasses-second-factor-whether" },
  async ({ social, app, ada, verify }) => {
    await verify(ada);
    const linked = social.identity({ email: ada.email });
    await through(ada.program, social, linked, { path: "/link-social" });
    const { secret } = await turnOn(ada);

    const program = new Program(app);
    const wanted = { callbackURL: "/projects?tab=1", newUserCallbackURL: "/account" };
    expect(await through(program, social, linked, { body: wanted })).toBe(
      `/two-factor?${new URLSearchParams({ redirectTo: "/projects?tab=1" })}`,
    );
    expect(await program.signedIn()).toBe(false);
    expect((await program.get("/list-accounts")).status).toBe(401);
    const page = await fetch(`${app.url}/projects`, { headers: { Cookie: program.cookieHeader }, redirect: "manual" });
    expect(page.headers.get("Location")).toMatch(/^\/sign-in/);

    const other = new Program(app);
    await through(other, social, social.identity({ email: ada.email }), { provider: "gitlab" });
    expect(await other.signedIn()).toBe(false);

    const byToken = new Program(app);
    const answer = await byToken.post("/sign-in/social", { provider: "google", idToken: { token: await social.idToken(linked) } });
    expect(answer.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ["totp", "otp"] });
    expect(await byToken.signedIn()).toBe(false);

    expect((await program.post("/two-factor/verify-totp", { code: nextTotp(secret) })).status).toBe(200);
    expect(await program.signedIn()).toBe(true);
  },
);

test(
  "a passkey counts as both factors only with user verification",
  { tag: "@passkey-counts-both-factors-only-user" },
  async ({ app, ada, store }) => {
    await turnOn(ada);
    const passkey = softPasskey(ada.id);
    await store.create("passkeys", passkey.row);
    const touched = new Program(app);
    const answer = await passkey.signIn(touched, { verified: false });
    expect([answer.status, text(answer, "code")]).toEqual([401, "USER_NOT_VERIFIED"]);
    expect(await touched.signedIn()).toBe(false);
    const held = new Program(app);
    expect((await passkey.signIn(held, { verified: true })).status).toBe(200);
    expect(await held.signedIn()).toBe(true);
  },
);

test("email change links do not sign in or bypass the second factor", async ({ app, ada, mailbox, changeLink, linkTo, verify }) => {
  await verify(ada);
  await turnOn(ada);
  const newEmail = `${randomUUID()}@example.com`;
  await ada.program.post("/change-email", { newEmail });
  const elsewhere = new Program(app);
  const confirmation = await changeLink(ada, newEmail);
  for (const link of [confirmation, await elsewhere.get(confirmation).then(() => linkTo(newEmail, "/verify-email"))]) {
    expect((await elsewhere.get(link)).status).toBe(302);
    expect(await elsewhere.signedIn()).toBe(false);
  }
  expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: newEmail, emailVerified: true } });
  expect(mailbox.for(ada.email).filter(({ subject }) => /sign-in/i.test(subject))).toEqual([]);
});

test(
  "a device is no longer trusted once the second factor is turned off",
  { tag: "@trusted-device-forgotten-once-second-factor" },
  async ({ ada, store }) => {
    const { secret } = await turnOn(ada);
    const trusted = await signInAgain(ada);
    await trusted.post("/two-factor/verify-totp", { code: nextTotp(secret), trustDevice: true });
    const enter = async () => {
      trusted.cookies.delete("atelier.session_token");
      await trusted.post("/sign-in/email", { email: ada.email, password: ada.password });
      return trusted.signedIn();
    };
    expect(await enter()).toBe(true);
    const kept = async () =>
      (await store.find("verifications", { value: ada.id })).filter(({ identifier }) => String(identifier).startsWith("trust-device-"));
    expect(await kept()).toHaveLength(1);
    await ada.program.post("/two-factor/disable", { password: ada.password });
    await expect.poll(kept).toEqual([]);
    await turnOn(ada);
    expect(await enter()).toBe(false);
  },
);

test("a device is trusted only for its owner", { tag: "@trusted-device-counts-owner-alone" }, async ({ app, ada }) => {
  const bob = await member(app);
  const { secret } = await turnOn(ada);
  await turnOn(bob);
  const trusted = await signInAgain(ada);
  await trusted.post("/two-factor/verify-totp", { code: nextTotp(secret), trustDevice: true });
  trusted.cookies.delete("atelier.session_token");
  await trusted.post("/sign-in/email", { email: bob.email, password: bob.password });
  expect(await trusted.signedIn()).toBe(false);
});

test("limits guesses across all challenges", { tag: "@limits-guesses-across-challenges" }, async ({ ada }) => {
  await turnOn(ada);
  const statuses = new Set<number>();
  for (let challenge = 0; challenge < 3; challenge++) {
    const program = await signInAgain(ada);
    for (let guess = 0; guess < 5; guess++) {
      statuses.add((await program.post("/two-factor/verify-backup-code", { code: `aaaaa-${challenge}${guess}aaa` })).status);
    }
  }
  expect([...statuses]).toEqual([401, 429]);
});

test(
  "a second factor is required after a sign-in link, a code and a password",
  { tag: "@second-factor-required-after-sign-link" },
  async ({ app, ada, store, mailbox, codeTo }) => {
    await enableSecondFactor(ada, store);

    const byPassword = await signInAgain(ada);
    expect(await byPassword.signedIn()).toBe(false);

    const byLink = new Program(app);
    await byLink.post("/sign-in/magic-link", { email: ada.email, callbackURL: "/projects?tab=1", errorCallbackURL: "/sign-in" });
    await expect.poll(() => mailbox.for(ada.email).some(({ link }) => link.includes("magic-link"))).toBe(true);
    const link = mailbox.for(ada.email).find(({ link }) => link.includes("magic-link"))?.link ?? "";
    const opened = await byLink.get(link);
    expect([opened.status, opened.location]).toEqual([302, `/two-factor?redirectTo=${encodeURIComponent("/projects?tab=1")}`]);
    expect(await byLink.signedIn()).toBe(false);
    expect(await new Program(app).get(link).then(({ location }) => location)).toMatch(/error=/);

    const byCode = new Program(app);
    await byCode.post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
    const code = await codeTo(ada.email);
    const entered = await byCode.post("/sign-in/email-otp", { email: ada.email, otp: code });
    expect(entered.body).toMatchObject({ twoFactorRedirect: true });
    expect(await byCode.signedIn()).toBe(false);
  },
);

test(
  "confirming the second factor returns the new session's token",
  { tag: "@confirming-second-factor-returns-new-sessions" },
  async ({ ada }) => {
    const secret = secretOf(await ada.program.post("/two-factor/enable", { password: ada.password }));
    const answer = await ada.program.post("/two-factor/verify-totp", { code: totp(secret) });
    const current = await ada.program.get("/get-session");
    expect(text(answer, "token")).toBe(text(current, "session", "token"));
    expect(answer.body).toMatchObject({ user: { id: ada.id, twoFactorEnabled: true } });
    const program = await signInAgain(ada);
    expect((await program.get("/get-session")).body).toBeNull();
    const signedIn = await program.post("/two-factor/verify-totp", { code: nextTotp(secret) });
    expect(text(signedIn, "token")).toBe(text(await program.get("/get-session"), "session", "token"));
  },
);
