import { isAPIError } from "better-auth/api";
import { createContext, type MiddlewareFunction, redirect, type RouterContextProvider } from "react-router";
import type { AppConfig } from "~/config";
import { unavailableResponse } from "~/data/refusals";
import { configContext } from "~/http/context";
import { mutable } from "~/http/mutable";
import { originOf } from "~/http/origin.server";
import { noticeUnavailable } from "~/http/unavailable.server";
import { api } from "#convex/_generated/api";
import { type Auth, authFor } from "./auth.server";
import { forgetConvexToken, keepConvexToken, readConvexToken } from "./convex-token-cookie.server";
import { cookieNames, readCookie } from "./cookies";
import { serviceConvex } from "./service.server";
import { readUserToken, signUserToken, type UserClaims } from "./tokens.server";

/** The signed-in person on whose behalf a request is answered. */
export type Visitor = UserClaims & {
  /** The person's token for the deployment: at most 15 minutes to live. */
  convexToken: string;
};

type Resolver = { current(): Promise<Visitor | null>; renew(): Promise<Visitor | null> };

const resolverContext = createContext<Resolver>();

/** A token with less to live than this is made anew: it has to last for the request, and for the browser's first connection. */
const LEEWAY_SECONDS = 60;

/**
 * Who is asking; null: signed out. Resolved once per request, and only when somebody wants to know: from the token's cookie, and from Better
 * Auth's session where that is missing or runs out. Throws a 503 while the session cannot be looked up.
 */
export const visitor = (context: Readonly<RouterContextProvider>): Promise<Visitor | null> => context.get(resolverContext).current();

/**
 * For when the deployment refuses the visitor's token (`unauthenticated`): looks the session up anew. Null: it has ended, and the browser is
 * told to forget the token; whoever needs a visitor then throws `toSignIn(request)`.
 */
export const renewVisitor = (context: Readonly<RouterContextProvider>): Promise<Visitor | null> => context.get(resolverContext).renew();

/** Resolves the visitor for everything below, and relays the cookies that came of it. Stands at the root. */
export const sessionMiddleware: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const setCookies: string[] = [];
  context.set(resolverContext, resolver(context.get(configContext), request, setCookies));
  const response = mutable(await next());
  for (const cookie of setCookies) response.headers.append("Set-Cookie", cookie);
  return response;
};

/** Lets only the signed-in pass; leads others to /sign-in, and back from there. For the layout of the signed-in pages. */
export const requireVisitor: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  if (!(await visitor(context))) throw toSignIn(request);
  return next();
};

/**
 * The redirect to /sign-in that leads back to where this request wanted to go: to the page itself, where a form of it was sent. The projects are
 * where everybody is led who wanted nothing else, so that address stays as short as the specification has it.
 */
export function toSignIn(request: Request): Response {
  const { pathname, search } = pageOf(request);
  if (/^\/projects\/?$/.test(pathname + search)) return redirect("/sign-in");
  return redirect(`/sign-in?${new URLSearchParams({ redirectTo: pathname + search })}`);
}

/** The page's address: React Router asks for its data at `<page>.data`, with parameters of its own. */
function pageOf(request: Request): URL {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/\/_(root)?\.data$/, "/").replace(/\.data$/, "");
  for (const own of ["_routes", "index"]) url.searchParams.delete(own);
  return url;
}

function resolver(config: AppConfig, request: Request, setCookies: string[]): Resolver {
  const names = cookieNames(originOf(config, request));
  const session = readCookie(request.headers, names.session);
  let known: Promise<Visitor | null> | undefined;
  let renewed: Promise<Visitor | null> | undefined;

  async function fromCookie(): Promise<Visitor | null> {
    if (session === null) return null;
    const convexToken = readConvexToken(request.headers, names);
    const claims = convexToken === null ? null : await readUserToken(config.signingKey, convexToken, LEEWAY_SECONDS);
    return convexToken !== null && claims ? { ...claims, convexToken } : fromSession();
  }

  const fromSession = (): Promise<Visitor | null> => (renewed ??= lookUp());

  async function lookUp(): Promise<Visitor | null> {
    const { headers, response } = await getSession(config, request);
    if (!response || session === null) {
      // The session's own cookie is left: another tab may have put a new one in its place while this was looked up, and an old one opens nothing.
      setCookies.push(forgetConvexToken(names));
      return null;
    }
    setCookies.push(...headers.getSetCookie());
    const claims = claimsOf(response);
    noteActivity(config, claims.sessionId);
    const convexToken = await signUserToken(config.signingKey, claims, response.session.expiresAt, { limited: config.payments !== null });
    setCookies.push(keepConvexToken(names, sessionAfter(headers) ?? session, convexToken));
    return { ...claims, convexToken };
  }

  /** The session cookie's value that the browser will have: Better Auth prolongs sessions by setting it anew. */
  function sessionAfter(headers: Headers): string | null {
    const cookies = headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
    return readCookie(new Headers({ Cookie: cookies.join("; ") }), names.session);
  }

  return {
    current: () => (known ??= fromCookie()),
    renew: () => (known = fromSession()),
  };
}

/** For the list of sessions alone: nobody waits for it, and nothing fails with it. */
function noteActivity(config: AppConfig, sessionId: string): void {
  void serviceConvex(config)
    .mutation(api.accounts.mine.noteActivity, { sessionId }, { skipQueue: true })
    .catch(() => {});
}

type Session = NonNullable<Awaited<ReturnType<Auth["api"]["getSession"]>>>;

/** Better Auth's session of the request, and the cookies that it sets; a 503 is thrown while it cannot be read. */
async function getSession(config: AppConfig, request: Request): Promise<{ headers: Headers; response: Session | null }> {
  const { api } = authFor(config, request);
  const { outcome, unavailable } = await noticeUnavailable(() => api.getSession({ headers: request.headers, returnHeaders: true }));
  if (unavailable) throw unavailableResponse();
  if (outcome.status === "fulfilled") return outcome.value;
  // Better Auth's word for a session that ended while it was prolonged.
  if (isAPIError(outcome.reason) && outcome.reason.statusCode === 401)
    return { headers: new Headers(outcome.reason.headers), response: null };
  throw outcome.reason;
}

function claimsOf({ session, user }: Session): UserClaims {
  const { id, name, email, emailVerified, image = null } = user;
  return { userId: id, sessionId: session.id, user: { id, name, email, emailVerified, image } };
}
