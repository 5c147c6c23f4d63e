import { lookup as lookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { createDnsLookup, type Lookup } from "./dns-lookup.server";

type Limits = { maxBytes: number; timeoutMs: number };

export type Network = {
  protocol: string;
  isAllowed: (address: string) => boolean;
  lookup?: Lookup;
  request: (
    url: URL,
    options: RequestOptions,
    onResponse: (response: IncomingMessage) => void,
  ) => { end(body?: string): void; once: (event: "error", listener: (error: Error) => void) => unknown };
};

export const INTERNET: Network = { protocol: "https:", isAllowed: isPublicAddress, lookup: createDnsLookup(), request: requestHttps };

const REDIRECTS = 3;

/** Fetches a public file over https. Checks the resolved address of the connection to prevent SSRF (OWASP). */
export async function fetchPublic(address: string, { maxBytes, timeoutMs }: Limits, network = INTERNET): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = new URL(address);
  for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
    const response = await open(url, signal, network);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location) {
      response.destroy();
      url = new URL(headers.location, url);
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      throw new Error(`The server responded with ${statusCode}.`);
    }
    return read(response, maxBytes);
  }
  throw new Error("There are too many redirects.");
}

export type Post = { body: string; headers: Record<string, string>; timeoutMs: number };

/** Posts a text to a public server over https, and returns the status. Follows and checks redirects that keep the method (307, 308). */
export async function postPublic(address: string, { body, headers, timeoutMs }: Post, network = INTERNET): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = new URL(address);
  for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
    const response = await open(url, signal, network, { method: "POST", headers, body });
    const { statusCode = 0, headers: received } = response;
    response.destroy();
    if ((statusCode !== 307 && statusCode !== 308) || !received.location) return statusCode;
    url = new URL(received.location, url);
  }
  throw new Error("There are too many redirects.");
}

export type Exchange = Limits & { method: "GET" | "POST"; headers: Record<string, string>; body?: string };

/** Sends a request to a public server over https, and returns the status and the content. Follows no redirects. */
export async function exchangePublic(
  address: string,
  { maxBytes, timeoutMs, ...sent }: Exchange,
  network = INTERNET,
): Promise<{ status: number; body: Buffer }> {
  const response = await open(new URL(address), AbortSignal.timeout(timeoutMs), network, sent);
  return { status: response.statusCode ?? 0, body: await read(response, maxBytes) };
}

type Sent = { method?: string; headers: Record<string, string>; body?: string };
const IMAGE: Sent = { headers: { Accept: "image/*" } };

function open(
  url: URL,
  signal: AbortSignal,
  { protocol, isAllowed, lookup = lookupAddress, request }: Network,
  { body, ...options }: Sent = IMAGE,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== protocol || url.username !== "" || url.password !== "") throw new Error("The address is not allowed.");
  if (isIP(host) !== 0 && !isAllowed(host)) throw new Error("The address is not public.");
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, signal, agent: false, lookup: checkedLookup(isAllowed, lookup) }, resolve);
    sent.once("error", reject);
    sent.end(body);
  });
}

function checkedLookup(isAllowed: Network["isAllowed"], lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error("The host name has no address."), "", 0);
      if (!addresses.every(({ address }) => isAllowed(address))) return callback(new Error("The address is not public."), "", 0);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new Error("The file is too large.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Excludes the special-purpose addresses of IANA's registries (RFC 6890). */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !SPECIAL.check(address, "ipv4");
  return family === 6 && GLOBAL_UNICAST.check(address, "ipv6") && !SPECIAL.check(address, "ipv6");
}

const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet("2000::", 3, "ipv6");

const SPECIAL = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  SPECIAL.addSubnet(network, prefix, "ipv4");
// Protocol assignments with Teredo, documentation, 6to4 (contains an IPv4 address), documentation.
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  SPECIAL.addSubnet(network, prefix, "ipv6");
