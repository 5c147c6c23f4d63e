import { createHash } from "node:crypto";
import { type CookieNames, readCookie } from "./cookies";
import { USER_TOKEN_SECONDS } from "./tokens.server";

/**
 * The cookie in which a visitor's token for the deployment waits for the next request, so that no page asks Better Auth for the session. It
 * begins with a mark of the session cookie that it was made from: with another session, or none, it counts for nothing, however the two came
 * apart.
 */

/** The token that came with a request, if it belongs to the session cookie beside it. */
export function readConvexToken(headers: Headers, names: CookieNames): string | null {
  const session = readCookie(headers, names.session);
  const [mark, ...token] = readCookie(headers, names.convexToken)?.split(".") ?? [];
  return session !== null && mark === markOf(session) ? token.join(".") : null;
}

/** The `Set-Cookie` that keeps a token for the session whose cookie is given. */
export const keepConvexToken = (names: CookieNames, session: string, token: string) =>
  setCookie(names, `${markOf(session)}.${token}`, USER_TOKEN_SECONDS);

/** The `Set-Cookie` that removes it. */
export const forgetConvexToken = (names: CookieNames) => setCookie(names, "", 0);

/** Marks and tokens are base64url and dots, which a cookie takes as they are. */
const setCookie = ({ convexToken, secure }: CookieNames, value: string, maxAge: number) =>
  `${convexToken}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure ? "; Secure" : ""}`;

const markOf = (session: string) => createHash("sha256").update(session).digest("base64url").slice(0, 16);
