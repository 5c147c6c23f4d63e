/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13;

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (("errcode" in error && error.errcode === SQLITE_FULL) ||
    ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) ||
    isDiskFull(error.cause));
