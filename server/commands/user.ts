import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readAddress } from "@atelier/engine/address";
import * as z from "zod";
import { ensureBuilt } from "../build/ensure.ts";
import { type Build, loadBuild } from "../built.ts";
import { ConfigError, readConfig } from "../config.ts";
import { StartError, startEmbedded } from "../deployment/embedded.ts";
import { log } from "../log.ts";

const USAGE = `Usage: npm run user -- <what>

  list                     lists all accounts
  invite EMAIL             prints a link to sign up, and mails it if SMTP_URL is set; it works once and expires in seven days
  invitations              lists the invitations that were not accepted yet
  uninvite EMAIL           revokes the address's invitations
  reset EMAIL              prints a link to set a new password; it works once and expires in one hour
  disable-2fa EMAIL        turns off the account's two-factor authentication
  delete EMAIL [--yes]     deletes the account with all projects, designs and images in it`;

const WITH_EMAIL = new Set(["invite", "uninvite", "reset", "disable-2fa", "delete"]);

type Administration = Awaited<ReturnType<Build["administration"]>>;

class Failure extends Error {}

/** `npm run user`, for the operator. Uses the running deployment, or starts it for the command. */
async function main([what, email, ...flags]: string[]): Promise<void> {
  const needsEmail = what !== undefined && WITH_EMAIL.has(what);
  if ((what !== "list" && what !== "invitations" && !needsEmail) || (needsEmail && !email)) throw new Failure(USAGE);
  await ensureBuilt();
  const { server: config, app: appConfig } = await readConfig(process.env, { production: true });
  const build = await loadBuild();
  // The actual port, since the configured one may have been taken.
  const address = config.engine && (await readAddress(config.engine.dir));
  const running = await answering(build, { ...appConfig, convexUrl: address ?? appConfig.convexUrl });
  if (!running && !config.engine)
    throw new Failure(`The deployment at ${appConfig.convexUrl} does not respond, or does not accept the app's tokens.`);
  const embedded = !running && config.engine ? await startQuietly(config.engine) : null;
  try {
    const accounts = running ?? (embedded && (await answering(build, { ...appConfig, convexUrl: embedded.url })));
    if (!accounts) throw new Failure("There is no data yet. Start the app once.");
    if (what === "list") await list(accounts);
    else if (what === "invitations") await listInvitations(accounts);
    else if (email && what === "invite") await invite(accounts, email);
    else if (email && what === "uninvite") await uninvite(accounts, email);
    else if (email) await change(accounts, what, email, flags.includes("--yes"));
    // Lets scheduled deletions finish, although the next start would resume them.
    if (embedded && what === "delete") await sleep(SETTLING);
  } finally {
    await embedded?.close();
  }
}

const SETTLING = 1000;

async function answering(build: Build, appConfig: Parameters<Build["administration"]>[0]): Promise<Administration | null> {
  try {
    const accounts = await build.administration(appConfig);
    await accounts.list().next();
    return accounts;
  } catch {
    return null;
  }
}

async function startQuietly(engine: NonNullable<Awaited<ReturnType<typeof readConfig>>["server"]["engine"]>) {
  try {
    return await startEmbedded({ ...engine, log: log.child({}, { level: "silent" }) });
  } catch (error) {
    throw error instanceof StartError ? new Failure(error.message) : error;
  }
}

async function list(accounts: Administration): Promise<void> {
  let count = 0;
  for await (const { email, name, emailVerified, createdAt } of accounts.list()) {
    console.log(
      [email, name, emailVerified ? "verified" : "not verified", `since ${createdAt.toISOString().slice(0, 10)}`].map(plain).join("\t"),
    );
    count += 1;
  }
  console.log(count === 0 ? "There are no accounts." : counted(count, "account"));
}

async function listInvitations(accounts: Administration): Promise<void> {
  const pending = await accounts.invitations();
  for (const { email, createdAt, expiresAt } of pending)
    console.log([email, `invited ${dayOf(createdAt)}`, `expires ${dayOf(expiresAt)}`].map(plain).join("\t"));
  console.log(pending.length === 0 ? "There are no invitations." : counted(pending.length, "invitation"));
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

async function invite(accounts: Administration, typed: string): Promise<void> {
  const { success, data: email } = z.email().max(254).safeParse(typed.trim());
  if (!success) throw new Failure(`${plain(typed)} is not an email address.`);
  const invited = await accounts.invite(email);
  if (invited === "closed") throw new Failure("ACCOUNTS_SIGN_UP is closed, so nobody can sign up. Set it to invited, then invite.");
  if (invited === "has account") throw new Failure(`An account has the address ${plain(email)} already.`);
  const advice = "It works once and expires in seven days. Earlier links for this address no longer work.";
  console.log(
    invited.isMailed
      ? `The running app sends this link to ${email} by email; without one, the next start does. ${advice}\n\n${invited.link}`
      : `Send this link only to ${email}. ${advice}\n\n${invited.link}`,
  );
}

async function uninvite(accounts: Administration, email: string): Promise<void> {
  if ((await accounts.uninvite(email)) === 0) throw new Failure(`There is no invitation for ${plain(email)}.`);
  console.log(`The invitation for ${plain(email)} is revoked.`);
}

async function change(accounts: Administration, what: string | undefined, email: string, sure: boolean): Promise<void> {
  const unknownAddress = new Failure(`No account has the address ${plain(email)}.`);
  if (what === "reset") {
    const link = await accounts.reset(email);
    if (link === null) throw unknownAddress;
    console.log(`Send this link only to ${plain(email)}. It works once and expires in one hour.\n\n${link}`);
  } else if (what === "disable-2fa") {
    const wasEnabled = await accounts.disableTwoFactor(email);
    if (wasEnabled === null) throw unknownAddress;
    console.log(
      wasEnabled
        ? `Two-factor authentication of ${plain(email)} is turned off.`
        : `${plain(email)} does not use two-factor authentication.`,
    );
  } else {
    if (!sure && !(await confirmed(email))) throw new Failure("Nothing was deleted.");
    if ((await accounts.delete(email)) === null) throw unknownAddress;
    console.log(`The account of ${plain(email)} is deleted.`);
  }
}

async function confirmed(email: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question(
    `This deletes the account with all its projects, designs and images. Type ${plain(email)} to continue: `,
  );
  terminal.close();
  return typed.trim() === email;
}

/** Removes control characters, which could steer the terminal. */
const plain = (text: string) => text.replaceAll(/\p{Cc}/gu, " ");

try {
  await main(process.argv.slice(3));
  process.exit(0);
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof Failure ? error.message : error);
  process.exit(1);
}
