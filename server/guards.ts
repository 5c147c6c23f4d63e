import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/**
 * What stands on each answer that does not come from the app's own pages: nothing runs in it, nobody frames or embeds it, and it is what it says
 * that it is (OWASP Secure Headers; ASVS 5.0, 3.4). The app's answers have a policy of their own (`app/http/security-headers.server.ts`).
 */
export type Guards = Readonly<Record<string, string>>;

const ALWAYS: Guards = {
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** A cache may keep what has some statuses, 404 among them, unless it is told not to (RFC 9111, 4.2.2). */
const UNKEPT = { "Cache-Control": "no-store" };

/** @param appUrl where people find us; on https browsers are told to stay there, as the app's pages tell them */
export const guardsFor = (appUrl: URL | null): Guards =>
  appUrl?.protocol === "https:" ? { ...ALWAYS, "Strict-Transport-Security": "max-age=31536000; includeSubDomains" } : ALWAYS;

/** The same answer with the guards, where it has none: one that passed by the app's middleware. */
export function guarded(response: Response, guards: Guards): Response {
  if (response.headers.has("X-Content-Type-Options") && response.headers.has("Content-Security-Policy")) return response;
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries({ ...guards, ...UNKEPT })) if (!headers.has(name)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}

/** Answers on a bare connection with nothing but a status, and closes it. */
export function turnAway(socket: Duplex, status: number, guards: Guards): void {
  const lines = Object.entries({ ...guards, ...UNKEPT }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}Connection: close\r\nContent-Length: 0\r\n\r\n`);
}
