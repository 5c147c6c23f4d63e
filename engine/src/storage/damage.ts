import { DamagedDataError } from "../values/errors.ts";

/** SQLite result codes (https://www.sqlite.org/rescode.html). */
const PRIMARY = new Set([11 /* CORRUPT */, 26 /* NOTADB */]);
const EXTENDED = new Set([266 /* IOERR_READ */, 522 /* IOERR_SHORT_READ */, 8202 /* IOERR_DATA */, 8458 /* IOERR_CORRUPTFS */]);
/** After a failed fsync, the content of the disk is unknown, and another fsync can succeed without storing it. */
const FAILED_SYNCS = new Set([1034 /* IOERR_FSYNC */, 1290 /* IOERR_DIR_FSYNC */]);

export function damageIn(error: unknown): DamagedDataError | null {
  if (error instanceof DamagedDataError) return error;
  if (!(error instanceof Error)) return null;
  const code = "errcode" in error ? Number(error.errcode) : 0;
  if (FAILED_SYNCS.has(code) || isFailedSync(error)) return new DamagedDataError("the disk failed to store data", error);
  if (PRIMARY.has(code & 0xff) || EXTENDED.has(code)) return new DamagedDataError(error.message, error);
  return error.cause === undefined ? null : damageIn(error.cause);
}

const isFailedSync = (error: Error): boolean =>
  "code" in error && error.code === "EIO" && "syscall" in error && (error.syscall === "fsync" || error.syscall === "fdatasync");
