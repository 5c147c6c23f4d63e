import { safeRedirect } from "remix-utils/safe-redirect";

/** An origin that no address of ours can have: what resolves to it is a path of our own. */
const NOWHERE = "https://nowhere.invalid";

/** Backslashes and control characters, which browsers read as slashes or leave out, plain or percent-encoded once or more. */
const AMBIGUOUS = /[\\\u0000-\u001f\u007f-\u009f]|%(25)*(5c|2f|0[0-9a-f]|1[0-9a-f]|7f)/i;

/** Signing in leads to no page that is only for those who are not, to none that signs out again, and into no program's address. */
const LEADS_NOWHERE = /^\/(sign-in|sign-up|sign-out|forgot-password|reset-password|api)(\/|$)/;

/** What a mail brings to delete an account, which is for the owner's session alone: whoever opens it signed out signs in on the way. */
export const DELETION_LINK = "/api/auth/delete-user/callback";

/**
 * Where to go after signing in: the wanted path, if it is one of our own beyond doubt, else `fallback`. What a browser, a router or a proxy
 * might read as another site's address is not (`//evil`, `/\evil`, encoded or not).
 */
export function safeTarget(wanted: unknown, fallback = "/projects"): string {
  const path = safeRedirect(typeof wanted === "string" ? wanted : null, fallback);
  const [pathname = ""] = path.split(/[?#]/, 1);
  if (AMBIGUOUS.test(pathname) || /[\\\u0000-\u001f]/.test(path) || pathname.includes("//")) return fallback;
  const url = URL.parse(path, NOWHERE);
  if (url?.origin !== NOWHERE) return fallback;
  return LEADS_NOWHERE.test(url.pathname) && url.pathname !== DELETION_LINK ? fallback : url.pathname + url.search + url.hash;
}
