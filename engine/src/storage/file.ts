import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StorageError } from "../values/errors.ts";
import { FORMAT, FORMATS } from "./format.ts";

export const FILE_NAME = "deployment.sqlite3";
/** "Atel": tells our files from other SQLite files (https://www.sqlite.org/fileformat.html#application_id). */
const APPLICATION_ID = 0x4174656c;
/** A process that is just ending, or a thread that was stopped, may hold the lock a moment longer. */
const LOCK_WAIT_MS = 2_000;
const CACHE_KIB = 64 * 1024;
/** So much of the file is read where the system's own cache has it, which a third of the time at a million rows goes into otherwise. */
const MAPPED_BYTES = 1024 ** 3;
/** The more lie between two, the more often a page that was written again and again is copied only once. */
const PAGES_BETWEEN_CHECKPOINTS = 12_000;
const KEPT_LOG_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or makes) the deployment's one SQLite file in `dir`, upgraded to today's format and locked for as long as the
 * connection lives: the lock is the operating system's, so it goes with the process however that ends.
 * @throws StorageError when another process has it open, when it is of a newer format, or when it is no file of ours.
 */
export function openFile(dir: string): DatabaseSync {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, FILE_NAME);
  const sql = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // The lock has to be exclusive before the log is first read: then SQLite keeps the log's index in memory, not in a shared file.
    sql.exec("PRAGMA locking_mode = EXCLUSIVE");
    sql.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = ${MAPPED_BYTES};
      PRAGMA wal_autocheckpoint = ${PAGES_BETWEEN_CHECKPOINTS}; PRAGMA journal_size_limit = ${KEPT_LOG_BYTES}`);
    sql.exec("BEGIN IMMEDIATE");
    upgrade(sql, path);
    sql.exec("COMMIT");
    return sql;
  } catch (error) {
    sql.close();
    throw explained(error, dir, path);
  }
}

/** Everything there is goes into the file itself, which then stands still until `resumeCheckpoints`: commits go into the log beside it. */
export function checkpointAndPause(sql: DatabaseSync): void {
  sql.exec("PRAGMA wal_autocheckpoint = 0");
  const [busy] = Object.values(sql.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {});
  if (busy !== 0) throw new StorageError("The log could not be written into the data file.");
}

export function resumeCheckpoints(sql: DatabaseSync): void {
  sql.exec(`PRAGMA wal_autocheckpoint = ${PAGES_BETWEEN_CHECKPOINTS}`);
}

function upgrade(sql: DatabaseSync, path: string): void {
  const found = pragma(sql, "user_version");
  const application = pragma(sql, "application_id");
  if (application !== APPLICATION_ID && !(application === 0 && found === 0 && isEmpty(sql))) {
    throw new StorageError(`${path} is a SQLite file, but not one of an embedded deployment.`);
  }
  if (found > FORMAT) {
    throw new StorageError(
      `${path} has format ${found}; this version reads up to format ${FORMAT}. It was written by a newer version: use that one, or a backup from before.`,
    );
  }
  for (const step of FORMATS.slice(found)) sql.exec(step);
  sql.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}`);
}

function isEmpty(sql: DatabaseSync): boolean {
  return sql.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

function pragma(sql: DatabaseSync, name: string): number {
  return Number(sql.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function explained(error: unknown, dir: string, path: string): unknown {
  if (error instanceof StorageError || !(error instanceof Error)) return error;
  if (/database is locked/.test(error.message)) {
    return new StorageError(`Another process is using the data in ${dir}. Only one may at a time: stop it first.`, error);
  }
  if (/not a database/.test(error.message)) return new StorageError(`${path} is not a SQLite file.`, error);
  return new StorageError(`Cannot open ${path}: ${error.message}`, error);
}
