import { expect, test } from "./test.ts";
import { again, Program, text, through } from "./program.ts";
import { sayTurnedOn } from "./second-factor.ts";

/** Lessons of earlier versions of Better Auth (`docs/upgrading-better-auth.md`). */

test("a session that has ended is good for nothing, whatever a cookie still holds (2FA bypass through the cookie cache)", async ({
  ada,
  store,
}) => {
  const program = await again(ada);
  const cookies = [...program.cookies.keys()];
  expect(cookies.some((name) => /session_data/.test(name))).toBe(false);
  await sayTurnedOn(ada, store);
  const challenged = await again(ada);
  expect(await challenged.signedIn()).toBe(false);
  expect((await challenged.get("/list-accounts")).status).toBe(401);
  expect((await challenged.post("/two-factor/disable", { password: ada.password })).status).toBe(401);
});

test("a state of a sign-in by a provider is no sign-in link, and no other kind of token (CVE-2026-110862, CVE-2026-114607)", async ({
  app,
  nobody,
  social,
}) => {
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
});

test("nobody is signed in to an account whose address they have not proven (automatic linking)", async ({ app, ada, social, store }) => {
  await store.change("users", { id: ada.id }, { emailVerified: true });
  const program = new Program(app);
  expect(await through(program, social, social.identity({ email: ada.email, email_verified: false }))).toMatch(/error=account_not_linked/);
  expect(await program.signedIn()).toBe(false);
  const token = await social.idToken(social.identity({ email: ada.email, email_verified: false }));
  expect((await program.post("/sign-in/social", { provider: "google", idToken: { token } })).status).toBe(401);
});

test("an account that somebody opened with another's address is not theirs once its owner comes by a provider", async ({
  ada,
  social,
  app,
}) => {
  // Ada never proved her address; whoever does so by a provider must not land in the account that she made and has the password of.
  const owner = new Program(app);
  expect(await through(owner, social, social.identity({ email: ada.email }))).toMatch(/error=account_not_linked/);
});

test("no field can be set that is not the person's own to set", async ({ ada, freshEmail, app, store }) => {
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
