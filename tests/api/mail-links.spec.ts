import { createHmac, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { RunningApp } from "../harness/app.ts";
import { expect, test } from "./support/mailed.ts";
import { member, Program } from "./support/program.ts";

const secrets = z.object({ secret: z.string() });

async function olderLink(app: RunningApp, claims: Record<string, unknown>): Promise<string> {
  const { secret } = secrets.parse(JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8")));
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const iat = Math.floor(Date.now() / 1000);
  const signed = `${encode({ alg: "HS256" })}.${encode({ ...claims, iat, exp: iat + 3600 })}`;
  const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  return `/verify-email?${new URLSearchParams({ token, callbackURL: "/account" })}`;
}

test("a verification link does not verify an address that another user took later", async ({ app, ada, linkTo, store }) => {
  await ada.program.post("/send-verification-email", { email: ada.email, callbackURL: "/account" });
  const link = await linkTo(ada.email, "/verify-email");
  await ada.program.post("/change-email", { newEmail: `${randomUUID()}@example.com` });
  const bob = await member(app, { email: ada.email });
  const answer = await new Program(app).get(link);
  expect([answer.status, answer.location]).toEqual([302, expect.stringMatching(/error=INVALID_TOKEN$/)]);
  expect(await store.find("users", { id: bob.id })).toMatchObject([{ emailVerified: false }]);
});

test("a link that changes an address is refused once the account has another address", async ({
  app,
  ada,
  mailbox,
  changeLink,
  verify,
  store,
}) => {
  await verify(ada);
  const newEmail = `${randomUUID()}@example.com`;
  await ada.program.post("/change-email", { newEmail, callbackURL: "/account" });
  const link = await changeLink(ada, newEmail);
  await store.change("users", { id: ada.id }, { email: `was-${ada.email}` });
  const bob = await member(app, { email: ada.email });
  for (const program of [ada.program, bob.program, new Program(app)])
    expect((await program.get(link)).location).toBe("/account?error=INVALID_TOKEN");
  expect(mailbox.for(newEmail)).toEqual([]);
  expect(await store.find("users", { id: bob.id })).toMatchObject([{ email: ada.email }]);
});

test("a change link of Better Auth 1.7.7 reports that it is invalid", async ({ app, ada, verify, store }) => {
  await verify(ada);
  const updateTo = `${randomUUID()}@example.com`;
  for (const requestType of ["change-email-confirmation", "change-email-verification", undefined]) {
    const answer = await ada.program.get(await olderLink(app, { email: ada.email, updateTo, requestType }));
    expect([answer.status, answer.location]).toEqual([302, "/account?error=INVALID_TOKEN"]);
  }
  expect(await store.find("users", { id: ada.id })).toMatchObject([{ email: ada.email, emailVerified: true }]);
  expect(await ada.program.signedIn()).toBe(true);
});

test("a verification link of Better Auth 1.7.7 still verifies", async ({ app, ada, store }) => {
  const answer = await new Program(app).get(await olderLink(app, { email: ada.email }));
  expect([answer.status, answer.location]).toEqual([302, "/account"]);
  expect(await store.find("users", { id: ada.id })).toMatchObject([{ emailVerified: true }]);
});

test("a link that changes an address does not verify an account that was not verified", async ({
  app,
  ada,
  changeLink,
  linkTo,
  verify,
  store,
}) => {
  await verify(ada);
  const newEmail = `${randomUUID()}@example.com`;
  await ada.program.post("/change-email", { newEmail, callbackURL: "/account" });
  await ada.program.get(await changeLink(ada, newEmail));
  const link = await linkTo(newEmail, "/verify-email");
  await store.change("users", { id: ada.id }, { emailVerified: false });
  const elsewhere = new Program(app);
  expect((await elsewhere.get(link)).location).toBe("/account");
  expect(await store.find("users", { id: ada.id })).toMatchObject([{ email: newEmail, emailVerified: false }]);
  expect(await elsewhere.signedIn()).toBe(false);
});

test("a code is emailed to the stored spelling of the address", async ({ app, ada, codeTo }) => {
  const email = ada.email.toUpperCase();
  const program = new Program(app);
  await program.post("/email-otp/send-verification-otp", { email, type: "sign-in" });
  const otp = await codeTo(ada.email);
  expect((await program.post("/sign-in/email-otp", { email, otp })).status).toBe(200);
});
