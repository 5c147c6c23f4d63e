import { isAPIError } from "better-auth/api";
import { createContext, type MiddlewareFunction, redirect, type RouterContextProvider } from "react-router";
import type { AppConfig } from "~/config";
import { diskFullResponse, unavailableResponse } from "~/lib/data/error-responses";
import { pageAddress } from "~/lib/http/page-address";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { shortLocation } from "~/lib/http/middleware/redirect-length.server";
import { withMutableHeaders } from "~/lib/http/mutable-headers";
import { originOf } from "~/lib/http/origin.server";
import { noticeUnavailable } from "~/lib/http/unavailable.server";
import { TIME_ZONE_COOKIE } from "~/lib/ui/theme/preferences";
import { localeFrom, timeZoneFrom } from "~/lib/ui/time/date-format";
import { api } from "#convex/_generated/api";
import { isReadOnly } from "../auth-api/adapter/adapter.server";
import { type Auth, authFor } from "../auth-api/auth.server";
import { clearConvexToken, storeConvexToken, readConvexToken } from "./convex/convex-token-cookie.server";
import { type CookieNames, cookieNames, readCookie } from "./cookies";
import { serviceConvex } from "./convex/service-client.server";
import { MIN_USER_TOKEN_SECONDS, readUserToken, signUserToken, type UserClaims } from "./convex/tokens.server";

export type Visitor = UserClaims & {
  convexToken: string;
};

type Resolver = { current(): Promise<Visitor | null>; renew(): Promise<Visitor | null> };

const resolverContext = createContext<Resolver>();

/** Tokens closer to expiry are replaced, because the browser connects with the token and would soon fetch another. */
const LEEWAY_SECONDS = MIN_USER_TOKEN_SECONDS - 30;

/** Returns the visitor, or null when signed out. Resolved once per request, from the token cookie or the session. Throws a 503 response. */
export const getVisitor = (context: Readonly<RouterContextProvider>): Promise<Visitor | null> => context.get(resolverContext).current();

/** Looks up the session again after the deployment rejected the token. Returns null if the session has ended. */
export const renewVisitor = (context: Readonly<RouterContextProvider>): Promise<Visitor | null> => context.get(resolverContext).renew();

/** Returns the visitor of a request that has not reached the middleware. Discards renewed cookies, which the middleware sets. */
export const findVisitor = (config: AppConfig, request: Request): Promise<Visitor | null> =>
  resolver({ config, network: {} }, request, []).current();

export const sessionMiddleware: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const setCookies: string[] = [];
  context.set(resolverContext, resolver(clientOf(context), request, setCookies));
  const response = withMutableHeaders(await next());
  for (const cookie of setCookies) response.headers.append("Set-Cookie", cookie);
  return response;
};

export const requireVisitor: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  if (!(await getVisitor(context))) throw redirectToSignIn(request);
  return next();
};

export function redirectToSignIn(request: Request): Response {
  const page = pageAddress(request);
  const error = page.searchParams.get("error");
  page.searchParams.delete("error");
  return redirect(shortLocation(signInAddress(page.pathname + page.search, error), signInAddress(page.pathname, error)) ?? "/sign-in");
}

function signInAddress(target: string, error: string | null): string {
  const search = new URLSearchParams({
    ...(!/^\/projects\/?$/.test(target) && { redirectTo: target }),
    ...(error && { error }),
  });
  return search.size === 0 ? "/sign-in" : `/sign-in?${search}`;
}

type Client = { config: AppConfig; network: { address?: string } };

const clientOf = (context: Readonly<RouterContextProvider>): Client => ({
  config: context.get(configContext),
  network: clientNetwork(context),
});

function resolver(client: Client, request: Request, setCookies: string[]): Resolver {
  const { config } = client;
  const names = cookieNames(originOf(config, request));
  const session = readCookie(request.headers, names.session);
  let currentVisitor: Promise<Visitor | null> | undefined;
  let renewed: Promise<Visitor | null> | undefined;

  async function fromCookie(): Promise<Visitor | null> {
    if (session === null) return null;
    const convexToken = readConvexToken(request.headers, names);
    const claims = convexToken === null ? null : await readUserToken(config.signingKey, convexToken, LEEWAY_SECONDS);
    return convexToken !== null && claims ? { ...claims, convexToken } : fromSession();
  }

  const fromSession = (): Promise<Visitor | null> => (renewed ??= loadVisitor());

  async function loadVisitor(): Promise<Visitor | null> {
    const { headers, response } = await getSession(config, request);
    if (!response || session === null) {
      // Keeps the session cookie: another tab may just have replaced it, and the cookie of an ended session is harmless.
      setCookies.push(clearConvexToken(names));
      return null;
    }
    setCookies.push(...headers.getSetCookie());
    const { cookie, ...visitor } = await issueToken(client, request, response, sessionAfter(headers, names) ?? session);
    setCookies.push(cookie);
    return visitor;
  }

  return {
    current: () => (currentVisitor ??= fromCookie()),
    renew: () => (currentVisitor = fromSession()),
  };
}

function sessionAfter(headers: Headers, names: CookieNames): string | null {
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
  return readCookie(new Headers({ Cookie: cookies.toReversed().join("; ") }), names.session);
}

/** Returns the cookie with the token of a session that a request has created, so that the next page needs no session lookup. */
export async function issueConvexToken(
  context: Readonly<RouterContextProvider>,
  request: Request,
  answered: Headers,
  created: CreatedSession,
): Promise<string | null> {
  const session = sessionAfter(answered, cookieNames(originOf(context.get(configContext), request)));
  return session ? (await issueToken(clientOf(context), request, created, session)).cookie : null;
}

async function issueToken(
  { config, network }: Client,
  request: Request,
  created: CreatedSession,
  session: string,
): Promise<Visitor & { cookie: string }> {
  const claims = claimsOf(created);
  recordSessionActivity(config, claims.sessionId, request.headers);
  const convexToken = await signUserToken(config.signingKey, claims, created.session.expiresAt, {
    limited: config.payments !== null,
    quota: config.storageQuotaBytes,
    ...network,
  });
  return { ...claims, convexToken, cookie: storeConvexToken(cookieNames(originOf(config, request)), session, convexToken) };
}

function recordSessionActivity(config: AppConfig, sessionId: string, headers: Headers): void {
  const timeZone = timeZoneFrom(readCookie(headers, TIME_ZONE_COOKIE));
  const language = headers.get("Accept-Language");
  const place = { ...(timeZone !== null && { timeZone }), ...(language !== null && { locale: localeFrom(language) }) };
  void serviceConvex(config)
    .mutation(api.accounts.mine.noteActivity, { sessionId, ...place }, { skipQueue: true })
    .catch(() => {});
}

type Session = NonNullable<Awaited<ReturnType<Auth["api"]["getSession"]>>>;

async function getSession(config: AppConfig, request: Request): Promise<{ headers: Headers; response: Session | null }> {
  const { api } = authFor(config, request);
  const { outcome, unavailable, diskFull } = await noticeUnavailable(() =>
    api.getSession({ headers: request.headers, returnHeaders: true }),
  );
  if (unavailable) throw diskFull ? diskFullResponse() : unavailableResponse();
  if (outcome.status === "fulfilled") return outcome.value;
  if (isAPIError(outcome.reason) && outcome.reason.statusCode === 401)
    return { headers: new Headers(outcome.reason.headers), response: null };
  // An ended session, which cannot be deleted while the data is being moved.
  if (isReadOnly(outcome.reason)) return { headers: new Headers(), response: null };
  throw outcome.reason;
}

export type CreatedSession = {
  session: { id: string; expiresAt: Date };
  user: { id: string; name: string; email: string; emailVerified: boolean; image?: string | null | undefined };
};

function claimsOf({ session, user }: CreatedSession): UserClaims {
  const { id, name, email, emailVerified, image = null } = user;
  return { userId: id, sessionId: session.id, user: { id, name, email, emailVerified, image } };
}
