import type { RouterContextProvider } from "react-router";
import * as z from "zod";
import { DISK_FULL_TEXT } from "~/lib/data/error-responses";
import { readBody } from "~/lib/http/forms/body.server";
import { clientNetwork } from "~/lib/http/client-network.server";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { FORM_BYTES } from "~/lib/http/forms/form.server";
import { originOf } from "~/lib/http/origin.server";
import { noticeUnavailable } from "~/lib/http/unavailable.server";
import { type Auth, AUTH_PATH, authFor, CLIENT_ADDRESS_HEADER } from "./auth.server";
import { cookieNames, readCookie } from "../session/cookies";
import { clearConvexToken } from "../session/convex/convex-token-cookie.server";
import { DELETION_LINK } from "../session/safe-redirect";
import { issueConvexToken, renewVisitor, redirectToSignIn } from "../session/session.server";
import { runAuthCall } from "./auth-call.server";
import { recordFailure } from "./record-failure.server";

type RequestInContext = { request: Request; context: Readonly<RouterContextProvider> };

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

/** Providers post callbacks from their own site. Better Auth turns them into a GET that the OAuth state protects. */
const CALLBACK = /^\/api\/auth\/callback\/[^/]+\/?$/;

/** Read-only endpoints. Emailed links are excluded: mail scanners send HEAD and must not use them up. */
const HEAD_PATHS = /^\/api\/auth\/(?:ok|error|get-session|list-accounts|list-sessions)$/;

/** Passes a request to Better Auth. HEAD becomes a GET without content (RFC 9110, 9.3.2), because Better Auth has no HEAD. */
export async function passToAuth({ request, context }: RequestInContext): Promise<Response> {
  if (request.method !== "HEAD" || !HEAD_PATHS.test(new URL(request.url).pathname)) return forwardRequest({ request, context });
  const answer = await forwardRequest({ request: new Request(request, { method: "GET" }), context });
  await answer.body?.cancel();
  return new Response(null, answer);
}

async function forwardRequest(incoming: RequestInContext): Promise<Response> {
  const answer = await pass(incoming);
  if (!isFollowed(incoming.request) || answer.status < 400) return answer;
  return isDeletionLink(incoming.request) && !(await renewVisitor(incoming.context))
    ? redirectToSignIn(incoming.request)
    : toErrorPage(answer);
}

const isDeletionLink = ({ url }: Request) => new URL(url).pathname === DELETION_LINK;

const LINKS = /\/(verify-email|magic-link\/verify|reset-password\/[^/]+|delete-user\/callback|callback\/[^/]+)$/;

const isFollowed = ({ method, headers, url }: Request) =>
  method === "GET" && headers.get("Sec-Fetch-Dest") === "document" && LINKS.test(new URL(url).pathname);

async function toErrorPage(answer: Response): Promise<Response> {
  const errorBody: unknown = await answer.json().catch(() => null);
  const code =
    typeof errorBody === "object" && errorBody !== null && "code" in errorBody && typeof errorBody.code === "string"
      ? errorBody.code
      : null;
  const headers = relayCookies(answer, new Headers({ Location: `/error?${new URLSearchParams({ error: code ?? "Unknown" })}` }));
  return new Response(null, { status: 302, headers });
}

async function pass({ request, context }: RequestInContext): Promise<Response> {
  const { method, url } = request;
  const headers = withClientAddress(new Headers(request.headers), context);
  if (method === "POST" && CALLBACK.test(new URL(url).pathname)) {
    for (const name of ["Cookie", "Origin", "Referer"]) headers.delete(name);
  }
  const body = request.body ? await readBody(request, FORM_BYTES) : new Uint8Array();
  if (!body) return tooLargeAnswer();
  if (body.length > 0) return handle({ request, context }, new Request(url, { method, headers, body }));
  if (!SENDS.has(method) || !isJson(headers)) return handle({ request, context }, new Request(url, { method, headers }));
  headers.set("Content-Type", "application/json");
  headers.delete("Content-Length");
  return handle({ request, context }, new Request(url, { method, headers, body: "{}" }));
}

const SENDS = new Set(["POST", "PUT", "PATCH", "DELETE"]);

const isJson = (headers: Headers) => (headers.get("Content-Type") ?? "application/json").startsWith("application/json");

/** Posts to Better Auth's handler instead of its server-side API, so that rate limits and origin checks apply. Callers relay cookies. */
export function postToAuth(incoming: RequestInContext, path: `/${string}`, body: Record<string, unknown> = {}): Promise<Response> {
  const headers = judgedHeaders(incoming);
  headers.set("Content-Type", "application/json");
  return handle(incoming, new Request(addressOf(incoming, path), { method: "POST", headers, body: JSON.stringify(body) }));
}

export function getFromAuth(incoming: RequestInContext, path: `/${string}`): Promise<Response> {
  return handle(incoming, new Request(addressOf(incoming, path), { headers: judgedHeaders(incoming) }));
}

const addressOf = ({ request, context }: RequestInContext, path: string) =>
  originOf(context.get(configContext), request) + AUTH_PATH + path;

function judgedHeaders({ request, context }: RequestInContext): Headers {
  const headers = new Headers();
  for (const name of JUDGED) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return withClientAddress(headers, context);
}

export function relayCookies(from: Response, to = new Headers()): Headers {
  for (const cookie of from.headers.getSetCookie()) to.append("Set-Cookie", cookie);
  return to;
}

async function handle(incoming: RequestInContext, inner: Request): Promise<Response> {
  const { request, context } = incoming;
  const config = context.get(configContext);
  const auth = authFor(config, request);
  const early = await earlyRead(incoming, auth, inner);
  const origin = { path: pathOf(inner), ...clientNetwork(context) };
  const { outcome, unavailable, diskFull } = await noticeUnavailable(() => runAuthCall(() => auth.handler(inner), { early, origin }));
  if (unavailable && (outcome.status === "rejected" || outcome.value.result.status >= 400 || isSignOut(inner)))
    return diskFull ? diskFullAnswer() : unavailableAnswer();
  if (outcome.status === "rejected") throw outcome.reason;
  const { result: answer, session, subjects } = outcome.value;
  recordFailure(config, { request: inner, answer, origin, subjects });
  const response = answer.status === 429 ? await withCode(answer) : new Response(answer.body, answer);
  const retryAfter = response.headers.get("X-Retry-After");
  if (retryAfter !== null) response.headers.set("Retry-After", retryAfter);
  // The token contains the visitor's name, address and picture, which may have changed.
  if (changesVisitor(inner) && response.status < 400) {
    const issued = session && (await issueConvexToken(context, request, response.headers, session));
    response.headers.append("Set-Cookie", issued ?? clearConvexToken(cookieNames(originOf(config, request))));
  }
  return response;
}

async function earlyRead({ request, context }: RequestInContext, auth: Auth, inner: Request): Promise<(() => Promise<unknown>) | null> {
  const config = context.get(configContext);
  if (!config.accounts.rateLimit || inner.method !== "POST") return null;
  const path = pathOf(inner);
  if (path === "/sign-in/email") {
    const { data } = emailOf.safeParse(
      await inner
        .clone()
        .json()
        .catch(() => null),
    );
    if (!data) return null;
    return async () => (await auth.$context).internalAdapter.findUserByEmail(data.email.toLowerCase(), { includeAccounts: true });
  }
  const cookie = readCookie(inner.headers, cookieNames(originOf(config, request)).session);
  if (cookie === null || path.startsWith("/sign-")) return null;
  const [token = ""] = cookie.split(/\.|%2E/i);
  return async () => (await auth.$context).internalAdapter.findSession(token);
}

const pathOf = ({ url }: Request) => new URL(url).pathname.slice(AUTH_PATH.length);

const emailOf = z.object({ email: z.email() });

async function withCode(answer: Response): Promise<Response> {
  const sent: unknown = await answer.json().catch(() => null);
  const body = { code: "TOO_MANY_REQUESTS", message: "Too many requests. Please try again later.", ...(typeof sent === "object" && sent) };
  const headers = new Headers(answer.headers);
  headers.delete("Content-Length");
  return Response.json(body, { status: 429, statusText: answer.statusText, headers });
}

/** Returns whether a request signs out. Better Auth answers 200 even if it could not delete the session. */
const isSignOut = ({ url }: Request) => new URL(url).pathname === `${AUTH_PATH}/sign-out`;

function changesVisitor({ method, url }: Request): boolean {
  return method !== "GET" || /\/(verify-email|magic-link\/verify|callback(\/[^/]+)?)$/.test(new URL(url).pathname);
}

const tooLargeAnswer = () =>
  Response.json({ code: "CONTENT_TOO_LARGE", message: "The request is too large" }, { status: 413, statusText: "Content Too Large" });

/** Replaces Better Auth's response, which would be 401 when the session cannot be read. */
const unavailableAnswer = () =>
  Response.json(
    { code: "SERVICE_UNAVAILABLE", message: "The service is not available right now" },
    { status: 503, headers: { "Retry-After": "5" } },
  );

const diskFullAnswer = () =>
  Response.json({ code: "INSUFFICIENT_STORAGE", message: DISK_FULL_TEXT }, { status: 507, statusText: "Insufficient Storage" });

function withClientAddress(headers: Headers, context: Readonly<RouterContextProvider>): Headers {
  headers.set(CLIENT_ADDRESS_HEADER, context.get(clientAddressContext));
  return headers;
}
