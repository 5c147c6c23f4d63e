import { type MiddlewareFunction, RouterContextProvider } from "react-router";
import { createSecureHeadersMiddleware } from "remix-utils/middleware/secure-headers";
import type { AppConfig } from "~/config";
import { configContext, nonceContext } from "../context";
import { withMutableHeaders } from "../mutable-headers";
import { isTrustworthy, originOf } from "../origin.server";

const OVERRIDABLE = new Set(["content-security-policy", "cross-origin-resource-policy"]);

const STRIPE_PAGES = ["https://checkout.stripe.com", "https://billing.stripe.com"];

export const secureHeaders: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const config = context.get(configContext);
  const nonce = crypto.randomUUID();
  context.set(nonceContext, nonce);
  const response = withMutableHeaders(await next());
  const origin = originOf(config, request);
  const scheme = origin.startsWith("https:") ? "https" : isTrustworthy(origin) ? "loopback" : "http";
  for (const [name, value] of await headersFor(config, scheme, config.strictTransportSecurity[origin])) {
    if (OVERRIDABLE.has(name) && response.headers.has(name)) continue;
    response.headers.set(name, value.replace(NONCE, nonce));
  }
  return response;
};

/** Browsers treat loopback as a secure context although it has no TLS. */
type Scheme = "https" | "loopback" | "http";

function headersFor(config: AppConfig, scheme: Scheme, strict: string | undefined): Promise<[name: string, value: string][]> {
  const cached = headers.get(config) ?? {};
  headers.set(config, cached);
  return (cached[`${scheme} ${strict}`] ??= headersOf(config, scheme, strict));
}

const headers = new WeakMap<AppConfig, Record<string, Promise<[string, string][]>>>();

const NONCE = "{nonce}";

async function headersOf(config: AppConfig, scheme: Scheme, strict: string | undefined): Promise<[string, string][]> {
  const secure = scheme === "https";
  const [setHeaders] = createSecureHeadersMiddleware({
    contentSecurityPolicy: policy(config, NONCE, secure),
    // With remix-utils' "no-referrer" browsers send `Origin: null` with forms, which origin checks must reject.
    referrerPolicy: "same-origin",
    strictTransportSecurity: strict ?? false,
    xFrameOptions: "DENY",
    // Outside a secure context, browsers ignore both headers and warn in the console.
    crossOriginOpenerPolicy: scheme !== "http",
    originAgentCluster: scheme !== "http",
    xDownloadOptions: false,
    permissionsPolicy: { camera: [], microphone: [], geolocation: [], payment: [], usb: [], browsingTopics: [] },
  });
  const request = new Request("http://localhost/");
  const args = { request, url: new URL(request.url), params: {}, pattern: "", context: new RouterContextProvider() };
  const response = await setHeaders(args, async () => new Response());
  return response instanceof Response ? [...response.headers] : [];
}

function policy({ production, browserConvex, payments }: AppConfig, nonce: string, secure: boolean) {
  // Vite's client reconnects to its own port.
  const development = production ? [] : ["ws:"];
  return {
    defaultSrc: ["'self'"],
    baseUri: ["'none'"],
    objectSrc: ["'none'"],
    frameAncestors: ["'none'"],
    scriptSrc: ["'self'", `'nonce-${nonce}'`],
    // sonner and React's style attributes have no nonce.
    styleSrc: ["'self'", "'unsafe-inline'"],
    // `data:` placeholders and `blob:` previews. Pictures of providers are copied (`auth-api/providers/provider-picture.server.ts`).
    imgSrc: ["'self'", "data:", "blob:"],
    connectSrc: ["'self'", ...(browserConvex.kind === "direct" ? originsOf(browserConvex.url) : []), ...development],
    // Vite's client uses a worker to wait for its server.
    ...(!production && { workerSrc: ["'self'", "blob:"] }),
    // Browsers apply this to a form's redirect too: upgrades lead to Stripe. Provider sign-ins leave by a link (`provider-redirect.tsx`).
    formAction: ["'self'", ...(payments ? STRIPE_PAGES : [])],
    ...(production && { requireTrustedTypesFor: ["'script'"], trustedTypes: ["'none'"] }),
    ...(secure && { upgradeInsecureRequests: [] }),
  };
}

function originsOf(url: string): string[] {
  const { origin } = new URL(url);
  return [origin, origin.replace(/^http/, "ws")];
}
