import { safeRedirect } from "remix-utils/safe-redirect";

const NOWHERE = "https://nowhere.invalid";

/** Backslashes and control characters, plain or percent-encoded. Browsers read them as slashes or drop them. */
const AMBIGUOUS = /[\\\u0000-\u001f\u007f-\u009f]|%(25)*(5c|2f|0[0-9a-f]|1[0-9a-f]|7f)/i;

const EXCLUDED_PATHS = /^\/(sign-in|sign-up|sign-out|forgot-password|reset-password|api)(\/|$)/;

/** The emailed link that deletes an account. A signed-out owner signs in first. */
export const DELETION_LINK = "/api/auth/delete-user/callback";

/** Returns the requested path if it is a path of the app, else `fallback`. Rejects open redirects such as `//evil` and `/\evil`. */
export function safeRedirectPath(wanted: unknown, fallback = "/projects"): string {
  const path = safeRedirect(typeof wanted === "string" ? wanted : null, fallback);
  const [pathname = ""] = path.split(/[?#]/, 1);
  if (AMBIGUOUS.test(pathname) || /[\\\u0000-\u001f]/.test(path) || pathname.includes("//")) return fallback;
  const url = URL.parse(path, NOWHERE);
  if (url?.origin !== NOWHERE) return fallback;
  return EXCLUDED_PATHS.test(url.pathname) && url.pathname !== DELETION_LINK ? fallback : url.pathname + url.search + url.hash;
}
