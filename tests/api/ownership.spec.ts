import type { Store } from "../harness/store.ts";
import { expect, test } from "./mailed.ts";
import { softPasskey } from "./passkey.ts";
import { again, type Member, Program } from "./program.ts";
import { turnOn } from "./second-factor.ts";

/** Into an account that somebody else made with one's address: whoever proves that it is theirs has it alone. */

/** Mallory made it, and keeps every door open that there is. */
async function occupied(ada: Member, store: Store) {
  const passkey = softPasskey(ada.id);
  await store.create("passkeys", passkey.row);
  await turnOn(ada);
  return passkey;
}

async function expectOwnersAlone(ada: Member, store: Store, passkey: ReturnType<typeof softPasskey>) {
  const { app } = ada.program;
  expect(await ada.program.signedIn()).toBe(false);
  expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(401);
  expect(await (await again(ada)).signedIn()).toBe(false);
  for (const table of ["passkeys", "twoFactors"]) expect(await store.find(table, { userId: ada.id })).toEqual([]);
}

test("its owner comes by a sign-in link, and is alone then; the mail says so", async ({ ada, store, mailbox, byLink }) => {
  const passkey = await occupied(ada, store);
  const { program, answer } = await byLink(ada);
  expect(answer.location).toMatch(/\/projects$/);
  expect((await program.get("/get-session")).body).toMatchObject({ user: { emailVerified: true, twoFactorEnabled: false } });
  await expectOwnersAlone(ada, store, passkey);
  expect((await program.get("/list-accounts")).body).toEqual([]);
  expect(mailbox.for(ada.email).find(({ link }) => link.includes("magic-link"))?.text).toContain("never confirmed");
});

test("or by a code", async ({ app, ada, store, codeTo }) => {
  const passkey = await occupied(ada, store);
  const program = new Program(app);
  await program.post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
  const code = await codeTo(ada.email);
  expect((await program.post("/sign-in/email-otp", { email: ada.email, otp: code })).status).toBe(200);
  expect(await program.signedIn()).toBe(true);
  await expectOwnersAlone(ada, store, passkey);
});

test("or by a new password; the mail says so", async ({ app, ada, store, mailbox, linkTo }) => {
  const passkey = await occupied(ada, store);
  const program = new Program(app);
  await program.post("/request-password-reset", { email: ada.email, redirectTo: "/reset-password" });
  const link = await linkTo(ada.email, "/reset-password/");
  const token = /\/reset-password\/([^?]+)\?/.exec(link)?.[1] ?? "";
  expect((await program.post("/reset-password", { newPassword: "the owner's own", token })).status).toBe(200);
  await expectOwnersAlone(ada, store, passkey);
  expect(await (await again({ ...ada, password: "the owner's own" })).signedIn()).toBe(true);
  expect(mailbox.for(ada.email).find(({ link }) => link.includes("/reset-password/"))?.text).toContain("never confirmed");
});

test("whose address was confirmed keeps all of it", async ({ app, ada, store, verify, byLink }) => {
  await verify(ada);
  const passkey = softPasskey(ada.id);
  await store.create("passkeys", passkey.row);
  const { program } = await byLink(ada);
  expect(await program.signedIn()).toBe(true);
  expect(await ada.program.signedIn()).toBe(true);
  expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(200);
  expect(await (await again(ada)).signedIn()).toBe(true);
});
