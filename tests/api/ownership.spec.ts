import type { Store } from "../harness/store.ts";
import { expect, test } from "./support/mailed.ts";
import { softPasskey } from "./support/passkey.ts";
import { signInAgain, type Member, Program, text, through } from "./support/program.ts";
import { turnOn } from "./support/second-factor.ts";

async function occupied(ada: Member, store: Store) {
  const passkey = softPasskey(ada.id);
  await store.create("passkeys", passkey.row);
  await turnOn(ada);
  return passkey;
}

async function expectOnlyOwner(ada: Member, store: Store, passkey: ReturnType<typeof softPasskey>) {
  const { app } = ada.program;
  expect(await ada.program.signedIn()).toBe(false);
  expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(401);
  expect(await (await signInAgain(ada)).signedIn()).toBe(false);
  for (const table of ["passkeys", "twoFactors"]) expect(await store.find(table, { userId: ada.id })).toEqual([]);
}

test(
  "the owner's sign-in link removes all other access and sends a notice",
  { tag: "@owners-sign-link-removes-other-access" },
  async ({ ada, store, mailbox, byLink }) => {
    const passkey = await occupied(ada, store);
    const { program, answer } = await byLink(ada);
    expect(answer.location).toMatch(/\/projects$/);
    expect((await program.get("/get-session")).body).toMatchObject({ user: { emailVerified: true, twoFactorEnabled: false } });
    await expectOnlyOwner(ada, store, passkey);
    expect((await program.get("/list-accounts")).body).toEqual([]);
    expect(mailbox.for(ada.email).find(({ link }) => link.includes("magic-link"))?.text).toContain("never verified");
  },
);

test("an emailed code removes all other access", { tag: "@mailed-code-does-same" }, async ({ app, ada, store, codeTo }) => {
  const passkey = await occupied(ada, store);
  const program = new Program(app);
  await program.post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
  const code = await codeTo(ada.email);
  expect((await program.post("/sign-in/email-otp", { email: ada.email, otp: code })).status).toBe(200);
  expect(await program.signedIn()).toBe(true);
  await expectOnlyOwner(ada, store, passkey);
});

test(
  "a password reset removes all other access and sends a notice",
  { tag: "@new-password-does-same-sends-notice" },
  async ({ app, ada, store, mailbox, linkTo }) => {
    const passkey = await occupied(ada, store);
    const program = new Program(app);
    await program.post("/request-password-reset", { email: ada.email, redirectTo: "/reset-password" });
    const link = await linkTo(ada.email, "/reset-password/");
    const token = /\/reset-password\/([^?]+)\?/.exec(link)?.[1] ?? "";
    expect((await program.post("/reset-password", { newPassword: "the owner's own", token })).status).toBe(200);
    await expectOnlyOwner(ada, store, passkey);
    expect(await (await signInAgain({ ...ada, password: "the owner's own" })).signedIn()).toBe(true);
    expect(mailbox.for(ada.email).find(({ link }) => link.includes("/reset-password/"))?.text).toContain("never verified");
  },
);

test("a confirmed account keeps all its sign-in methods", async ({ app, ada, store, verify, byLink }) => {
  await verify(ada);
  const passkey = softPasskey(ada.id);
  await store.create("passkeys", passkey.row);
  const { program } = await byLink(ada);
  expect(await program.signedIn()).toBe(true);
  expect(await ada.program.signedIn()).toBe(true);
  expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(200);
  expect(await (await signInAgain(ada)).signedIn()).toBe(true);
});

for (const way of ["a callback", "an ID token"] as const) {
  test(
    `after the owner signs in by ${way} of a provider, all other access ends`,
    { tag: "@owner-signs-provider-other-access-ends" },
    async ({ app, ada, store, social, mailbox }) => {
      const passkey = await occupied(ada, store);
      const elsewhere = social.identity({ email: ada.email, email_verified: true });
      const owner = new Program(app);
      if (way === "a callback") expect(await through(owner, social, elsewhere)).toBe("/projects");
      else {
        const idToken = { token: await social.idToken(elsewhere) };
        expect((await owner.post("/sign-in/social", { provider: "google", idToken })).status).toBe(200);
      }
      expect((await owner.get("/get-session")).body).toMatchObject({ user: { id: ada.id, emailVerified: true, twoFactorEnabled: false } });
      await expectOnlyOwner(ada, store, passkey);
      expect((await owner.get("/list-accounts")).body).toMatchObject([{ providerId: "google" }]);
      expect(await store.find("verifications", { value: ada.id })).toEqual([]);
      const onMessage = () => mailbox.for(ada.email).filter(({ text }) => text.includes("the password") && text.includes("the passkeys"));
      await expect.poll(() => onMessage().length).toBe(1);
      expect(onMessage()[0]?.text).toContain("set one under Password and security");
      expect(await through(new Program(app), social, elsewhere)).toBe("/projects");
      expect(onMessage()).toHaveLength(1);
    },
  );
}

test(
  "a password user continues with a provider and can set a password again",
  { tag: "@password-user-continues-provider-can-set" },
  async ({ app, ada, social, mailbox, linkTo }) => {
    const program = new Program(app);
    expect(await through(program, social, social.identity({ email: ada.email }))).toBe("/projects");
    expect(text(await program.get("/get-session"), "user", "id")).toBe(ada.id);
    const onMessage = () => mailbox.for(ada.email).filter(({ text }) => text.includes("all earlier access"));
    await expect.poll(() => onMessage().map(({ text }) => text)).toEqual([expect.stringContaining("the password")]);
    await new Program(app).post("/request-password-reset", { email: ada.email, redirectTo: "/reset-password" });
    const token = /\/reset-password\/([^?]+)\?/.exec(await linkTo(ada.email, "/reset-password/"))?.[1] ?? "";
    expect((await new Program(app).post("/reset-password", { newPassword: "one of their own", token })).status).toBe(200);
    expect(await (await signInAgain({ ...ada, password: "one of their own" })).signedIn()).toBe(true);
  },
);

test("a verified account keeps its sign-in methods when a provider is linked", async ({ app, ada, social, verify }) => {
  await verify(ada);
  expect(await through(new Program(app), social, social.identity({ email: ada.email }))).toBe("/projects");
  expect(await ada.program.signedIn()).toBe(true);
  expect(await (await signInAgain(ada)).signedIn()).toBe(true);
});
