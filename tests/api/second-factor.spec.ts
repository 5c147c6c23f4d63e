import { randomUUID } from "node:crypto";
import { nextTotp } from "../e2e/totp.ts";
import { expect, test } from "./mailed.ts";
import { softPasskey } from "./passkey.ts";
import { again, member, Program, text, through } from "./program.ts";
import { sayTurnedOn, turnOn } from "./second-factor.ts";

/** Ways round the second factor, each of them tried. */

test("a provider does not lead: neither one that is linked, nor one whose account was made with the address since", async ({
  social,
  app,
  ada,
  verify,
}) => {
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

  // And with it, it does.
  expect((await program.post("/two-factor/verify-totp", { code: nextTotp(secret) })).status).toBe(200);
  expect(await program.signedIn()).toBe(true);
});

test("a passkey stands for both, if it has made sure who holds it", async ({ app, ada, store }) => {
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
});

test("the links that change an address do not lead, followed where nobody is signed in", async ({ app, ada, mailbox, linkTo, verify }) => {
  await verify(ada);
  await turnOn(ada);
  const newEmail = `${randomUUID()}@example.com`;
  await ada.program.post("/change-email", { newEmail });
  const elsewhere = new Program(app);
  const asked = () => mailbox.for(ada.email).find(({ text }) => text.includes(newEmail))?.link;
  await expect.poll(asked).toBeDefined();
  for (const link of [asked() ?? "", await elsewhere.get(asked() ?? "").then(() => linkTo(newEmail, "/verify-email"))]) {
    expect((await elsewhere.get(link)).status).toBe(302);
    expect(await elsewhere.signedIn()).toBe(false);
  }
  expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { email: newEmail, emailVerified: true } });
  expect(mailbox.for(ada.email).filter(({ subject }) => /sign-in/i.test(subject))).toEqual([]);
});

test("a device that was trusted is not, once the second factor was off", async ({ ada, store }) => {
  const { secret } = await turnOn(ada);
  const trusted = await again(ada);
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
});

test("a trusted device is its owner's alone", async ({ app, ada }) => {
  const bob = await member(app);
  const { secret } = await turnOn(ada);
  await turnOn(bob);
  const trusted = await again(ada);
  await trusted.post("/two-factor/verify-totp", { code: nextTotp(secret), trustDevice: true });
  trusted.cookies.delete("atelier.session_token");
  await trusted.post("/sign-in/email", { email: bob.email, password: bob.password });
  expect(await trusted.signedIn()).toBe(false);
});

test("guesses run out, however many challenges are begun", async ({ ada }) => {
  await turnOn(ada);
  const statuses = new Set<number>();
  for (let challenge = 0; challenge < 3; challenge++) {
    const program = await again(ada);
    for (let guess = 0; guess < 5; guess++) {
      statuses.add((await program.post("/two-factor/verify-backup-code", { code: `aaaaa-${challenge}${guess}aaa` })).status);
    }
  }
  expect([...statuses]).toEqual([401, 429]);
});

test("a second factor is asked for after a sign-in link and a code, as after a password", async ({ app, ada, store, mailbox, codeTo }) => {
  await sayTurnedOn(ada, store);

  const byPassword = await again(ada);
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
});
