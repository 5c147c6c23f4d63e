import { randomUUID } from "node:crypto";
import { nextTotp } from "../e2e/support/totp.ts";
import { expect, test } from "./support/mailed.ts";
import { signInAgain, member, Program, text } from "./support/program.ts";
import { turnOn } from "./support/second-factor.ts";

test(
  "a reset link works until the password or the address changes",
  { tag: "@reset-link-ends-next-password-change" },
  async ({ app, ada, store }) => {
    const sendRequest = async () => {
      await new Program(app).post("/request-password-reset", { email: ada.email, redirectTo: "/reset-password" });
      const tokens = (await store.find("verifications", { value: ada.id })).map(({ identifier }) => String(identifier));
      return tokens.find((identifier) => identifier.startsWith("reset-password:"))?.slice("reset-password:".length) ?? "";
    };
    const gone = async (token: string) => (await store.find("verifications", { identifier: `reset-password:${token}` })).length === 0;
    const first = await sendRequest();
    await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });
    await expect.poll(() => gone(first)).toBe(true);
    const second = await sendRequest();
    await ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
    await expect.poll(() => gone(second)).toBe(true);
    for (const token of [first, second])
      expect((await new Program(app).post("/reset-password", { token, newPassword: "not by this one" })).status).toBe(401);
  },
);

test(
  "a deletion token works for its owner only, until password or address change",
  { tag: "@deletion-token-owners-alone-ends-password" },
  async ({ ada, bob, store, mailbox }) => {
    const deletions = async () =>
      (await store.find("verifications", { value: ada.id })).filter(({ identifier }) => String(identifier).startsWith("delete-account-"));
    const sendRequest = async () => {
      expect((await ada.program.post("/delete-user", { password })).body).toMatchObject({ message: "Verification email sent" });
      const [row] = await deletions();
      return String(row?.["identifier"]).slice("delete-account-".length);
    };
    const refusals = async (program: Program, token: string) => [
      (await program.get(`/delete-user/callback?token=${token}`)).status,
      (await program.post("/delete-user", { token })).status,
    ];
    let { password } = ada;
    const first = await sendRequest();
    for (const each of await Promise.all([bob.program, bob.program].map((program) => program.post("/delete-user", { token: first }))))
      expect([each.status, text(each, "message")]).toEqual([404, "Invalid token"]);
    expect(await refusals(bob.program, first)).toEqual([404, 404]);
    const mailed = () => mailbox.for(ada.email).find(({ link }) => link.includes(first))?.link;
    await expect.poll(mailed).toBeDefined();
    expect((await fetch(mailed() ?? "", { redirect: "manual" })).status).toBe(404);
    expect(await deletions()).toHaveLength(1);

    await ada.program.post("/change-password", { currentPassword: password, newPassword: "another fine password" });
    password = "another fine password";
    await expect.poll(deletions).toEqual([]);
    expect(await refusals(ada.program, first)).toEqual([404, 404]);

    const second = await sendRequest();
    await ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
    await expect.poll(deletions).toEqual([]);
    expect(await refusals(ada.program, second)).toEqual([404, 404]);
    expect([await store.find("users", { id: ada.id }), await store.find("users", { id: bob.id })].flat()).toHaveLength(2);
  },
);

test(
  "a pending second factor challenge ends when the password changes",
  { tag: "@pending-second-factor-challenge-ends-when" },
  async ({ ada, store }) => {
    const { secret } = await turnOn(ada);
    const begun = await signInAgain(ada);
    const waiting = async () =>
      (await store.find("verifications", { value: ada.id })).filter(({ identifier }) => String(identifier).startsWith("2fa-"));
    expect(await waiting()).toHaveLength(1);
    await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });
    await expect.poll(waiting).toEqual([]);
    expect((await begun.post("/two-factor/verify-totp", { code: nextTotp(secret) })).status).toBe(401);
    expect(await begun.signedIn()).toBe(false);
  },
);

test(
  "a user's name cannot inject text or lines into an email",
  { tag: "@users-name-cannot-inject-text-lines" },
  async ({ app, store, mailbox }) => {
    const email = `${randomUUID()}@example.com`;
    const name = "You have won\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example";
    await new Program(app).post("/sign-up/email", { name, email, password: "correct horse battery" });
    await expect.poll(() => mailbox.for(email).length).toBeGreaterThan(0);
    const [mail] = mailbox.for(email);
    expect(`${mail?.headers}${mail?.text}${mail?.html}`).not.toContain("evil");
    expect(mail?.text).toContain("Hello,");
    const [row] = await store.find("users", { email });
    expect(row?.["name"]).toBe("You have won Bcc: eve@evil.example https://evil.example");
  },
);

test(
  "rejects a session's cookies after sign-out or revocation",
  { tag: "@rejects-sessions-cookies-after-sign-out" },
  async ({ app, ada }) => {
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
    const own = await signInAgain(ada);
    await steal(own);
    expect(await opens()).toEqual([200, 200, 200]);
    await own.post("/sign-out");
    expect(await opens()).toEqual([302, 401, 302]);

    const next = await signInAgain(ada);
    await steal(next);
    await ada.program.post("/change-password", {
      currentPassword: ada.password,
      newPassword: "another fine password",
      revokeOtherSessions: true,
    });
    expect(await opens()).toEqual([302, 401, 302]);
  },
);

test(
  "replaces a session cookie that another person set before the sign-in",
  { tag: "@rejects-session-planted-before-sign" },
  async ({ app, ada }) => {
    const handed = (await signInAgain(ada)).cookies.get("atelier.session_token") ?? "";
    const bob = await member(app);
    const victim = new Program(app);
    victim.cookies.set("atelier.session_token", handed);
    await victim.post("/sign-in/email", { email: bob.email, password: bob.password });
    expect(victim.cookies.get("atelier.session_token")).not.toBe(handed);
    const attacker = new Program(app);
    attacker.cookies.set("atelier.session_token", handed);
    expect((await attacker.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
  },
);
