import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Headers about a request's origin from proxies or from us (x-atelier-*). Anyone can send them, so they are removed. */
const CLAIMS = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|x-atelier-.*)$/;

export const CLIENT_ADDRESS_HEADER = "x-atelier-client-address";

/** Sets our own address header. X-Forwarded-For is counted from the right, because clients can write the entries on the left. */
export function markClientAddress(request: IncomingMessage, hops: number): void {
  const message = String(request.headers["x-forwarded-for"] ?? "");
  for (const name of Object.keys(request.headers)) if (CLAIMS.test(name)) delete request.headers[name];
  const peer = plainAddress(request.socket.remoteAddress ?? "") ?? "";
  const chain = [...message.split(",").map((entry) => plainAddress(entry)), peer];
  // Fewer entries than trusted proxies: the request bypassed one, so the leftmost entry counts.
  request.headers[CLIENT_ADDRESS_HEADER] = (hops === 0 ? peer : chain[Math.max(chain.length - 1 - hops, 0)]) ?? peer;
}

export const clientAddress = (request: Request): string => request.headers.get(CLIENT_ADDRESS_HEADER) ?? "";

/** Parses addresses with ports, brackets or an IPv4 mapping; null: no address. */
export function plainAddress(text: string): string | null {
  const trimmed = text.trim();
  const address = /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  return isIP(address) ? withoutMapping(address) : null;
}

function withoutMapping(address: string): string {
  // URL hosts have one notation (URL Standard, 3.5).
  const host = isIP(address) === 6 ? URL.parse(`http://[${address}]`)?.hostname : undefined;
  const [, high = "", low = ""] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host ?? "") ?? [];
  if (high === "") return address;
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join(".");
}
