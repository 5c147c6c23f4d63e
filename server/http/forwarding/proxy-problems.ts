import type { IncomingMessage } from "node:http";
import type { Log } from "../../logging/log.ts";
import { DeploymentForwarder } from "./forward.ts";
import { forwardedValue, type OriginSettings } from "../request-origin.ts";

const FORWARDED = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"];

const TEXTS = {
  hops: "requests have forwarded headers, but TRUSTED_PROXY_HOPS is 0. Behind a proxy, all clients then share one rate limit: set it to the number of proxies (docs/proxies.md)",
  websockets:
    "a proxy does not forward websockets, so pages update over HTTP. Let it forward the headers Upgrade and Connection (in nginx: proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;). See docs/proxies.md",
};

/** Returns a function that logs each problem of a proxy once, at the first request that shows it, and passes it to `onProblem`. */
export function createProxyWatch(
  settings: OriginSettings,
  log: Log,
  onProblem: (text: string) => void = () => {},
): (request: IncomingMessage, origin: string | null) => void {
  const logged = new Set<string>();
  const warn = (problem: string, text: string) => {
    if (logged.has(problem)) return;
    logged.add(problem);
    log.warn(text);
    onProblem(text);
  };
  return (request, origin) => {
    if (settings.trustedProxyHops === 0 && FORWARDED.some((name) => request.headers[name] !== undefined)) warn("hops", TEXTS.hops);
    if (DeploymentForwarder.isStripped(request)) warn("websockets", TEXTS.websockets);
    const scheme = origin === null ? null : openedScheme(request, origin, settings.trustedProxyHops);
    if (scheme !== null && scheme !== new URL(origin ?? "").protocol) warn("scheme", schemeText(scheme, settings.origins));
  };
}

function openedScheme({ headers }: IncomingMessage, origin: string, hops: number): string | null {
  const forwarded = forwardedValue(headers["x-forwarded-proto"], hops);
  if (forwarded === "http" || forwarded === "https") return `${forwarded}:`;
  const page = URL.parse(headers.origin ?? "");
  return page?.host === headers.host && page?.hostname === new URL(origin).hostname ? page.protocol : null;
}

const schemeText = (scheme: string, origins: readonly string[]): string =>
  `people open the app with ${scheme}//, but ${origins.length > 0 ? `APP_URL is ${origins.join(",")}` : "APP_URL is not set"}, so forms are rejected or sessions are lost. Set APP_URL to the address that people open`;
