/** What `.` in a regular expression leaves out, and so React Router's `*` (ECMA-262, LineTerminator). */
const LINE_BREAK = /[\n\r\u2028\u2029]/;

/**
 * The address as it is, where its path can be read. One that cannot, since a `%` in it begins nothing or since it breaks a line, stands for its own
 * characters instead: React Router would print the one, whatever secret is in it, and has for the other not even the route that says 'Page not found'
 * (specification 2), so that it would end in a fault.
 * @param target path and query (RFC 9112, 3.2.1)
 */
export function readable(target: string): string {
  const [path = ""] = target.split("?", 1);
  return !path.includes("%") || isReadable(path) ? target : path.replaceAll("%", "%25") + target.slice(path.length);
}

function isReadable(path: string): boolean {
  try {
    return !LINE_BREAK.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
