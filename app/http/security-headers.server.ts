import { type MiddlewareFunction, RouterContextProvider } from "react-router";
import { createSecureHeadersMiddleware } from "remix-utils/middleware/secure-headers";
import type { AppConfig } from "~/config";
import { configContext, nonceContext } from "./context";
import { mutable } from "./mutable";
import { originOf } from "./origin.server";

/** Headers that a route may set for its own answer, such as a picture's policy; by the names that `Headers` tells. */
const OVERRIDABLE = new Set(["content-security-policy", "cross-origin-resource-policy"]);

/** Stripe's own pages, to which the forms of `/billing` lead: what is bought there, and what is changed. */
const STRIPE_PAGES = ["https://checkout.stripe.com", "https://billing.stripe.com"];

/** Makes the response's nonce, and sets the headers that keep a page to itself (OWASP Secure Headers). */
export const secureHeaders: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const config = context.get(configContext);
  const nonce = crypto.randomUUID();
  context.set(nonceContext, nonce);
  const response = mutable(await next());
  const secure = originOf(config, request).startsWith("https:");
  for (const [name, value] of await headersFor(config, secure)) {
    if (OVERRIDABLE.has(name) && response.headers.has(name)) continue;
    response.headers.set(name, value.replace(NONCE, nonce));
  }
  return response;
};

/** What remix-utils sets is the same for every response but for its nonce, and takes some time to put together: once for settings and scheme. */
function headersFor(config: AppConfig, secure: boolean): Promise<[name: string, value: string][]> {
  const made = headers.get(config) ?? {};
  headers.set(config, made);
  return (made[secure ? "secure" : "plain"] ??= headersOf(config, secure));
}

const headers = new WeakMap<AppConfig, { secure?: Promise<[string, string][]>; plain?: Promise<[string, string][]> }>();

/** Stands for a response's nonce. */
const NONCE = "{nonce}";

async function headersOf(config: AppConfig, secure: boolean): Promise<[string, string][]> {
  const [setHeaders] = createSecureHeadersMiddleware({
    contentSecurityPolicy: policy(config, NONCE, secure),
    // Not remix-utils' "no-referrer": with it, browsers send `Origin: null` with forms, which every check of origins must refuse.
    referrerPolicy: "same-origin",
    strictTransportSecurity: secure && "max-age=31536000; includeSubDomains",
    xFrameOptions: "DENY",
    xDownloadOptions: false,
    permissionsPolicy: { camera: [], microphone: [], geolocation: [], payment: [], usb: [], browsingTopics: [] },
  });
  const request = new Request("http://localhost/");
  const args = { request, url: new URL(request.url), params: {}, pattern: "", context: new RouterContextProvider() };
  const response = await setHeaders(args, async () => new Response());
  return response instanceof Response ? [...response.headers] : [];
}

/** What a page may load and do, and why where it is not plain. */
function policy({ production, browserConvex, socialProviders, payments }: AppConfig, nonce: string, secure: boolean) {
  const social = Object.keys(socialProviders).length > 0 ? ["https:"] : [];
  // A GitLab of one's own may be at an address without TLS.
  const issuers = Object.values(socialProviders).flatMap(({ issuer }) => (issuer ? [new URL(issuer).origin] : []));
  // Vite's client reports faults in markup of its own and reconnects to a port of its own.
  const development = production ? [] : ["ws:"];
  return {
    defaultSrc: ["'self'"],
    baseUri: ["'none'"],
    objectSrc: ["'none'"],
    frameAncestors: ["'none'"],
    scriptSrc: ["'self'", `'nonce-${nonce}'`],
    // sonner and React's style attributes have no nonce.
    styleSrc: ["'self'", "'unsafe-inline'"],
    // `data:` placeholders, `blob:` previews of chosen files, and people's pictures where social providers tell them.
    imgSrc: ["'self'", "data:", "blob:", ...social],
    connectSrc: ["'self'", ...(browserConvex.kind === "direct" ? originsOf(browserConvex.url) : []), ...development],
    // Vite's client watches for its server's return from a worker of its own making.
    ...(!production && { workerSrc: ["'self'", "blob:"] }),
    // Browsers hold a form's redirect to this too: signing in without JavaScript leads to a provider, and buying to Stripe's pages.
    formAction: ["'self'", ...social, ...issuers, ...(payments ? STRIPE_PAGES : [])],
    ...(production && { requireTrustedTypesFor: ["'script'"], trustedTypes: ["'none'"] }),
    ...(secure && { upgradeInsecureRequests: [] }),
  };
}

/** A deployment's origin, for its HTTP API and for its websocket. */
function originsOf(url: string): string[] {
  const { origin } = new URL(url);
  return [origin, origin.replace(/^http/, "ws")];
}
