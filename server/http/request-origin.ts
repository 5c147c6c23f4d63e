import type { IncomingMessage } from "node:http";

export type OriginSettings = {
  origins: readonly string[];
  trustedProxyHops: number;
};

/** Returns a request's origin, or null for an unknown host. Without APP_URL only loopback hosts are known, against DNS rebinding. */
export function requestOrigin(request: IncomingMessage, { origins, trustedProxyHops }: OriginSettings): string | null {
  const forwarded = (name: string) => (origins.length > 0 ? forwardedValue(request.headers[name], trustedProxyHops) : null);
  const host = forwarded("x-forwarded-host") ?? request.headers.host ?? "";
  const url = AUTHORITY.test(host) ? URL.parse(`http://${host}`) : null;
  if (!url) return null;
  // Some proxies drop the port, so names are compared before ports.
  const named = origins.filter((origin) => new URL(origin).hostname === url.hostname);
  if (named.length === 0) return isLoopback(url.hostname) ? (origins[0] ?? url.origin) : null;
  const ofScheme = named.filter((origin) => new URL(origin).protocol === `${forwarded("x-forwarded-proto")}:`);
  const candidates = ofScheme.length > 0 ? ofScheme : named;
  const exact = candidates.find((origin) => URL.parse(`${new URL(origin).protocol}//${host}`)?.origin === origin);
  return exact ?? candidates[0] ?? null;
}

/** Returns the entry of the outermost trusted proxy, counted from the right. */
export function forwardedValue(header: string | string[] | undefined, trustedProxyHops: number): string | null {
  if (trustedProxyHops === 0 || header === undefined) return null;
  const entries = String(header).split(",");
  return entries[Math.max(entries.length - trustedProxyHops, 0)]?.trim() ?? null;
}

/** Only host and port (RFC 9112, 3.2). */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

export function isLoopback(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}
