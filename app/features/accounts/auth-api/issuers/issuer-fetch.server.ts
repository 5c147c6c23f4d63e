import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { exchangePublic, INTERNET, type Network } from "~/lib/http/fetch/public-fetch.server";

const LIMITS = { maxBytes: 512 * 1024, timeoutMs: 5000 };

type Sent = { method?: "GET" | "POST"; headers?: Record<string, string>; body?: URLSearchParams; timeoutMs?: number };

/** Sends a request to an issuer's endpoint and returns its JSON. Follows no redirects. Hosts other than the issuer's must be public. */
export async function fetchFromIssuer(
  issuer: string,
  address: string,
  { method = "GET", headers = {}, body, ...limits }: Sent = {},
): Promise<unknown> {
  const sent = {
    method,
    headers: { Accept: "application/json", ...headers },
    ...(body && { body: body.toString() }),
    ...LIMITS,
    ...limits,
  };
  const answer = await exchangePublic(address, sent, networkOf(issuer, address));
  const text = answer.body.toString("utf8");
  if (answer.status !== 200) throw new Error(`${new URL(address).host} responded with ${answer.status}${reasonIn(text)}`);
  const content = jsonIn(text);
  if (content === undefined) throw new Error(`${new URL(address).host} responded without JSON`);
  return content;
}

/** Returns whether browsers may be sent to an endpoint: over https, or to the issuer's own origin. */
export const isAllowedForBrowsers = (issuer: string, address: string): boolean =>
  address.startsWith("https://") || new URL(address).origin === new URL(issuer).origin;

/** The operator configured the issuer's host, so its address may be private. */
function networkOf(issuer: string, address: string): Network {
  const { hostname, protocol } = new URL(issuer);
  if (new URL(address).hostname !== hostname) return INTERNET;
  return { protocol, isAllowed: () => true, request: protocol === "http:" ? requestHttp : requestHttps };
}

/** Returns the error code of an OAuth error response (RFC 6749, 5.2). */
function reasonIn(text: string): string {
  const error: unknown = Object(jsonIn(text)).error;
  return typeof error === "string" ? ` (${error.slice(0, 100)})` : "";
}

/** Returns undefined for invalid JSON, whose error message would quote the text. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
