export type CookieNames = { secure: boolean; prefix: string; session: string; convexToken: string; device: string; lastMethod: string };

/** Returns the cookie names. On https the `__Host-` prefix prevents cookies set by other hosts or plain http (RFC 6265bis, 4.1.3.2). */
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

export function readCookie(headers: Headers, name: string): string | null {
  for (const pair of headers.get("Cookie")?.split(";") ?? []) {
    const [key, ...value] = pair.split("=");
    if (key?.trim() === name) return value.join("=").trim();
  }
  return null;
}
