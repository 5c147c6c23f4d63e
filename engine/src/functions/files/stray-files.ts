/** Files without a row come from a crash or a wrong database. They are quarantined unless there are more than a crash can leave. */
import { opendir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFolder, syncFolder } from "../../storage/folders.ts";
import { acceptingStart } from "../../storage/last-commit.ts";
import type { SendRequest } from "../transactor/transactor-protocol.ts";

const NAMES_AT_ONCE = 100;
const PAUSE_MS = 10;
const MAX_FILES = 100;
const MAX_SHARE = 0.01;
const FEW_FILES = 10;
const MAX_SHARE_OF_FEW = 0.5;
export const QUARANTINE_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export type StrayFilesOptions = {
  dir: string;
  transactor: { request: SendRequest };
  acceptLossUntil: number | null;
  hasAcceptedLoss: boolean;
  log: (line: string) => void;
  signal: AbortSignal;
};

export async function quarantineStrayFiles(options: StrayFilesOptions): Promise<void> {
  const { dir, acceptLossUntil, hasAcceptedLoss, log, signal } = options;
  const returned = await returnFiles(options);
  if (returned > 0) log(`${returned} files in quarantine have a row again: they were moved back.`);
  await emptyQuarantine(dir);
  let files = 0;
  const strayFiles: string[] = [];
  for await (const each of compare(join(dir, "files"), options)) {
    files += each.names.length;
    strayFiles.push(...each.strays);
  }
  if (signal.aborted) return;
  const tooMany = strayFiles.length > strayLimit(files);
  const until = tooMany ? await newestOf(join(dir, "files"), strayFiles) : null;
  const isAccepted = until !== null && acceptLossUntil !== null && until.getTime() <= acceptLossUntil;
  if (acceptLossUntil !== null)
    log(
      hasAcceptedLoss || isAccepted
        ? "ACCEPT_OLDER_DATABASE was needed for this start: remove it now."
        : "ACCEPT_OLDER_DATABASE has no effect: no data up to that time is missing. Remove it.",
    );
  if (strayFiles.length === 0) return;
  const found = `${strayFiles.length} of ${files} stored files have no row in the database`;
  if (until !== null && !isAccepted) {
    log(
      `${found}: too many to be left by a crash, so none was moved. If this is the wrong database, restore the right one. Otherwise, start with ${acceptingStart(until)} to move the files to quarantine.`,
    );
    return;
  }
  const folder = join(dir, "quarantine", new Date().toISOString().slice(0, 10));
  createFolder(folder, 0o700);
  for (const name of strayFiles) await rename(join(dir, "files", name), join(folder, name)).catch(ignoreAbsent);
  syncFolder(folder);
  log(`${found}: moved to ${folder}, where they are kept for ${QUARANTINE_DAYS} days.`);
}

export const strayLimit = (files: number): number =>
  Math.min(MAX_FILES, Math.max(1, files * MAX_SHARE, Math.min(FEW_FILES, files * MAX_SHARE_OF_FEW)));

async function newestOf(folder: string, names: string[]): Promise<Date> {
  let newest = 0;
  for (const name of names) newest = Math.max(newest, (await stat(join(folder, name)).catch(ignoreAbsent))?.mtimeMs ?? 0);
  return new Date(Math.ceil(newest));
}

export async function emptyQuarantine(dir: string, now = Date.now()): Promise<void> {
  for (const date of await datesIn(dir)) {
    if (Date.parse(date) + (QUARANTINE_DAYS + 1) * DAY_MS <= now) await rm(join(dir, "quarantine", date), { recursive: true, force: true });
  }
}

async function returnFiles(options: StrayFilesOptions): Promise<number> {
  const { dir } = options;
  let returned = 0;
  for (const date of await datesIn(dir)) {
    const folder = join(dir, "quarantine", date);
    for await (const { names, strays } of compare(folder, options)) {
      for (const name of new Set(names).difference(new Set(strays))) {
        await rename(join(folder, name), join(dir, "files", name));
        returned += 1;
      }
    }
  }
  return returned;
}

async function* compare(folder: string, { transactor, signal }: StrayFilesOptions): AsyncGenerator<{ names: string[]; strays: string[] }> {
  let names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (signal.aborted) return;
    if (names.push(name) < NAMES_AT_ONCE) continue;
    yield { names, strays: await transactor.request("strayFiles", { names }) };
    names = [];
    await sleep(PAUSE_MS);
  }
  if (names.length > 0) yield { names, strays: await transactor.request("strayFiles", { names }) };
}

async function datesIn(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, "quarantine")).catch(() => Array<string>());
  return names.filter((name) => DATE.test(name));
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
