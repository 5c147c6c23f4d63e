import type { AppConfig } from "~/config";

const cache = new WeakMap<Request, string>();

export function originOf({ origins }: AppConfig, request: Request): string {
  const origin = cache.get(request) ?? new URL(request.url).origin;
  cache.set(request, origin);
  return origins.includes(origin) ? origin : (origins[0] ?? origin);
}

/** Returns whether an origin is a secure context (https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy). */
export function isTrustworthy(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return (
    protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost") || /^(?:\[::1\]|127(?:\.\d+){3})$/.test(hostname)
  );
}
