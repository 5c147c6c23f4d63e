import { createHash } from "node:crypto";
import { type CookieNames, readCookie } from "../cookies";
import { USER_TOKEN_SECONDS } from "./tokens.server";

/** The cookie with the deployment token saves a session lookup per page. It starts with a hash of the session cookie it belongs to. */

export function readConvexToken(headers: Headers, names: CookieNames): string | null {
  const session = readCookie(headers, names.session);
  const [mark, ...token] = readCookie(headers, names.convexToken)?.split(".") ?? [];
  return session !== null && mark === markOf(session) ? token.join(".") : null;
}

export const storeConvexToken = (names: CookieNames, session: string, token: string) =>
  setCookie(names, `${markOf(session)}.${token}`, USER_TOKEN_SECONDS);

export const clearConvexToken = (names: CookieNames) => setCookie(names, "", 0);

const setCookie = ({ convexToken, secure }: CookieNames, value: string, maxAge: number) =>
  `${convexToken}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure ? "; Secure" : ""}`;

const markOf = (session: string) => createHash("sha256").update(session).digest("base64url").slice(0, 16);
