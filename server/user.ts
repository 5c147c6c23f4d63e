import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { keptAddress } from "../engine/src/backup/address.ts";
import { ensureBuilt } from "./build/ensure.ts";
import { type Build, loadBuild } from "./built.ts";
import { ConfigError, readConfig } from "./config.ts";
import { NotStarted, startEmbedded } from "./embedded.ts";
import { log } from "./log.ts";

const USAGE = `Usage: npm run user -- <what>

  list                     everyone who has an account
  reset EMAIL              prints a link with which they choose a new password; it works once, for an hour
  disable-2fa EMAIL        lets them in without their second factor
  delete EMAIL [--yes]     deletes the account with all projects, designs and images in it`;

type Administration = Awaited<ReturnType<Build["administration"]>>;

/** Ends with 1, and this text. */
class Failure extends Error {}

/**
 * `npm run user`: for the person who runs the machine. It works beside a running server, by way of its deployment; and where none is running,
 * it starts the deployment for as long as it takes.
 */
async function main([what, email, ...flags]: string[]): Promise<void> {
  const needsEmail = what === "reset" || what === "disable-2fa" || what === "delete";
  if ((what !== "list" && !needsEmail) || (needsEmail && !email)) throw new Failure(USAGE);
  await ensureBuilt();
  const { server: config, app: appConfig } = await readConfig(process.env, { production: true });
  const build = await loadBuild();
  // Where it really listens: its own port may have been taken by another program when it started.
  const kept = config.engine && (await keptAddress(config.engine.dir));
  const running = await answering(build, { ...appConfig, convexUrl: kept ?? appConfig.convexUrl });
  if (!running && !config.engine)
    throw new Failure(`The deployment at ${appConfig.convexUrl} does not answer, or does not believe our tokens.`);
  const embedded = !running && config.engine ? await startQuietly(config.engine) : null;
  try {
    const accounts = running ?? (embedded && (await answering(build, { ...appConfig, convexUrl: embedded.url })));
    if (!accounts) throw new Failure("There are no accounts here yet: start the app once.");
    if (what === "list") await list(accounts);
    else if (email) await change(accounts, what, email, flags.includes("--yes"));
    // What was scheduled with a deletion goes on when the server starts, but here it may as well be done.
    if (embedded && what === "delete") await sleep(SETTLING);
  } finally {
    await embedded?.close();
  }
}

const SETTLING = 1000;

/** The accounts of a deployment that runs, and is this installation's; null: it does not, or is not. */
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
    throw error instanceof NotStarted ? new Failure(error.message) : error;
  }
}

async function list(accounts: Administration): Promise<void> {
  let count = 0;
  for await (const { email, name, emailVerified, createdAt } of accounts.list()) {
    console.log(
      [email, name, emailVerified ? "confirmed" : "not confirmed", `since ${createdAt.toISOString().slice(0, 10)}`].map(plain).join("\t"),
    );
    count += 1;
  }
  console.log(count === 0 ? "Nobody has an account yet." : `${count} ${count === 1 ? "account" : "accounts"}`);
}

async function change(accounts: Administration, what: string | undefined, email: string, sure: boolean): Promise<void> {
  const nobody = new Failure(`Nobody has an account with the address ${plain(email)}.`);
  if (what === "reset") {
    const link = await accounts.reset(email);
    if (link === null) throw nobody;
    console.log(`Give this link to ${plain(email)}, and to nobody else. It works once, for an hour.\n\n${link}`);
  } else if (what === "disable-2fa") {
    const had = await accounts.disableTwoFactor(email);
    if (had === null) throw nobody;
    console.log(had ? `${plain(email)} signs in without a second factor now.` : `${plain(email)} had no second factor.`);
  } else {
    if (!sure && !(await confirmed(email))) throw new Failure("Nothing was deleted.");
    if ((await accounts.delete(email)) === null) throw nobody;
    console.log(`The account of ${plain(email)} is deleted.`);
  }
}

/** Asks for the address again; without a terminal there is nobody to ask, and `--yes` says so. */
async function confirmed(email: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question(`This deletes the account with everything in it. Type ${plain(email)} to go on: `);
  terminal.close();
  return typed.trim() === email;
}

/** What people wrote must not steer the terminal. */
const plain = (text: string) => text.replaceAll(/\p{Cc}/gu, " ");

try {
  await main(process.argv.slice(3));
  process.exit(0);
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof Failure ? error.message : error);
  process.exit(1);
}
