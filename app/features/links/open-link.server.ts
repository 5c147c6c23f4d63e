import { createHmac, timingSafeEqual } from "node:crypto";
import { normalizeIP } from "@better-auth/core/utils/ip";
import { verifyPassword } from "better-auth/crypto";
import type { FunctionReturnType } from "convex/server";
import { LRUCache } from "lru-cache";
import { createContext, href, type MiddlewareFunction, redirect, type RouterContextProvider } from "react-router";
import type { AppConfig } from "~/config";
import { readCookie } from "~/features/accounts/session/cookies";
import { requestConvex } from "~/features/accounts/session/convex/convex.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { signLinkToken } from "~/features/accounts/session/convex/tokens.server";
import { convexContext } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { withMutableHeaders } from "~/lib/http/mutable-headers";
import { originOf } from "~/lib/http/origin.server";
import { api } from "#convex/_generated/api";
import { hashLinkToken, isLinkToken } from "./link-token.server";

type Found = NonNullable<FunctionReturnType<typeof api.links.find>>;

export type OpenedLink = Omit<Found, "passwordHash"> & {
  token: string;
  hasPassword: boolean;
  isUnlocked: boolean;
  convexToken: () => Promise<string>;
};

type Resolver = { find: () => Promise<{ link: OpenedLink; passwordHash: string | null } | null> };

const linkContext = createContext<Resolver>();

export const linkMiddleware: MiddlewareFunction<Response> = async ({ request, params, context }, next) => {
  const config = context.get(configContext);
  let found: ReturnType<Resolver["find"]> | undefined;
  const find = () => (found ??= findLink(config, request, params["token"]));
  context.set(linkContext, { find });
  context.set(
    convexContext,
    requestConvex(request, context, {
      current: async () => (await unlockedLink(context)).convexToken(),
      renewed: async () => {
        throw notFoundResponse();
      },
      ended: notFoundResponse,
    }),
  );
  const response = withMutableHeaders(await next());
  response.headers.set("X-Robots-Tag", "noindex");
  return response;
};

async function findLink(config: AppConfig, request: Request, token: string | undefined) {
  if (!config.publicLinks.enabled || !isLinkToken(token)) return null;
  const found = await serviceConvex(config).query(api.links.find, { tokenHash: hashLinkToken(token) });
  if (!found) return null;
  const { passwordHash, ...link } = found;
  const isUnlocked = passwordHash === null || isUnlockedBy(config, link, readCookie(request.headers, cookieName(config, request)));
  const convexToken = () => tokenOf(config, link);
  return { passwordHash, link: { ...link, token, hasPassword: passwordHash !== null, isUnlocked, convexToken } };
}

/** Caches tokens, because each signature differs, and only pages with equal data share cached HTML. */
const signedTokens = new LRUCache<string, Promise<string>>({ max: 1000, ttl: 2 * 60_000 });

function tokenOf(config: AppConfig, { linkId, lock }: Lock): Promise<string> {
  const key = `${linkId} ${lock}`;
  const signed = signedTokens.get(key) ?? signLinkToken(config.signingKey, { linkId, lock });
  if (!signedTokens.has(key)) signedTokens.set(key, signed);
  return signed;
}

export async function findLinkOf(context: Readonly<RouterContextProvider>): Promise<OpenedLink | null> {
  return (await context.get(linkContext).find())?.link ?? null;
}

/** Returns the link of the request. Throws 404, as for an unknown address. */
export async function linkOf(context: Readonly<RouterContextProvider>): Promise<OpenedLink> {
  const link = await findLinkOf(context);
  if (!link) throw notFoundResponse();
  return link;
}

/** Returns the link of the request. Throws 404, or a redirect to the form for the password. */
export async function unlockedLink(context: Readonly<RouterContextProvider>): Promise<OpenedLink> {
  const link = await linkOf(context);
  if (!link.isUnlocked) throw redirect(href("/s/:token/unlock", { token: link.token }));
  return link;
}

const ATTEMPTS = { seconds: 15 * 60, perVisitor: 10, perLink: 100 };

export async function unlock(
  request: Request,
  context: Readonly<RouterContextProvider>,
  password: string,
): Promise<{ cookies: string[] } | { problem: string; status: 422 | 429 }> {
  const found = await context.get(linkContext).find();
  if (!found) throw notFoundResponse();
  const config = context.get(configContext);
  const { link, passwordHash } = found;
  const attempt = { what: "unlock", of: link.linkId, address: context.get(clientAddressContext) } as const;
  const wait = await countAttempts(config, attempt, ATTEMPTS);
  if (wait > 0) return { problem: `Too many attempts. Try again in ${Math.ceil(wait / 60)} min.`, status: 429 };
  const isRight = passwordHash === null || (password !== "" && (await verifyPassword({ hash: passwordHash, password })));
  if (!isRight) return { problem: "Wrong password", status: 422 };
  await countAttempts(config, attempt, ATTEMPTS, true);
  const name = cookieName(config, request);
  const secure = name.startsWith("__Secure-") ? "; Secure" : "";
  const value = unlockValue(config, link, Date.now() + UNLOCKED_MS);
  const path = href("/s/:token", { token: link.token });
  // React Router requests the data of the link's own page at the second path.
  const cookies = [path, `${path}.data`].map((each) => `${name}=${value}; Path=${each}; HttpOnly; SameSite=Lax${secure}`);
  return { cookies };
}

type Attempt = { what: "unlock" | "report" | "password" | "comment"; of: string; address: string };

/** Counts an attempt in total and per visitor, or reverts it. Returns the seconds to wait; 0 allows the attempt. */
export async function countAttempts(
  config: AppConfig,
  { what, of, address }: Attempt,
  { seconds, perVisitor, perLink }: typeof ATTEMPTS,
  takeBack = false,
): Promise<number> {
  if (!config.accounts.rateLimit) return 0;
  // A keyed hash, so that the table does not reveal addresses. One host can use a whole IPv6 network of 64 bits.
  const network = normalizeIP(address, { ipv6Subnet: 64 });
  const visitor = createHmac("sha256", config.secret).update(`link visitor ${network}`).digest("base64url");
  const limits = [
    { key: `${what} ${of}`, most: perLink },
    { key: `${what} ${of} ${visitor}`, most: perVisitor },
  ];
  return serviceConvex(config).mutation(api.links.countAttempt, { limits, seconds, ...(takeBack && { takeBack }) }, { skipQueue: true });
}

/** The prefix `__Host-` requires the path "/", but the cookie has the link's path. */
const cookieName = (config: AppConfig, request: Request): string =>
  `${originOf(config, request).startsWith("https:") ? "__Secure-" : ""}atelier.link`;

const UNLOCKED_MS = 12 * 60 * 60 * 1000;

type Lock = { linkId: string; lock: number };

const unlockValue = (config: AppConfig, link: Lock, until: number): string =>
  `${until}.${signature(config, link, String(until)).toString("base64url")}`;

function isUnlockedBy(config: AppConfig, link: Lock, value: string | null): boolean {
  const [until = "", sent = ""] = value?.split(".") ?? [];
  const expected = signature(config, link, until);
  const given = Buffer.from(sent, "base64url");
  return given.length === expected.length && timingSafeEqual(given, expected) && Number(until) > Date.now();
}

/** Signs the lock, too, so that a new password invalidates earlier cookies. */
const signature = ({ secret }: AppConfig, { linkId, lock }: Lock, until: string): Buffer =>
  createHmac("sha256", secret).update(`link unlocked ${linkId} ${lock} ${until}`).digest();
