import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type RunningApp, startApp } from "../harness/app.ts";
import { type Mailbox, startMailbox } from "../harness/mailbox.ts";
import { type Store, storeOf } from "../harness/store.ts";
import { nextTotp, totp } from "../e2e/totp.ts";
import { softPasskey } from "./passkey.ts";
import { again, type Answer, type Member, member, Program, text, through } from "./program.ts";
import { expect, test } from "./test.ts";

/** Ways round the guards of an account, each of them tried. Mail leaves here, and somebody's mailbox can be read. */

let mailbox: Mailbox;
let app: RunningApp;
let store: Store;
let ada: Member;
test.beforeAll(async ({ social }) => {
  mailbox = await startMailbox();
  app = await startApp({ ...social.settings, SMTP_URL: mailbox.url });
  store = await storeOf(app);
});
test.afterAll(async () => {
  await app.dispose();
  await mailbox.close();
});
test.beforeEach(async () => {
  ada = await member(app);
});

const verify = (who: Member) => store.change("users", { id: who.id }, { emailVerified: true });

/** The newest link of somebody's mails that leads to an address of the auth API. */
async function linkTo(address: string, path: string): Promise<string> {
  const links = () => mailbox.for(address).flatMap(({ link }) => (link.includes(path) ? [link] : []));
  await expect.poll(() => links().length, { message: `a mail to ${address} with ${path}` }).toBeGreaterThan(0);
  return links().at(-1) ?? "";
}

/** Sets two-factor sign-in up by its endpoints, in their own program: the codes of the app, and the backup codes. */
async function turnOn(who: Member) {
  const enabled = await who.program.post("/two-factor/enable", { password: who.password });
  const secret = new URL(text(enabled, "totpURI")).searchParams.get("secret") ?? "";
  const backup = Array.from({ length: 10 }, (_, index) => text(enabled, "backupCodes", index));
  expect((await who.program.post("/two-factor/verify-totp", { code: totp(secret) })).status).toBe(200);
  return { secret, backup };
}

async function byLink({ email }: Member): Promise<{ program: Program; answer: Answer }> {
  const program = new Program(app);
  await program.post("/sign-in/magic-link", { email, callbackURL: "/projects" });
  return { program, answer: await program.get(await linkTo(email, "/magic-link/verify")) };
}

test.describe("Round the second factor", () => {
  test("a provider does not lead: neither one that is linked, nor one whose account was made with the address since", async ({
    social,
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

  test("a passkey stands for both, if it has made sure who holds it", async () => {
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

  test("the links that change an address do not lead, followed where nobody is signed in", async () => {
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

  test("a device that was trusted is not, once the second factor was off", async () => {
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

  test("a trusted device is its owner's alone", async () => {
    const bob = await member(app);
    const { secret } = await turnOn(ada);
    await turnOn(bob);
    const trusted = await again(ada);
    await trusted.post("/two-factor/verify-totp", { code: nextTotp(secret), trustDevice: true });
    trusted.cookies.delete("atelier.session_token");
    await trusted.post("/sign-in/email", { email: bob.email, password: bob.password });
    expect(await trusted.signedIn()).toBe(false);
  });

  test("guesses run out, however many challenges are begun", async () => {
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
});

test.describe("Into an account that somebody else made with one's address", () => {
  /** Mallory made it, and keeps every door open that there is. */
  async function occupied() {
    const passkey = softPasskey(ada.id);
    await store.create("passkeys", passkey.row);
    await turnOn(ada);
    return passkey;
  }

  async function expectOwnersAlone(passkey: ReturnType<typeof softPasskey>) {
    expect(await ada.program.signedIn()).toBe(false);
    expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(401);
    expect(await (await again(ada)).signedIn()).toBe(false);
    for (const table of ["passkeys", "twoFactors"]) expect(await store.find(table, { userId: ada.id })).toEqual([]);
  }

  test("its owner comes by a sign-in link, and is alone then; the mail says so", async () => {
    const passkey = await occupied();
    const { program, answer } = await byLink(ada);
    expect(answer.location).toMatch(/\/projects$/);
    expect((await program.get("/get-session")).body).toMatchObject({ user: { emailVerified: true, twoFactorEnabled: false } });
    await expectOwnersAlone(passkey);
    expect((await program.get("/list-accounts")).body).toEqual([]);
    expect(mailbox.for(ada.email).find(({ link }) => link.includes("magic-link"))?.text).toContain("never confirmed");
  });

  test("or by a code", async () => {
    const passkey = await occupied();
    const program = new Program(app);
    await program.post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
    const code = () => mailbox.for(ada.email).flatMap((mail) => /\b\d{6}\b/.exec(mail.text)?.[0] ?? [])[0];
    await expect.poll(code).toBeDefined();
    expect((await program.post("/sign-in/email-otp", { email: ada.email, otp: code() })).status).toBe(200);
    expect(await program.signedIn()).toBe(true);
    await expectOwnersAlone(passkey);
  });

  test("or by a new password; the mail says so", async () => {
    const passkey = await occupied();
    const program = new Program(app);
    await program.post("/request-password-reset", { email: ada.email, redirectTo: "/reset-password" });
    const link = await linkTo(ada.email, "/reset-password/");
    const token = /\/reset-password\/([^?]+)\?/.exec(link)?.[1] ?? "";
    expect((await program.post("/reset-password", { newPassword: "the owner's own", token })).status).toBe(200);
    await expectOwnersAlone(passkey);
    expect(await (await again({ ...ada, password: "the owner's own" })).signedIn()).toBe(true);
    expect(mailbox.for(ada.email).find(({ link }) => link.includes("/reset-password/"))?.text).toContain("never confirmed");
  });

  test("whose address was confirmed keeps all of it", async () => {
    await verify(ada);
    const passkey = softPasskey(ada.id);
    await store.create("passkeys", passkey.row);
    const { program } = await byLink(ada);
    expect(await program.signedIn()).toBe(true);
    expect(await ada.program.signedIn()).toBe(true);
    expect((await passkey.signIn(new Program(app), { verified: true })).status).toBe(200);
    expect(await (await again(ada)).signedIn()).toBe(true);
  });
});

test.describe("What was given out before", () => {
  test("a link for a new password ends with the next password, and with the address that it went to", async () => {
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

  test("a sign-in that waits for its second factor ends with the password that began it", async () => {
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

  test("what somebody calls themselves says nothing in a mail to an address that may be another's, and stays on one line", async () => {
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

  test("a session's cookies are good for nothing once it was left, or ended elsewhere", async () => {
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

  test("a session that somebody was handed before they signed in is not theirs afterwards", async () => {
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
});

test.describe("Two at once", () => {
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

  test("of two who want one address, one has it, and no answer is a fault", async () => {
    const [bob, newEmail] = [await member(app), `${randomUUID()}@example.com`];
    const answers = await Promise.all([ada, bob].map(({ program }) => program.post("/change-email", { newEmail })));
    expect(statuses(answers)).toEqual([200, 422]);
    expect(answers.map((answer) => (answer.status === 422 ? text(answer, "message") : "")).toSorted()).toEqual([
      "",
      "Couldn't update your email",
    ]);
    expect(await store.find("users", { email: newEmail })).toHaveLength(1);
  });

  test("an address that was taken while its change was confirmed is told by the link's page, and to nobody who made the link up", async () => {
    await verify(ada);
    const newEmail = `${randomUUID()}@example.com`;
    await ada.program.post("/change-email", { newEmail, callbackURL: "/account" });
    const asked = () => mailbox.for(ada.email).find(({ text }) => text.includes(newEmail))?.link;
    await expect.poll(asked).toBeDefined();
    await ada.program.get(asked() ?? "");
    const link = await linkTo(newEmail, "/verify-email");
    const bob = await member(app, { email: newEmail });
    const answer = await ada.program.get(link);
    expect([answer.status, answer.location]).toEqual([302, "/account?error=EMAIL_TAKEN"]);
    expect((await bob.program.get("/get-session")).body).toMatchObject({ user: { email: newEmail } });

    const forged = new URL(link);
    const [header, , signature] = (forged.searchParams.get("token") ?? "").split(".");
    const claims = Buffer.from(JSON.stringify({ email: ada.email, updateTo: newEmail, exp: 2e9 })).toString("base64url");
    forged.searchParams.set("token", [header, claims, signature].join("."));
    expect((await ada.program.get(forged.href)).location).toBe("/account?error=INVALID_TOKEN");
  });

  test("of two changes of one person, one is the last, and no answer is a fault", async () => {
    const wanted = [1, 2].map(() => `${randomUUID()}@example.com`);
    const answers = await Promise.all(wanted.map((newEmail) => ada.program.post("/change-email", { newEmail })));
    expect(statuses(answers)).toEqual([200, 200]);
    const [row] = await store.find("users", { id: ada.id });
    expect(wanted).toContain(row?.["email"]);
  });

  test("of two who sign up with one address, one has the account", async () => {
    const body = { name: "Ada", email: `${randomUUID()}@example.com`, password: "correct horse battery" };
    const programs = [1, 2, 3].map(() => new Program(app));
    const answers = await Promise.all(programs.map((program) => program.post("/sign-up/email", body)));
    expect(statuses(answers)).toEqual([200, 422, 422]);
    expect(await store.find("users", { email: body.email })).toHaveLength(1);
    expect((await Promise.all(programs.map((program) => program.signedIn()))).filter(Boolean)).toHaveLength(1);
  });

  test("a sign-in link, an emailed code and a one-time token open once", async () => {
    await verify(ada);
    await new Program(app).post("/sign-in/magic-link", { email: ada.email, callbackURL: "/projects" });
    const link = await linkTo(ada.email, "/magic-link/verify");
    const opened = async (open: (program: Program) => Promise<unknown>) => {
      const programs = [1, 2, 3].map(() => new Program(app));
      await Promise.all(programs.map(open));
      return (await Promise.all(programs.map((program) => program.signedIn()))).filter(Boolean).length;
    };
    expect(await opened((program) => program.get(link))).toBe(1);

    await new Program(app).post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
    const code = () => mailbox.for(ada.email).flatMap((mail) => /\b\d{6}\b/.exec(mail.text)?.[0] ?? [])[0];
    await expect.poll(code).toBeDefined();
    expect(await opened((program) => program.post("/sign-in/email-otp", { email: ada.email, otp: code() }))).toBe(1);

    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    expect(await opened((program) => program.get(`${app.url}/projects?ott=${token}`))).toBe(1);
  });

  test("of two linked accounts that are unlinked at once, one stays", async ({ social }) => {
    await verify(ada);
    await through(ada.program, social, social.identity({ email: ada.email }), { path: "/link-social" });
    const elsewhere = await again(ada);
    const answers = await Promise.all([
      ada.program.post("/unlink-account", { providerId: "credential" }),
      elsewhere.post("/unlink-account", { providerId: "google" }),
    ]);
    expect(statuses(answers)).toEqual([200, 400]);
    expect(await store.find("accounts", { userId: ada.id })).toHaveLength(1);
  });

  test("a backup code, and a code of the app, open once", async () => {
    const { secret, backup } = await turnOn(ada);
    const opened = async (path: string, code: string | undefined) => {
      const programs = await Promise.all([1, 2].map(() => again(ada)));
      const answers = await Promise.all(programs.map((program) => program.post(path, { code })));
      for (const { status } of answers) expect(status).toBeLessThan(500);
      return (await Promise.all(programs.map((program) => program.signedIn()))).filter(Boolean).length;
    };
    expect(await opened("/two-factor/verify-backup-code", backup[0])).toBe(1);
    expect(await opened("/two-factor/verify-totp", nextTotp(secret))).toBe(1);
  });
});

test.describe("What is no request", () => {
  /** Sends chunk after chunk until the server has answered, or there were enough: what it says. */
  async function stream(head: string[], chunk: string, chunks: number): Promise<string> {
    const socket = connect(app.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (data: Buffer) => (answer += data.toString("utf8")));
    function* sent() {
      yield [...head, `Host: localhost:${app.port}`, "Transfer-Encoding: chunked", "", ""].join("\r\n");
      const piece = `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`;
      for (let each = 0; each < chunks && !answer.includes("\r\n\r\n"); each++) yield piece;
      yield "0\r\n\r\n";
    }
    const closed = once(socket, "close");
    await pipeline(Readable.from(sent()), socket);
    await closed;
    return answer;
  }

  for (const [path, type, said] of [
    ["/sign-in", "application/x-www-form-urlencoded", "more than a form holds"],
    ["/account/security", "multipart/form-data; boundary=b", "more than a form holds"],
    ["/account/security.data", "multipart/form-data; boundary=b", "413"],
    ["/preferences", "application/x-www-form-urlencoded", ""],
    ["/api/auth/sign-in/email", "application/json", "The length is missing"],
  ] as const) {
    test(`a body without a declared length has bounds too: ${path}`, async () => {
      const before = memoryOf(app.pid);
      const head = [`POST ${path} HTTP/1.1`, `Content-Type: ${type}`, `Origin: ${app.url}`, `Cookie: ${ada.program.cookieHeader}`];
      const answer = await stream(head, "x".repeat(64 * 1024), 2000);
      expect(answer).toMatch(/^HTTP\/1\.1 41[13] /);
      expect(answer).toContain(said);
      expect(memoryOf(app.pid) - before).toBeLessThan(100 * 1024);
    });
  }

  test("odd bodies, fields, cookies, methods and addresses are refused, and none of them is a fault", async () => {
    const odd = [
      null,
      1,
      true,
      ["a"],
      { a: 1 },
      { $field: 1 },
      "",
      "\u0000",
      "\ud800",
      "\ud800@example.com",
      "x".repeat(300_000),
      `${"x".repeat(300)}@example.com`,
    ];
    const calls: [string, Record<string, unknown>][] = [
      ["/sign-up/email", { name: "A", email: "EMAIL", password: "a fine password", image: null }],
      ["/sign-in/email", { email: "EMAIL", password: "a fine password", rememberMe: true }],
      ["/update-user", { name: "A", image: null }],
      ["/change-email", { newEmail: "EMAIL", callbackURL: "/" }],
      ["/change-password", { currentPassword: "wrong", newPassword: "a fine password" }],
      ["/reset-password", { newPassword: "a fine password", token: "nothing" }],
      ["/sign-in/magic-link", { email: "EMAIL", name: "A" }],
      ["/sign-in/email-otp", { email: "EMAIL", otp: "123456" }],
      ["/two-factor/verify-totp", { code: "123456" }],
      ["/passkey/verify-authentication", { response: { id: "1" } }],
      ["/one-time-token/verify", { token: "nothing" }],
      ["/unlink-account", { providerId: "google", accountId: "1" }],
    ];
    const faults: unknown[] = [];
    const send = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const program = new Program(app);
      for (const [name, value] of ada.program.cookies) program.cookies.set(name, value);
      const { status } = await program.post(path, body, headers);
      if (status >= 500) faults.push([path, status, JSON.stringify(body)?.slice(0, 80), headers]);
    };
    const filled = (body: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value === "EMAIL" ? `${randomUUID()}@example.com` : value]));
    for (const [path, body] of calls) {
      for (const name of Object.keys(body)) for (const value of odd) await send(path, { ...filled(body), [name]: value });
      for (const raw of ["{", '"x"', "[]", "null", "1e999", ""]) await send(path, raw);
      for (const type of ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded", "application/json; charset=utf-7"])
        await send(path, JSON.stringify(filled(body)), { "Content-Type": type });
    }
    for (const cookie of ["%00", "a.b", "%ED%A0%80.x", "x".repeat(5000)])
      for (const path of ["/account", "/api/auth/get-session", "/api/auth/list-accounts"]) {
        const { status } = await fetch(app.url + path, { headers: { Cookie: `atelier.session_token=${cookie}` }, redirect: "manual" });
        if (status >= 500) faults.push([path, status, cookie.slice(0, 20)]);
      }
    const forms = [
      "application/json",
      "text/plain",
      "multipart/form-data",
      "multipart/form-data; boundary=b",
      "application/x-www-form-urlencoded",
    ];
    for (const path of ["/sign-in", "/sign-up.data", "/two-factor", "/account/data", "/preferences", "/sign-in/social"])
      for (const type of forms)
        for (const body of ["x", "intent=__proto__&email[]=a&email=b"]) {
          const headers = { "Content-Type": type, Origin: app.url, Cookie: ada.program.cookieHeader };
          const { status } = await fetch(app.url + path, { method: "POST", headers, body, redirect: "manual" });
          if (status >= 500) faults.push([path, status, type, body]);
        }
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
      for (const path of ["/sign-in", "/account", "/preferences", "/account/export", "/api/auth/sign-in/email"]) {
        const { status } = await fetch(app.url + path, { method, headers: { Origin: app.url, Cookie: ada.program.cookieHeader } });
        if (status >= 500) faults.push([method, path, status]);
      }
    expect(faults).toEqual([]);
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
  });
});

/** What a process holds in memory, in KiB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

test("the way in that was used last is pointed at, without a script, and cannot be made up", async ({ social }) => {
  const shown = async (program: Program) => {
    program.cookies.delete("atelier.session_token");
    const html = await (await fetch(`${app.url}/sign-in`, { headers: { Cookie: program.cookieHeader } })).text();
    return [...html.matchAll(/id="([\w-]*last-used[\w-]*)"/g)].map(([, id]) => id);
  };
  expect(await shown(new Program(app))).toEqual([]);
  expect(await shown(await again(ada))).toEqual(["sign-in-last-used"]);
  expect(await shown((await byLink(ada)).program)).toEqual(["last-used-link"]);
  const grace = new Program(app);
  await through(grace, social, social.identity());
  expect(grace.cookies.get("atelier.last_method")).toBe("google");
  expect(await shown(grace)).toEqual(["last-used-google"]);
  grace.cookies.set("atelier.last_method", "<script>");
  expect(await shown(grace)).toEqual([]);
});

test("an address that stands in for a missing one gets no mail and is shown nowhere, and its account can go", async () => {
  const email = `${randomUUID()}@roblox.placeholder.invalid`;
  await store.change("users", { id: ada.id }, { email });
  const program = ada.program;
  program.cookies.delete("atelier.convex_token");
  for (const path of ["/account", "/account/data", "/account/security", "/verify-email"]) {
    const html = await (await fetch(app.url + path, { headers: { Cookie: program.cookieHeader } })).text();
    const seen = html.replaceAll(/<script\b[\s\S]*?<\/script>/g, "");
    expect([path, seen.includes("</html>"), seen.includes("placeholder.invalid")]).toEqual([path, true, false]);
  }
  await new Program(app).post("/request-password-reset", { email, redirectTo: "/reset-password" });
  await new Program(app).post("/sign-in/magic-link", { email });
  await program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });

  const form = new URLSearchParams({ intent: "delete", form: "delete", confirmation: "delete my account" });
  const headers = { Origin: app.url, Cookie: program.cookieHeader, "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await fetch(`${app.url}/account/data`, { method: "POST", headers, body: form.toString(), redirect: "manual" });
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/sign-in"]);
  expect(await store.find("users", { id: ada.id })).toEqual([]);
  // What was written since has come: what was not has had its time.
  const bob = await member(app);
  await new Program(app).post("/sign-in/magic-link", { email: bob.email });
  await linkTo(bob.email, "/magic-link/verify");
  expect(mailbox.all().filter(({ to }) => to.includes("placeholder"))).toEqual([]);
});
