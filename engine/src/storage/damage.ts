import { DamagedDataError } from "../values/errors.ts";

/** SQLite result codes (https://www.sqlite.org/rescode.html). After a failed fsync the disk's content is unknown. */
const PRIMARY = new Set([11 /* CORRUPT */, 26 /* NOTADB */]);
const EXTENDED = new Set([
  266 /* IOERR_READ */, 522 /* IOERR_SHORT_READ */, 1034 /* IOERR_FSYNC */, 8202 /* IOERR_DATA */, 8458 /* IOERR_CORRUPTFS */,
]);

export function damageIn(error: unknown): DamagedDataError | null {
  if (error instanceof DamagedDataError) return error;
  if (!(error instanceof Error)) return null;
  const code = "errcode" in error ? Number(error.errcode) : 0;
  if (PRIMARY.has(code & 0xff) || EXTENDED.has(code)) return new DamagedDataError(error.message, error);
  return error.cause === undefined ? null : damageIn(error.cause);
}
