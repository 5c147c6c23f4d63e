import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { isLoopback } from "./request-origin.ts";

/** Headers of responses outside the app (OWASP Secure Headers; ASVS 5.0, 3.4). Those of pages: `security-headers.server.ts`. */
export type Guards = Readonly<Record<string, string>>;

const ALWAYS: Guards = {
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Caches may otherwise store some statuses, such as 404 (RFC 9111, 4.2.2). */
const NO_STORE = { "Cache-Control": "no-store" };

/** Outside a secure context browsers ignore it and warn in the console. */
const SECURE_CONTEXT: Guards = { "Cross-Origin-Opener-Policy": "same-origin" };

export function guardsFor(origin: string | null, origins: readonly string[] = []): Guards {
  const url = origin === null ? null : new URL(origin);
  const secureContext = url === null || url.protocol === "https:" || isLoopback(url.hostname);
  const strict = origin === null ? undefined : strictTransportSecurityOf(origins)[origin];
  return { ...ALWAYS, ...(secureContext && SECURE_CONTEXT), ...(strict !== undefined && { "Strict-Transport-Security": strict }) };
}

/** Returns the HSTS header. HSTS covers all ports (RFC 6797, 8.3), so hosts that APP_URL also names with http receive "max-age=0". */
export function strictTransportSecurityOf(origins: readonly string[]): Record<string, string> {
  const plain = origins.filter((origin) => origin.startsWith("http:")).map((origin) => new URL(origin).hostname);
  return Object.fromEntries(
    origins
      .filter((origin) => origin.startsWith("https:"))
      .map((origin) => {
        const { hostname } = new URL(origin);
        if (plain.includes(hostname)) return [origin, "max-age=0"];
        return [origin, `max-age=31536000${plain.some((name) => name.endsWith(`.${hostname}`)) ? "" : "; includeSubDomains"}`];
      }),
  );
}

export function withGuards(response: Response, guards: Guards): Response {
  if (response.headers.has("X-Content-Type-Options") && response.headers.has("Content-Security-Policy")) return response;
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries({ ...guards, ...NO_STORE })) if (!headers.has(name)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}

/** Adds `no-transform` to HTML (RFC 9111, 5.2.2.6): React discards hydrated pages that a proxy such as Cloudflare rewrote. */
export function withNoTransform(response: Response): Response {
  const { headers } = response;
  const cacheControl = headers.get("Cache-Control");
  if (/^text\/html\b/i.test(headers.get("Content-Type") ?? "") && !cacheControl?.includes("no-transform"))
    headers.append("Cache-Control", "no-transform");
  return response;
}

export function rejectSocket(socket: Duplex, status: number, guards: Guards): void {
  const lines = Object.entries({ ...guards, ...NO_STORE }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}Connection: close\r\nContent-Length: 0\r\n\r\n`);
}
