import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Headers by which proxies (and, as x-atelier-*, we ourselves) tell about a request. Anyone can send them, so none goes further than here. */
const CLAIMS = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|x-atelier-.*)$/;

/** Our own word on where a request came from, for who only sees the request (Better Auth's rate limits among them). */
export const CLIENT_ADDRESS_HEADER = "x-atelier-client-address";

/**
 * Replaces every header by which a request claims an address with our own one.
 *
 * Each proxy appends to X-Forwarded-For the address it was spoken to from, so the entries are counted from the right: behind one trusted proxy
 * the last entry is true, behind two the last but one, and what stands further left was written by strangers.
 * @param hops how many proxies in front of us are trusted (TRUSTED_PROXY_HOPS)
 */
export function markClientAddress(request: IncomingMessage, hops: number): void {
  const told = String(request.headers["x-forwarded-for"] ?? "");
  for (const name of Object.keys(request.headers)) if (CLAIMS.test(name)) delete request.headers[name];
  const peer = plainAddress(request.socket.remoteAddress ?? "") ?? "";
  const chain = [...told.split(",").map((entry) => plainAddress(entry)), peer];
  // Fewer entries than trusted proxies: the request went round one of them, and the entry furthest back is as far as trust reaches.
  request.headers[CLIENT_ADDRESS_HEADER] = (hops === 0 ? peer : chain[Math.max(chain.length - 1 - hops, 0)]) ?? peer;
}

/** What `markClientAddress` wrote. */
export const clientAddress = (request: Request): string => request.headers.get(CLIENT_ADDRESS_HEADER) ?? "";

/** "[2001:db8::1]:443", "192.0.2.1:80" and "::ffff:192.0.2.1" as plain addresses; null: no address. */
export function plainAddress(text: string): string | null {
  const trimmed = text.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const mapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(mapped) ? mapped : null;
}
