import { expect } from "@playwright/test";
import { randomUUID } from "node:crypto";
import { softPasskey } from "../api/support/passkey.ts";
import { Program, through } from "../api/support/program.ts";
import { totp } from "../e2e/support/totp.ts";
import type { RunningApp } from "../harness/app.ts";
import type { SocialServer } from "../harness/services/oidc.ts";
import type { OlderAccounts } from "./record-accounts.ts";

type Services = { app: RunningApp; social: SocialServer };

/** Signs in to every account, and uses pending mail links. */
export async function expectAccountsContinue({ app, social }: Services, accounts: OlderAccounts): Promise<void> {
  const { password, passkey, secondFactor, google, gitlab, mails } = accounts;
  const programWith = (cookies: [name: string, value: string][]): Program => {
    const program = new Program(app);
    for (const [name, value] of cookies) program.cookies.set(name, value);
    return program;
  };
  const enterPassword = async (program: Program, user: { email: string; password: string }): Promise<Program> => {
    await program.post("/sign-in/email", { email: user.email, password: user.password });
    return program;
  };
  const byPassword = (user: { email: string; password: string }) => enterPassword(new Program(app), user);

  await expectToContinue("open session", programWith(password.session), password.id);
  await expectToContinue("password", await byPassword(password), password.id);

  const withPasskey = new Program(app);
  await softPasskey(passkey.id, passkey.passkey).signIn(withPasskey, { verified: true });
  await expectToContinue("passkey", withPasskey, passkey.id);

  const trusted = await enterPassword(programWith(secondFactor.trusted), secondFactor);
  await expectToContinue("trusted device", trusted, secondFactor.id);
  const withCode = await byPassword(secondFactor);
  expect(await withCode.signedIn(), "second factor").toBe(false);
  await withCode.post("/two-factor/verify-totp", { code: totp(secondFactor.secret) });
  await expectToContinue("authenticator", withCode, secondFactor.id);
  const withBackupCode = await byPassword(secondFactor);
  await withBackupCode.post("/two-factor/verify-backup-code", { code: secondFactor.backupCodes[3] });
  await expectToContinue("backup code", withBackupCode, secondFactor.id);

  for (const [provider, { id, sub, email }] of Object.entries({ google, gitlab })) {
    const program = new Program(app);
    await through(program, social, social.identity({ email }, sub), { provider: provider === "google" ? "google" : "gitlab" });
    await expectToContinue(provider, program, id);
  }

  const open = (link: string, program = new Program(app)) => program.get(app.url + link);
  const bySignInLink = new Program(app);
  await open(mails.signIn.link, bySignInLink);
  await expectToContinue("sign-in link", bySignInLink, mails.signIn.id);

  const reset = await open(mails.reset.link);
  const token = new URL(reset.location ?? "", app.url).searchParams.get("token");
  const newPassword = `correct horse ${randomUUID()}`;
  await new Program(app).post("/reset-password", { newPassword, token });
  await expectToContinue("reset password", await byPassword({ ...mails.reset, password: newPassword }), mails.reset.id);

  await open(mails.verification.link);
  const verified = await byPassword(mails.verification);
  expect((await verified.get("/get-session")).body).toMatchObject({ user: { emailVerified: true } });

  await open(mails.deletion.link, programWith(mails.deletion.session));
  expect(await (await byPassword(mails.deletion)).signedIn(), "deleted account").toBe(false);
}

async function expectToContinue(how: string, program: Program, id: string): Promise<void> {
  expect((await program.get("/get-session")).body, how).toMatchObject({ user: { id } });
  const { url } = program.app;
  const created = await fetch(`${url}/projects`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: program.cookieHeader, Origin: url, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ intent: "createProject", name: `By ${how}` }),
  });
  expect(created.status, how).toBe(303);
  const page = await fetch(`${url}/projects`, { headers: { Cookie: program.cookieHeader } });
  expect(await page.text(), how).toContain(`By ${how}`);
}
