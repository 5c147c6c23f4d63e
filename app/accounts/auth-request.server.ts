import type { RouterContextProvider } from "react-router";
import { bodyOf } from "~/http/body.server";
import { clientAddressContext, configContext } from "~/http/context";
import { FORM_BYTES } from "~/http/form.server";
import { originOf } from "~/http/origin.server";
import { noticeUnavailable } from "~/http/unavailable.server";
import { AUTH_PATH, authFor, CLIENT_ADDRESS_HEADER } from "./auth.server";
import { cookieNames } from "./cookies";
import { forgetConvexToken } from "./convex-token-cookie.server";
import { DELETION_LINK } from "./safe-target";
import { renewVisitor, toSignIn } from "./session.server";

type Asking = { request: Request; context: Readonly<RouterContextProvider> };

/** Headers of a form's request that Better Auth judges it by: who asks, from where, with what. */
const JUDGED = [
  "Accept-Language",
  "Cookie",
  "Host",
  "Origin",
  "Referer",
  "Sec-Fetch-Dest",
  "Sec-Fetch-Mode",
  "Sec-Fetch-Site",
  "User-Agent",
];

/** What is posted to a callback comes from a provider's site, and only becomes a GET of the same address: the OAuth state guards it. */
const CALLBACK = /^\/api\/auth\/callback\/[^/]+\/?$/;

/** What only tells. Links in mails are not among them: who looks ahead with HEAD, as scanners of mail do, must not use them up. */
const TELLS = /^\/api\/auth\/(?:ok|error|get-session|list-accounts|list-sessions)$/;

/** Hands a request to /api/auth/* on to Better Auth, which knows no HEAD: it is GET without the content (RFC 9110, 9.3.2). */
export async function passToAuth({ request, context }: Asking): Promise<Response> {
  if (request.method !== "HEAD" || !TELLS.test(new URL(request.url).pathname)) return passOn({ request, context });
  const answer = await passOn({ request: new Request(request, { method: "GET" }), context });
  await answer.body?.cancel();
  return new Response(null, answer);
}

async function passOn(asking: Asking): Promise<Response> {
  const answer = await pass(asking);
  if (!isFollowed(asking.request) || answer.status < 400) return answer;
  return isDeletionLink(asking.request) && !(await renewVisitor(asking.context)) ? toSignIn(asking.request) : toErrorPage(answer);
}

const isDeletionLink = ({ url }: Request) => new URL(url).pathname === DELETION_LINK;

/** Where links lead that somebody follows, in a mail or back from a provider. */
const LINKS = /\/(verify-email|magic-link\/verify|reset-password\/[^/]+|delete-user\/callback|callback\/[^/]+)$/;

/** Whether a browser goes there for a document: its person can read no JSON. Programs and scripts do not say so. */
const isFollowed = ({ method, headers, url }: Request) =>
  method === "GET" && headers.get("Sec-Fetch-Dest") === "document" && LINKS.test(new URL(url).pathname);

/** Leads a person to the page for errors (specification 2), with the code of the refusal. */
async function toErrorPage(answer: Response): Promise<Response> {
  const told: unknown = await answer.json().catch(() => null);
  const code = typeof told === "object" && told !== null && "code" in told && typeof told.code === "string" ? told.code : null;
  const error = code ?? (answer.status === 429 ? "TOO_MANY_REQUESTS" : "Unknown");
  const headers = relayCookies(answer, new Headers({ Location: `/error?${new URLSearchParams({ error })}` }));
  return new Response(null, { status: 302, headers });
}

async function pass({ request, context }: Asking): Promise<Response> {
  const { method, url } = request;
  const headers = withClientAddress(new Headers(request.headers), context);
  if (method === "POST" && CALLBACK.test(new URL(url).pathname)) {
    for (const name of ["Cookie", "Origin", "Referer"]) headers.delete(name);
  }
  const body = request.body ? await bodyOf(request, FORM_BYTES) : new Uint8Array();
  if (!body) return tooLargeAnswer();
  if (body.length > 0) return handle({ request, context }, new Request(url, { method, headers, body }));
  if (!SENDS.has(method) || !isJson(headers)) return handle({ request, context }, new Request(url, { method, headers }));
  // Some calls have no payload (specification 7: /sign-out), and Better Auth wants a body's type of every POST.
  headers.set("Content-Type", "application/json");
  headers.delete("Content-Length");
  return handle({ request, context }, new Request(url, { method, headers, body: "{}" }));
}

const SENDS = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** JSON, or nothing else. */
const isJson = (headers: Headers) => (headers.get("Content-Type") ?? "application/json").startsWith("application/json");

/**
 * Calls one of Better Auth's endpoints for a form, over its handler and not its server-side API, so that rate limits and checks of origins
 * hold as they do for a program. The caller relays the answer's cookies (`relayCookies`).
 */
export function postToAuth({ request, context }: Asking, path: `/${string}`, body: Record<string, unknown> = {}): Promise<Response> {
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const name of JUDGED) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const url = new URL(AUTH_PATH + path, originOf(context.get(configContext), request));
  const inner = new Request(url, { method: "POST", headers: withClientAddress(headers, context), body: JSON.stringify(body) });
  return handle({ request, context }, inner);
}

/** The cookies that an answer sets, for another answer to set in its place. */
export function relayCookies(from: Response, to = new Headers()): Headers {
  for (const cookie of from.headers.getSetCookie()) to.append("Set-Cookie", cookie);
  return to;
}

async function handle({ request, context }: Asking, inner: Request): Promise<Response> {
  const config = context.get(configContext);
  const { outcome, unavailable } = await noticeUnavailable(() => authFor(config, request).handler(inner));
  if (unavailable && (outcome.status === "rejected" || outcome.value.status >= 400)) return unavailableAnswer();
  if (outcome.status === "rejected") throw outcome.reason;
  const answer = outcome.value;
  const response = new Response(answer.body, answer);
  const retryAfter = response.headers.get("X-Retry-After");
  if (retryAfter !== null) response.headers.set("Retry-After", retryAfter);
  // Whatever was changed may stand in the visitor's token: who they are, or that they are.
  if (changesVisitor(inner) && response.status < 400) {
    response.headers.append("Set-Cookie", forgetConvexToken(cookieNames(originOf(config, request))));
  }
  return response;
}

/** Some links in mails change who the visitor is, or what is known of them, by a GET. */
function changesVisitor({ method, url }: Request): boolean {
  return method !== "GET" || /\/(verify-email|magic-link\/verify|callback(\/[^/]+)?)$/.test(new URL(url).pathname);
}

const tooLargeAnswer = () =>
  Response.json(
    { code: "CONTENT_TOO_LARGE", message: "This is more than a request holds" },
    { status: 413, statusText: "Content Too Large" },
  );

/** In Better Auth's own form. It takes a session that it cannot read for none, and would say 401. */
const unavailableAnswer = () =>
  Response.json(
    { code: "SERVICE_UNAVAILABLE", message: "The service is not available right now" },
    { status: 503, headers: { "Retry-After": "5" } },
  );

function withClientAddress(headers: Headers, context: Readonly<RouterContextProvider>): Headers {
  headers.set(CLIENT_ADDRESS_HEADER, context.get(clientAddressContext));
  return headers;
}
