import type { IncomingMessage } from "node:http";

/**
 * The origin under which this request reached us; null: under a name that is not ours.
 *
 * With APP_URL there is one answer, whatever the Host header says. Without it we are on somebody's own machine and any loopback name will do,
 * but no other: a foreign name that leads here is how web pages reach into a machine (DNS rebinding).
 */
export function requestOrigin(request: IncomingMessage, appUrl: URL | null): string | null {
  if (appUrl) return appUrl.origin;
  const host = request.headers.host ?? "";
  const url = AUTHORITY.test(host) ? URL.parse(`http://${host}`) : null;
  return url && isLoopback(url.hostname) ? url.origin : null;
}

/** A host and a port, and nothing that would make another address of what stands behind it (RFC 9112, 3.2). */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

function isLoopback(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}
