export type CookieNames = { secure: boolean; prefix: string; session: string; convexToken: string; device: string; lastMethod: string };

/**
 * The names of the accounts' cookies. On https they carry the `__Host-` prefix, by which the browser itself warrants that no other host and no
 * unencrypted page has set them (RFC 6265bis, 4.1.3.2).
 */
export function cookieNames(origin: string): CookieNames {
  const secure = origin.startsWith("https:");
  const prefix = secure ? "__Host-atelier" : "atelier";
  return {
    secure,
    prefix,
    session: `${prefix}.session_token`,
    convexToken: `${prefix}.convex_token`,
    device: `${prefix}.device`,
    lastMethod: `${prefix}.last_method`,
  };
}

/** The value of a cookie of a request, as it was sent; null: there is none of this name. */
export function readCookie(headers: Headers, name: string): string | null {
  for (const pair of headers.get("Cookie")?.split(";") ?? []) {
    const [key, ...value] = pair.split("=");
    if (key?.trim() === name) return value.join("=").trim();
  }
  return null;
}
