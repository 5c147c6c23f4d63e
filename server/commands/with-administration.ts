import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readAddress } from "@atelier/engine/address";
import { ensureBuilt } from "../build/ensure.ts";
import { type Build, loadBuild } from "../built.ts";
import { readConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { StartError, startEmbedded } from "../deployment/embedded.ts";
import { log } from "../logging/log.ts";

export type Administration = Awaited<ReturnType<Build["administration"]>>;

export class Failure extends Error {}

/** Uses the running deployment, or starts it for the command. Then waits `settlesMs` for scheduled work. */
export async function withAdministration(work: (administration: Administration) => Promise<void>, settlesMs = 0): Promise<void> {
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
    const administration = running ?? (embedded && (await answering(build, { ...appConfig, convexUrl: embedded.url })));
    if (!administration) throw new Failure("There is no data yet. Start the app once.");
    await work(administration);
    if (embedded) await sleep(settlesMs);
  } finally {
    await embedded?.close();
  }
}

async function answering(build: Build, appConfig: Parameters<Build["administration"]>[0]): Promise<Administration | null> {
  try {
    const administration = await build.administration(appConfig);
    await administration.list().next();
    return administration;
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

export async function runCommand(main: (args: string[]) => Promise<void>): Promise<never> {
  try {
    await main(process.argv.slice(3));
    process.exit(0);
  } catch (error) {
    console.error(error instanceof ConfigError || error instanceof Failure ? error.message : error);
    process.exit(1);
  }
}

export async function confirm(question: string, expected: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question(question);
  terminal.close();
  return typed.trim() === expected;
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Removes control characters, which could steer the terminal. */
export const withoutControlCharacters = (text: string): string => text.replaceAll(/\p{Cc}/gu, " ");
