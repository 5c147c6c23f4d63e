import * as z from "zod";
import {
  type Administration,
  confirm,
  countText,
  dayOf,
  Failure,
  withoutControlCharacters,
  runCommand,
  withAdministration,
} from "./with-administration.ts";

const USAGE = `Usage: npm run user -- <what>

  list                     lists all accounts
  invite EMAIL             prints a link to sign up, and emails it if SMTP_URL is set; it works once and expires in seven days
  invitations              lists the invitations that were not accepted yet
  uninvite EMAIL           revokes the address's invitations
  reset EMAIL              prints a link to set a new password; it works once and expires in one hour
  sign-in EMAIL [--yes]    prints a link to sign in; it works once and expires in fifteen minutes
  admin EMAIL [--remove]   gives the account the administrator role, or removes it
  disable-2fa EMAIL        turns off the account's two-factor authentication
  delete EMAIL [--yes]     deletes the account with all projects, designs and images in it`;

const WITH_EMAIL = new Set(["invite", "uninvite", "reset", "sign-in", "admin", "disable-2fa", "delete"]);

async function main([what, email, ...flags]: string[]): Promise<void> {
  const needsEmail = what !== undefined && WITH_EMAIL.has(what);
  if ((what !== "list" && what !== "invitations" && !needsEmail) || (needsEmail && !email)) throw new Failure(USAGE);
  await withAdministration((accounts) => run(accounts, what, email, flags), what === "delete" ? SETTLING : 0);
}

const SETTLING = 1000;

async function run(accounts: Administration, what: string, email: string | undefined, flags: string[]): Promise<void> {
  if (what === "list") await list(accounts);
  else if (what === "invitations") await listInvitations(accounts);
  else if (email && what === "invite") await invite(accounts, email);
  else if (email && what === "uninvite") await revokeInvitations(accounts, email);
  else if (email && what === "admin") await setAdministrator(accounts, email, !flags.includes("--remove"));
  else if (email) await change(accounts, what, email, flags.includes("--yes"));
}

async function list(accounts: Administration): Promise<void> {
  let count = 0;
  const administrators = await accounts.administrators();
  for await (const { id, email, name, emailVerified, createdAt } of accounts.list()) {
    const state = emailVerified ? "verified" : "not verified";
    const role = administrators.has(id) ? ["administrator"] : [];
    console.log([email, name, state, `since ${createdAt.toISOString().slice(0, 10)}`, ...role].map(withoutControlCharacters).join("\t"));
    count += 1;
  }
  console.log(count === 0 ? "There are no accounts." : countText(count, "account"));
}

async function listInvitations(accounts: Administration): Promise<void> {
  const pending = await accounts.invitations();
  for (const { email, createdAt, expiresAt } of pending)
    console.log([email, `invited ${dayOf(createdAt)}`, `expires ${dayOf(expiresAt)}`].map(withoutControlCharacters).join("\t"));
  console.log(pending.length === 0 ? "There are no invitations." : countText(pending.length, "invitation"));
}

async function invite(accounts: Administration, typed: string): Promise<void> {
  const { success, data: email } = z.email().max(254).safeParse(typed.trim());
  if (!success) throw new Failure(`${withoutControlCharacters(typed)} is not an email address.`);
  const invited = await accounts.invite(email);
  if (invited === "closed") throw new Failure("ACCOUNTS_SIGN_UP is closed, so nobody can sign up. Set it to invited, then invite.");
  if (invited === "has account") throw new Failure(`An account with the address ${withoutControlCharacters(email)} already exists.`);
  const advice = "It works once and expires in seven days. Earlier links for this address no longer work.";
  console.log(
    invited.isMailed
      ? `The app emails this link to ${email}. If it is not running, it does so at its next start. ${advice}\n\n${invited.link}`
      : `Send this link only to ${email}. ${advice}\n\n${invited.link}`,
  );
}

async function setAdministrator(accounts: Administration, email: string, isAdministrator: boolean): Promise<void> {
  const outcome = await accounts.setAdministrator(email, isAdministrator);
  if (outcome === null) throw new Failure(`No account has the address ${withoutControlCharacters(email)}.`);
  const { isChanged, isLast } = outcome;
  if (isAdministrator) console.log(`${withoutControlCharacters(email)} is ${isChanged ? "now" : "already"} an administrator.`);
  else console.log(`${withoutControlCharacters(email)} is ${isChanged ? "no longer" : "not"} an administrator.`);
  if (isLast) console.log("No account has this role any more. Give it to another one with: npm run user -- admin EMAIL");
}

async function revokeInvitations(accounts: Administration, email: string): Promise<void> {
  if ((await accounts.revokeInvitations(email)) === 0) throw new Failure(`There is no invitation for ${withoutControlCharacters(email)}.`);
  console.log(`The invitation for ${withoutControlCharacters(email)} is revoked.`);
}

async function change(accounts: Administration, what: string | undefined, email: string, sure: boolean): Promise<void> {
  const unknownAddress = new Failure(`No account has the address ${withoutControlCharacters(email)}.`);
  if (what === "reset") {
    const link = await accounts.reset(email);
    if (link === null) throw unknownAddress;
    console.log(`Send this link only to ${withoutControlCharacters(email)}. It works once and expires in one hour.\n\n${link}`);
  } else if (what === "sign-in") {
    let printed = await accounts.signIn(email, sure);
    if (printed === "not verified") {
      if (!(await confirm(verificationQuestion(email), email))) throw new Failure("No link was created.");
      printed = await accounts.signIn(email, true);
    }
    if (printed === null || printed === "not verified") throw unknownAddress;
    console.log(
      `Send this link only to ${withoutControlCharacters(email)}. It works once and expires in fifteen minutes.\n\n${printed.link}`,
    );
  } else if (what === "disable-2fa") {
    const wasEnabled = await accounts.disableTwoFactor(email);
    if (wasEnabled === null) throw unknownAddress;
    console.log(
      wasEnabled
        ? `Two-factor authentication of ${withoutControlCharacters(email)} is turned off.`
        : `${withoutControlCharacters(email)} does not use two-factor authentication.`,
    );
  } else {
    if (!sure && !(await confirm(deletionQuestion(email), email))) throw new Failure("Nothing was deleted.");
    if ((await accounts.delete(email)) === null) throw unknownAddress;
    console.log(`The account of ${withoutControlCharacters(email)} is deleted.`);
  }
}

const verificationQuestion = (email: string) =>
  `The address was never verified. The link verifies it and removes the account's earlier sign-in methods. Type ${withoutControlCharacters(email)} to continue: `;

const deletionQuestion = (email: string) =>
  `This deletes the account with all its projects, designs and images. Type ${withoutControlCharacters(email)} to continue: `;

await runCommand(main);
