/** Detects at start that the database was deleted, or replaced by a copy that is older than the stored files. */
import { existsSync, opendirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { StorageError } from "../values/errors.ts";
import type { Timestamp } from "../values/types.ts";
import { FILE_NAME, openCopy } from "./file.ts";
import { locationOfFiles } from "./file-bucket-marker.ts";
import { replaceFile } from "./folders.ts";
import { bigintOf, prepareWithBigInts } from "./rows.ts";

const LAST_COMMIT = "last-commit";
const WRITE_EVERY_MS = 60_000;

/** Returns the setting that accepts the loss of data stored before `until`. Later losses still prevent a start. */
export const acceptingStart = (until: Date): string =>
  `ACCEPT_OLDER_DATABASE=${until.toISOString()} (engine: --accept-older-database TIME)`;

const recoverySteps = (dir: string): string =>
  `Restore the right database or a backup. To continue with this database, start with ${acceptingStart(newestKnownTime(dir))}. Files without a row are then moved to the quarantine folder.`;

export function writeLastCommit(dir: string, latest: Timestamp): void {
  replaceFile(join(dir, LAST_COMMIT), `${latest}\n`);
}

export function newestCommit(dir: string): Timestamp {
  const sql = openCopy(dir);
  try {
    return bigintOf(prepareWithBigInts(sql, "SELECT value FROM clock WHERE name = 'ts'").get()?.[0]);
  } finally {
    sql.close();
  }
}

/** Returns the timestamp of the last commit in nanoseconds. Null in data of an earlier version. */
export function readLastCommit(dir: string): Timestamp | null {
  try {
    const text = readFileSync(join(dir, LAST_COMMIT), "utf8").trim();
    return /^\d+$/.test(text) ? BigInt(text) : null;
  } catch {
    return null;
  }
}

/** Stores the timestamp regularly. Failures are reported and retried, because an older timestamp only weakens the check. */
export function storeLastCommit(dir: string, latest: () => Timestamp, report: (error: unknown) => void): () => void {
  let written: Timestamp | null = null;
  const write = (): void => {
    const now = latest();
    if (now === written) return;
    try {
      writeLastCommit(dir, now);
      written = now;
    } catch (error) {
      report(error);
    }
  };
  write();
  const timer = setInterval(write, WRITE_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    write();
  };
}

/** Checks the database before it is opened. Returns whether a loss was accepted. @throws StorageError unless `accepted` covers the loss */
export function checkDatabaseFile(dir: string, accepted: number | null): boolean {
  if (!hasStoredFiles(dir)) return false;
  const path = join(dir, FILE_NAME);
  if (!existsSync(path)) return accept(dir, accepted, `${path} is missing, but ${placeOfFiles(dir)} contains stored files.`);
  return statSync(path).size === 0 && accept(dir, accepted, emptyText(dir));
}

export function checkNewestCommit(dir: string, latest: Timestamp, accepted: number | null): boolean {
  if (!hasStoredFiles(dir)) return false;
  if (latest === 0n) return accept(dir, accepted, emptyText(dir));
  const expected = readLastCommit(dir);
  if (expected === null || latest >= expected) return false;
  const older = `${join(dir, FILE_NAME)} is older than the stored files beside it`;
  return accept(
    dir,
    accepted,
    `${older}: its newest commit is of ${timeOf(latest)}, but this deployment stored a commit at ${timeOf(expected)}.`,
  );
}

function accept(dir: string, accepted: number | null, problem: string): true {
  if (accepted !== null && newestKnownTime(dir).getTime() <= accepted) return true;
  throw new StorageError(`${problem} ${recoverySteps(dir)}`);
}

const emptyText = (dir: string): string => `${join(dir, FILE_NAME)} is empty, but ${placeOfFiles(dir)} contains stored files.`;
const placeOfFiles = (dir: string): string => locationOfFiles(dir) ?? join(dir, "files");

function newestKnownTime(dir: string): Date {
  const files = join(dir, "files");
  const now = Date.now();
  // Skips future times, which come from a wrong clock.
  const times = (existsSync(files) ? readdirSync(files) : []).flatMap((name) => {
    const { mtimeMs } = statSync(join(files, name));
    return mtimeMs <= now ? [mtimeMs] : [];
  });
  const commit = readLastCommit(dir) ?? 0n;
  return new Date(Math.ceil(times.reduce((newest, time) => Math.max(newest, time), Number(commit / 1_000_000n) + 1)));
}

function hasStoredFiles(dir: string): boolean {
  if (locationOfFiles(dir) !== null) return true;
  try {
    const folder = opendirSync(join(dir, "files"));
    try {
      return folder.readSync() !== null;
    } finally {
      folder.closeSync();
    }
  } catch {
    return false;
  }
}

const timeOf = (ts: Timestamp): string => new Date(Number(ts / 1_000_000n)).toISOString();
