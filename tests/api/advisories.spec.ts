import { totp } from "../e2e/support/totp.ts";
import { expect, test } from "./support/test.ts";
import { signInAgain, Program, text, through } from "./support/program.ts";
import { enableSecondFactor, secretOf } from "./support/second-factor.ts";

test("rejects an ended session despite cached cookies (2FA bypass by cookie cache)", async ({ ada, store }) => {
  const program = await signInAgain(ada);
  const cookies = [...program.cookies.keys()];
  expect(cookies.some((name) => /session_data/.test(name))).toBe(false);
  await enableSecondFactor(ada, store);
  const challenged = await signInAgain(ada);
  expect(await challenged.signedIn()).toBe(false);
  expect((await challenged.get("/list-accounts")).status).toBe(401);
  expect((await challenged.post("/two-factor/disable", { password: ada.password })).status).toBe(401);
});

test(
  "OAuth state is not accepted as another token (CVE-2026-110862, CVE-2026-114607)",
  { tag: "@oauth-state-no-other-token-cve" },
  async ({ app, nobody, social }) => {
    const start = await nobody.post("/sign-in/social", { provider: "google" });
    const state = new URL(text(start, "url")).searchParams.get("state") ?? "";
    expect(social).toBeDefined();
    for (const token of [state, `auth-state:${state}`]) {
      const other = new Program(app);
      await other.get(`/magic-link/verify?token=${token}`);
      await other.get(`${app.url}/projects?ott=${token}`);
      expect(await other.signedIn()).toBe(false);
      expect((await other.post("/reset-password", { token, newPassword: "a new password" })).status).toBe(401);
    }
  },
);

test(
  "links no account without a proven address (automatic linking)",
  { tag: "@links-no-account-without-proven-address" },
  async ({ app, ada, social, store }) => {
    await store.change("users", { id: ada.id }, { emailVerified: true });
    const program = new Program(app);
    expect(await through(program, social, social.identity({ email: ada.email, email_verified: false }))).toMatch(
      /error=account_not_linked/,
    );
    expect(await program.signedIn()).toBe(false);
    const token = await social.idToken(social.identity({ email: ada.email, email_verified: false }));
    expect((await program.post("/sign-in/social", { provider: "google", idToken: { token } })).status).toBe(401);
  },
);

test("locks out a false claimant once the owner signs in by a provider", async ({ ada, social, app }) => {
  const owner = new Program(app);
  expect(await through(owner, social, social.identity({ email: ada.email }))).toBe("/projects");
  expect(await ada.program.signedIn()).toBe(false);
  expect(await (await signInAgain(ada)).signedIn()).toBe(false);
});

test("rejects fields that a user may not set", { tag: "@rejects-fields-user-may-not-set" }, async ({ ada, freshEmail, app, store }) => {
  await ada.program.post("/update-user", { name: "Ada", emailVerified: true, id: "1", twoFactorEnabled: true });
  expect((await ada.program.get("/get-session")).body).toMatchObject({
    user: { id: ada.id, emailVerified: false, twoFactorEnabled: false },
  });
  await new Program(app).post("/sign-up/email", {
    name: "Eve",
    email: freshEmail,
    password: "a fine password",
    emailVerified: true,
    id: "1",
    role: "admin",
  });
  const [row] = await store.find("users", { email: freshEmail });
  expect(row?.["emailVerified"] ?? false).toBe(false);
});

test("links no provider after the session that began it has ended", async ({ ada, social, store }) => {
  const start = await ada.program.post("/link-social", { provider: "google", callbackURL: "/account", errorCallbackURL: "/sign-in" });
  const back = await social.consent(text(start, "url"), social.identity({ email: ada.email }));
  await (await signInAgain(ada)).post("/revoke-other-sessions");
  expect((await ada.program.get(back)).location).toBe("/sign-in?error=unable_to_link_account");
  expect(await store.find("accounts", { userId: ada.id })).toMatchObject([{ providerId: "credential" }]);
  expect((await ada.program.post("/link-social", { provider: "google" })).status).toBe(401);
});

test('the text "false" from a provider is not a verified address', async ({ app, ada, bob, social, store }) => {
  await store.change("users", { id: ada.id }, { emailVerified: true });
  const claims = { email: ada.email, email_verified: "false" };
  for (const provider of ["google", "gitlab"] as const)
    expect(await through(new Program(app), social, social.identity(claims), { provider })).toMatch(/error=account_not_linked/);
  const token = await social.idToken(social.identity(claims));
  expect((await new Program(app).post("/sign-in/social", { provider: "google", idToken: { token } })).status).toBe(401);
  const own = await social.idToken(social.identity({ ...claims, email: bob.email }));
  expect((await bob.program.post("/link-social", { provider: "google", idToken: { token: own } })).status).toBe(401);

  const user = social.identity({ email_verified: "false" });
  await through(new Program(app), social, user);
  expect(await store.find("users", { email: user.email })).toMatchObject([{ emailVerified: false }]);
});

test("an ended session cannot enable or complete two-factor authentication", async ({ ada }) => {
  const other = await signInAgain(ada);
  const enabled = await other.post("/two-factor/enable", { password: ada.password });
  const code = totp(secretOf(enabled));
  await ada.program.post("/revoke-other-sessions");
  expect((await other.post("/two-factor/enable", { password: ada.password })).status).toBe(401);
  expect((await other.post("/two-factor/verify-totp", { code })).status).toBe(401);
  expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { twoFactorEnabled: false } });
});

test("revoking the current session clears its cookies", async ({ ada }) => {
  const session = (program: Program) => [...program.cookies.keys()].filter((name) => name.includes("session"));
  const [one, all] = [await signInAgain(ada), await signInAgain(ada)];
  expect(session(one)).not.toEqual([]);
  await one.post("/revoke-session", { token: text(await one.get("/get-session"), "session", "token") });
  expect(session(one)).toEqual([]);
  await all.post("/revoke-sessions");
  expect(session(all)).toEqual([]);
});

test.describe("an ID token", () => {
  const enter = async (program: Program, token: string) =>
    (await program.post("/sign-in/social", { provider: "google", idToken: { token } })).status;

  test(
    "is rejected without iss, sub, aud, exp or iat, or with another algorithm",
    { tag: "@rejected-without-iss-sub-aud-exp" },
    async ({ nobody, social }) => {
      const { sub, email } = social.identity();
      const now = Math.floor(Date.now() / 1000);
      const aud = social.settings["GOOGLE_CLIENT_ID"] ?? "";
      const claims = { iss: "https://accounts.google.com", sub, aud, exp: now + 600, iat: now, email, email_verified: true };
      for (const missing of ["iss", "sub", "aud", "exp", "iat"])
        expect(await enter(nobody, await social.signed({ ...claims, [missing]: undefined })), missing).toBe(401);
      expect(await enter(nobody, await social.signed(claims, { alg: "PS256" }))).toBe(401);
      const secret = new TextEncoder().encode(social.publicKey);
      expect(await enter(nobody, await social.signed(claims, { alg: "HS256", secret }))).toBe(401);
      expect(await enter(nobody, await social.signed({ ...claims, exp: now - 60 }))).toBe(401);
      expect(await enter(nobody, await social.signed({ ...claims, exp: now - 10 }))).toBe(200);
      expect(await enter(nobody, await social.signed(claims))).toBe(200);
    },
  );

  test("is rejected when its keys are reached by a redirect", async ({ nobody, social }) => {
    const token = await social.idToken(social.identity());
    social.redirected = "/oauth2/v3/certs";
    expect(await enter(nobody, token)).toBe(401);
    social.redirected = null;
    expect(await enter(nobody, token)).toBe(200);
  });

  test("is not accepted when the token address redirects", { tag: "@not-exchanged-code-redirect" }, async ({ nobody, social }) => {
    social.redirected = "/token";
    expect(await through(nobody, social, social.identity(), { body: { errorCallbackURL: "/sign-in" } })).toBe(
      "/sign-in?error=invalid_code",
    );
    social.redirected = null;
    expect(await nobody.signedIn()).toBe(false);
  });
});
