import { createHash } from "node:crypto";
import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { configContext } from "~/lib/http/context";
import { originOf } from "~/lib/http/origin.server";
import { AUTH_PATH, authFor } from "./auth.server";
import { getFromAuth, postToAuth } from "./auth-request.server";
import { cookieNames } from "../session/cookies";
import { safeRedirectPath } from "../session/safe-redirect";
import { getVisitor } from "../session/session.server";

export type SignInLink =
  | { kind: "one-time-token"; token: string; target: string }
  | { kind: "magic-link"; token: string; search: URLSearchParams };

export type LinkOwner = { id: string; name: string; email: string };

export const ONE_TIME_TOKEN = "ott";

const SWITCH_ACCOUNT_PATH = "/switch-account";

export const MAGIC_LINK_PATH = "/magic-link/verify";

const LINK_PARAMETERS = ["token", "callbackURL", "newUserCallbackURL", "errorCallbackURL"];

type RequestInContext = { request: Request; context: Readonly<RouterContextProvider> };

export async function switchAccountAddress(link: SignInLink, incoming: RequestInContext): Promise<string | null> {
  return (await otherOwnerOf(link, incoming)) ? addressOf(link) : null;
}

/** Returns the link's user without consuming the link. Returns null for an invalid link, a signed-out visitor, or that same user. */
export async function otherOwnerOf(link: SignInLink, { request, context }: RequestInContext): Promise<LinkOwner | null> {
  const visitor = await getVisitor(context).catch(() => null);
  if (!visitor) return null;
  const owner = await ownerOf(link, authFor(context.get(configContext), request));
  return owner && owner.id !== visitor.userId ? owner : null;
}

export function linkIn({ searchParams }: URL): SignInLink | null {
  const token = searchParams.get("token");
  if (token === null) return null;
  if (searchParams.get("kind") === "magic-link") return magicLinkIn(searchParams);
  return { kind: "one-time-token", token, target: safeRedirectPath(searchParams.get("redirectTo")) };
}

export function magicLinkIn(search: URLSearchParams): SignInLink | null {
  const token = search.get("token");
  if (token === null) return null;
  const parameters = LINK_PARAMETERS.flatMap((name) => search.getAll(name).map((value) => [name, value]));
  return { kind: "magic-link", token, search: new URLSearchParams(parameters) };
}

export function originalAddress(link: SignInLink): string {
  if (link.kind === "magic-link") return `${AUTH_PATH}${MAGIC_LINK_PATH}?${link.search}`;
  const url = new URL(link.target, "http://localhost");
  url.searchParams.set(ONE_TIME_TOKEN, link.token);
  return url.pathname + url.search;
}

export function followLink(link: SignInLink, { request, context }: RequestInContext): Promise<Response> {
  const incoming = { request: signedOut(request, originOf(context.get(configContext), request)), context };
  return link.kind === "magic-link"
    ? getFromAuth(incoming, `${MAGIC_LINK_PATH}?${link.search}`)
    : postToAuth(incoming, "/one-time-token/verify", { token: link.token });
}

/** Removes session cookies and adds our origin, which browsers omit from a navigation. */
function signedOut({ url, headers }: Request, origin: string): Request {
  const { prefix, session, convexToken } = cookieNames(origin);
  const sessionCookies = new Set([session, convexToken, `${prefix}.dont_remember`]);
  const cookies = (headers.get("Cookie") ?? "").split(";").map((pair) => pair.trim());
  const otherSignInMethods = cookies.filter((pair) => pair !== "" && !sessionCookies.has(pair.split("=", 1)[0] ?? ""));
  const copy = new Headers({ Origin: origin, ...(otherSignInMethods.length > 0 && { Cookie: otherSignInMethods.join("; ") }) });
  for (const name of ["Accept-Language", "User-Agent"]) copy.set(name, headers.get(name) ?? "");
  return new Request(url, { headers: copy });
}

function addressOf(link: SignInLink): string {
  const search =
    link.kind === "magic-link"
      ? new URLSearchParams([["kind", link.kind], ...link.search])
      : new URLSearchParams({ token: link.token, redirectTo: link.target });
  return `${SWITCH_ACCOUNT_PATH}?${search}`;
}

const magicLinkRecord = z.object({ email: z.string() });

async function ownerOf({ kind, token }: SignInLink, auth: ReturnType<typeof authFor>): Promise<LinkOwner | null> {
  const { internalAdapter } = await auth.$context;
  const hash = createHash("sha256").update(token).digest("base64url");
  const stored = await internalAdapter.findVerificationValue(`${kind}:${hash}`);
  if (!stored || stored.expiresAt <= new Date()) return null;
  if (kind === "one-time-token") return (await internalAdapter.findSession(stored.value))?.user ?? null;
  const record = magicLinkRecord.safeParse(jsonIn(stored.value));
  return record.success ? ((await internalAdapter.findUserByEmail(record.data.email))?.user ?? null) : null;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
