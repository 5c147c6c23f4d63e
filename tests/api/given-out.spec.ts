import { randomUUID } from "node:crypto";
import { nextTotp } from "../e2e/totp.ts";
import { expect, test } from "./mailed.ts";
import { again, member, Program, text } from "./program.ts";
import { turnOn } from "./second-factor.ts";

/** What was given out before: links, challenges and cookies end with what they rest on. */

test("a link for a new password ends with the next password, and with the address that it went to", async ({ app, ada, store }) => {
  const ask = async () => {
    await new Program(app).post("/request-password-reset", { email: ada.email, redirectTo: "/reset-password" });
    const tokens = (await store.find("verifications", { value: ada.id })).map(({ identifier }) => String(identifier));
    return tokens.find((identifier) => identifier.startsWith("reset-password:"))?.slice("reset-password:".length) ?? "";
  };
  const gone = async (token: string) => (await store.find("verifications", { identifier: `reset-password:${token}` })).length === 0;
  const first = await ask();
  await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });
  await expect.poll(() => gone(first)).toBe(true);
  const second = await ask();
  await ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
  await expect.poll(() => gone(second)).toBe(true);
  for (const token of [first, second])
    expect((await new Program(app).post("/reset-password", { token, newPassword: "not by this one" })).status).toBe(401);
});

test("a token to delete an account is its owner's alone, and ends with the password, and with the address that it went to", async ({
  ada,
  bob,
  store,
  mailbox,
}) => {
  const deletions = async () =>
    (await store.find("verifications", { value: ada.id })).filter(({ identifier }) => String(identifier).startsWith("delete-account-"));
  const ask = async () => {
    expect((await ada.program.post("/delete-user", { password })).body).toMatchObject({ message: "Verification email sent" });
    const [row] = await deletions();
    return String(row?.["identifier"]).slice("delete-account-".length);
  };
  const refusals = async (program: Program, token: string) => [
    (await program.get(`/delete-user/callback?token=${token}`)).status,
    (await program.post("/delete-user", { token })).status,
  ];
  let { password } = ada;
  const first = await ask();
  for (const each of await Promise.all([bob.program, bob.program].map((program) => program.post("/delete-user", { token: first }))))
    expect([each.status, text(each, "message")]).toEqual([404, "Invalid token"]);
  expect(await refusals(bob.program, first)).toEqual([404, 404]);
  // Nor is it used up by them, or by what looks at the links in a mail.
  const mailed = () => mailbox.for(ada.email).find(({ link }) => link.includes(first))?.link;
  await expect.poll(mailed).toBeDefined();
  expect((await fetch(mailed() ?? "", { redirect: "manual" })).status).toBe(404);
  expect(await deletions()).toHaveLength(1);

  await ada.program.post("/change-password", { currentPassword: password, newPassword: "another fine password" });
  password = "another fine password";
  await expect.poll(deletions).toEqual([]);
  expect(await refusals(ada.program, first)).toEqual([404, 404]);

  const second = await ask();
  await ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
  await expect.poll(deletions).toEqual([]);
  expect(await refusals(ada.program, second)).toEqual([404, 404]);
  expect([await store.find("users", { id: ada.id }), await store.find("users", { id: bob.id })].flat()).toHaveLength(2);
});

test("a sign-in that waits for its second factor ends with the password that began it", async ({ ada, store }) => {
  const { secret } = await turnOn(ada);
  const begun = await again(ada);
  const waiting = async () =>
    (await store.find("verifications", { value: ada.id })).filter(({ identifier }) => String(identifier).startsWith("2fa-"));
  expect(await waiting()).toHaveLength(1);
  await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });
  await expect.poll(waiting).toEqual([]);
  expect((await begun.post("/two-factor/verify-totp", { code: nextTotp(secret) })).status).toBe(401);
  expect(await begun.signedIn()).toBe(false);
});

test("what somebody calls themselves says nothing in a mail to an address that may be another's, and stays on one line", async ({
  app,
  store,
  mailbox,
}) => {
  const email = `${randomUUID()}@example.com`;
  const name = "You have won\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example";
  await new Program(app).post("/sign-up/email", { name, email, password: "correct horse battery" });
  await expect.poll(() => mailbox.for(email).length).toBeGreaterThan(0);
  const [mail] = mailbox.for(email);
  expect(`${mail?.headers}${mail?.text}${mail?.html}`).not.toContain("evil");
  expect(mail?.text).toContain("Hello,");
  const [row] = await store.find("users", { email });
  expect(row?.["name"]).toBe("You have won Bcc: eve@evil.example https://evil.example");
});

test("a session's cookies are good for nothing once it was left, or ended elsewhere", async ({ app, ada }) => {
  const stolen = new Program(app);
  const steal = async (from: Program) => {
    await from.get(`${app.url}/projects`);
    for (const [name, value] of from.cookies) stolen.cookies.set(name, value);
    expect(stolen.cookies.has("atelier.convex_token")).toBe(true);
  };
  const opens = async () => {
    const kept = new Map(stolen.cookies);
    const page = await stolen.get(`${app.url}/account`);
    for (const [name, value] of kept) stolen.cookies.set(name, value);
    return [page.status, (await stolen.get("/list-accounts")).status, (await stolen.get(`${app.url}/account/export`)).status];
  };
  const own = await again(ada);
  await steal(own);
  expect(await opens()).toEqual([200, 200, 200]);
  await own.post("/sign-out");
  expect(await opens()).toEqual([302, 401, 302]);

  const next = await again(ada);
  await steal(next);
  await ada.program.post("/change-password", {
    currentPassword: ada.password,
    newPassword: "another fine password",
    revokeOtherSessions: true,
  });
  expect(await opens()).toEqual([302, 401, 302]);
});

test("a session that somebody was handed before they signed in is not theirs afterwards", async ({ app, ada }) => {
  const handed = (await again(ada)).cookies.get("atelier.session_token") ?? "";
  const bob = await member(app);
  const victim = new Program(app);
  victim.cookies.set("atelier.session_token", handed);
  await victim.post("/sign-in/email", { email: bob.email, password: bob.password });
  expect(victim.cookies.get("atelier.session_token")).not.toBe(handed);
  const attacker = new Program(app);
  attacker.cookies.set("atelier.session_token", handed);
  expect((await attacker.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
});
