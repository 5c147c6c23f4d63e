import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StorageError } from "../values/errors.ts";
import { damageIn } from "./damage.ts";
import { isDiskFull } from "./disk-full.ts";
import { createFolder } from "./folders.ts";
import { FORMAT, FORMATS } from "./format.ts";

export { FORMAT } from "./format.ts";

export const FILE_NAME = "deployment.sqlite3";
/** "Atel" (https://www.sqlite.org/fileformat.html#application_id). */
const APPLICATION_ID = 0x4174656c;
const LOCK_WAIT_MS = 2_000;
const CACHE_KIB = 64 * 1024;
/** Reads are memory-mapped: at a million rows, copying would take a third of the time. */
const MAPPED_BYTES = 1024 ** 3;
const COMPACTED_FROM_BYTES = 16 * 1024 * 1024;
const NO_AUTO_VACUUM = 0;
const KEPT_LOG_BYTES = 64 * 1024 * 1024;

/** Opens and locks the file until the process ends. @throws StorageError when locked, or for a newer format or a foreign file */
export function openFile(dir: string): DatabaseSync {
  createFolder(dir);
  const path = join(dir, FILE_NAME);
  const sql = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // Taking the exclusive lock before reading the log keeps the log's index in memory.
    sql.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Only effective before the first table, or with the next VACUUM.
    sql.exec("PRAGMA auto_vacuum = INCREMENTAL");
    sql.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = ${MAPPED_BYTES};
      PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${KEPT_LOG_BYTES}; PRAGMA secure_delete = ON`);
    // Format 1 did not overwrite deleted data.
    if (pragma(sql, "user_version") === 1) sql.exec("VACUUM");
    else compactEarlierFile(sql);
    sql.exec("BEGIN IMMEDIATE");
    upgrade(sql, path);
    sql.exec("COMMIT");
    return sql;
  } catch (error) {
    sql.close();
    throw explained(error, dir, path);
  }
}

/** Opens an unused copy read-only and immutable, so it may be on read-only media. */
export function openCopy(dir: string): DatabaseSync {
  return new DatabaseSync(`${pathToFileURL(join(dir, FILE_NAME)).href}?immutable=1`, { readOnly: true });
}

/** Offset of `user_version` (https://www.sqlite.org/fileformat.html#user_version_number). */
const FORMAT_OFFSET = 60;

/** Returns the format in the header of the file, without opening the database; null without data. */
export async function readStoredFormat(dir: string): Promise<number | null> {
  const file = await open(join(dir, FILE_NAME), "r").catch(() => null);
  if (!file) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, FORMAT_OFFSET);
    return bytesRead < 4 ? null : buffer.readUInt32BE();
  } finally {
    await file.close();
  }
}

/** Moves the log into the database file, so that the file alone can be copied. @throws StorageError when another process uses it */
export function settleFile(dir: string): void {
  const path = join(dir, FILE_NAME);
  const sql = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    sql.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    throw explained(error, dir, path);
  } finally {
    sql.close();
  }
}

/** Earlier versions created files that cannot shrink while they are open. */
function compactEarlierFile(sql: DatabaseSync): void {
  const pages = pragma(sql, "page_count");
  const isLarge = pages * pragma(sql, "page_size") >= COMPACTED_FROM_BYTES;
  if (pragma(sql, "auto_vacuum") !== NO_AUTO_VACUUM || !isLarge || pragma(sql, "freelist_count") < pages / 2) return;
  try {
    // The remaining data may not fit into the memory.
    sql.exec("PRAGMA temp_store = FILE; VACUUM");
  } catch (error) {
    // The data is unchanged and complete, only larger.
    if (!isDiskFull(error)) throw error;
  } finally {
    sql.exec("PRAGMA temp_store = MEMORY");
  }
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
    return new StorageError(`Another process is using the data in ${dir}. Only one process can use it: stop the other one first.`, error);
  }
  if (/not a database/.test(error.message)) return new StorageError(`${path} is not a SQLite file.`, error);
  return damageIn(error) ?? new StorageError(`Cannot open ${path}: ${error.message}`, error);
}
