import { randomUUID } from "node:crypto";
import { nextTotp } from "../../e2e/support/totp.ts";
import { expect, test } from "../support/mailed.ts";
import { signInAgain, type Answer, member, Program, text, through } from "../support/program.ts";
import { turnOn } from "../support/second-factor.ts";

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

test(
  "applies one of two concurrent changes to one address, without a 500",
  { tag: "@two-concurrent-changes-address-succeeds-none" },
  async ({ app, ada, store }) => {
    const [bob, newEmail] = [await member(app), `${randomUUID()}@example.com`];
    const answers = await Promise.all([ada, bob].map(({ program }) => program.post("/change-email", { newEmail })));
    expect(statuses(answers)).toEqual([200, 422]);
    expect(answers.map((answer) => (answer.status === 422 ? text(answer, "message") : "")).toSorted()).toEqual([
      "",
      "Couldn't update your email",
    ]);
    expect(await store.find("users", { email: newEmail })).toHaveLength(1);
  },
);

test("a change link reports an address taken meanwhile, unless it is forged", async ({ app, ada, changeLink, linkTo, verify }) => {
  await verify(ada);
  const newEmail = `${randomUUID()}@example.com`;
  await ada.program.post("/change-email", { newEmail, callbackURL: "/account" });
  await ada.program.get(await changeLink(ada, newEmail));
  const link = await linkTo(newEmail, "/verify-email");
  const bob = await member(app, { email: newEmail });
  const answer = await ada.program.get(link);
  expect([answer.status, answer.location]).toEqual([302, "/account?error=EMAIL_TAKEN"]);
  expect((await bob.program.get("/get-session")).body).toMatchObject({ user: { email: newEmail } });

  const forged = new URL(link);
  const [header, , signature] = (forged.searchParams.get("token") ?? "").split(".");
  const claims = Buffer.from(JSON.stringify({ email: ada.email, updateTo: newEmail, exp: Math.floor(Date.now() / 1000) + 3600 })).toString(
    "base64url",
  );
  forged.searchParams.set("token", [header, claims, signature].join("."));
  expect((await ada.program.get(forged.href)).location).toBe("/account?error=INVALID_TOKEN");
});

test("keeps the later of two concurrent changes of a user, without a 500", async ({ ada, store }) => {
  const wanted = [1, 2].map(() => `${randomUUID()}@example.com`);
  const answers = await Promise.all(wanted.map((newEmail) => ada.program.post("/change-email", { newEmail })));
  expect(statuses(answers)).toEqual([200, 200]);
  const [row] = await store.find("users", { id: ada.id });
  expect(wanted).toContain(row?.["email"]);
});

test(
  "accepts one of two concurrent sign-ups with one address",
  { tag: "@two-concurrent-sign-ups-address-succeeds" },
  async ({ app, store }) => {
    const body = { name: "Ada", email: `${randomUUID()}@example.com`, password: "correct horse battery" };
    const programs = [1, 2, 3].map(() => new Program(app));
    const answers = await Promise.all(programs.map((program) => program.post("/sign-up/email", body)));
    expect(statuses(answers)).toEqual([200, 422, 422]);
    expect(await store.find("users", { email: body.email })).toHaveLength(1);
    expect((await Promise.all(programs.map((program) => program.signedIn()))).filter(Boolean)).toHaveLength(1);
  },
);

test(
  "a sign-in link, an emailed code and a one-time token each work once",
  { tag: "@sign-link-mailed-code-time-token" },
  async ({ app, ada, linkTo, codeTo, verify }) => {
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
    const code = await codeTo(ada.email);
    expect(await opened((program) => program.post("/sign-in/email-otp", { email: ada.email, otp: code }))).toBe(1);

    const token = text(await ada.program.get("/one-time-token/generate"), "token");
    expect(await opened((program) => program.get(`${app.url}/projects?ott=${token}`))).toBe(1);
  },
);

test("deletes an account once when several requests use one token", async ({ app, ada, store, linkTo }) => {
  await ada.program.post("/delete-user", { password: ada.password, callbackURL: "/sign-up" });
  const link = await linkTo(ada.email, "/delete-user/callback");
  const token = new URL(link).searchParams.get("token");
  const elsewhere = await signInAgain(ada);
  const answers = await Promise.all([ada.program.get(link), elsewhere.get(link), elsewhere.post("/delete-user", { token })]);
  const done = answers.filter(({ status }) => status === 200 || status === 302);
  expect(done).toHaveLength(1);
  for (const answer of answers) if (!done.includes(answer)) expect([401, 404]).toContain(answer.status);
  expect(await store.find("users", { id: ada.id })).toEqual([]);

  const next = await member(app, { email: ada.email });
  expect((await next.program.get(link)).status).toBe(404);
  expect(await next.program.signedIn()).toBe(true);
});

test(
  "keeps one of two linked accounts that are unlinked concurrently",
  { tag: "@two-linked-accounts-unlinked-concurrently-remains" },
  async ({ social, ada, store, verify }) => {
    await verify(ada);
    await through(ada.program, social, social.identity({ email: ada.email }), { path: "/link-social" });
    const elsewhere = await signInAgain(ada);
    const answers = await Promise.all([
      ada.program.post("/unlink-account", { providerId: "credential" }),
      elsewhere.post("/unlink-account", { providerId: "google" }),
    ]);
    expect(statuses(answers)).toEqual([200, 400]);
    expect(await store.find("accounts", { userId: ada.id })).toHaveLength(1);
  },
);

test("a backup code and an authenticator code each work once", { tag: "@backup-code-authenticator-code-each-work" }, async ({ ada }) => {
  const { secret, backup } = await turnOn(ada);
  const opened = async (path: string, code: string | undefined) => {
    const programs = await Promise.all([1, 2].map(() => signInAgain(ada)));
    const answers = await Promise.all(programs.map((program) => program.post(path, { code })));
    for (const { status } of answers) expect(status).toBeLessThan(500);
    return (await Promise.all(programs.map((program) => program.signedIn()))).filter(Boolean).length;
  };
  expect(await opened("/two-factor/verify-backup-code", backup[0])).toBe(1);
  expect(await opened("/two-factor/verify-totp", nextTotp(secret))).toBe(1);
});
