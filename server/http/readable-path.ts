/** Characters that React Router's `*` does not match (ECMA-262, LineTerminator). */
const LINE_BREAK = /[\n\r\u2028\u2029]/;

/** Escapes unreadable paths. React Router would print them, secrets included, and matches no route for line breaks. */
export function escapeUnreadablePath(target: string): string {
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
