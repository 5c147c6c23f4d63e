import { createHash } from "node:crypto";
import { defineRequestState } from "@better-auth/core/context";
import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { addOAuthServerContext, APIError, createAuthEndpoint, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { expireCookie } from "better-auth/cookies";
import { decryptOAuthToken } from "better-auth/oauth2";
import { decodeJwt } from "jose";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { FLOW_ISSUER, issuerProvider } from "../../issuers/issuer-provider.server";
import { signedInAt } from "../../issuers/issuer-rules.server";
import { isSingleSignOnOnly } from "../../providers/social-providers.server";
import { issuersOf, LOGOUT_ID_SECONDS, type LogoutRequest } from "../../issuers/issuer.server";

const STARTS = new Set(["/sign-in/social", "/link-social"]);
const CALLBACK = "/callback/:id";
const SECOND_FACTOR = /^\/two-factor\/verify-/;
const SECOND_FACTOR_SECONDS = 10 * 60;

/** Sign-in methods that check no issuer's domains and groups. Links that the operator prints still work. */
const OTHER_METHODS = /^\/(?:sign-in\/(?:magic-link|email-otp)$|passkey\/(?:generate|verify)-)/;

const FIELD = { type: "string", required: false, input: false, returned: false } as const;

const started = z.object({ provider: z.string() });

const issuerFields = z.object({
  issuer: z.string(),
  issuerSubject: z.string(),
  issuerSession: z.string().nullish(),
  adminGroup: z.string().nullish(),
});
type IssuerFields = z.infer<typeof issuerFields>;
const withSecondFactor = z.object({ twoFactorEnabled: z.literal(true) });
const challenged = issuerFields.extend({ userId: z.string() });

type Once = (key: string, seconds: number) => Promise<boolean>;

/** Adds the OpenID Connect issuers as providers, and ends sessions together with the issuer's (docs/single-sign-on.md). */
export function issuers(config: AppConfig, once: Once) {
  const clients = issuersOf(config);
  const ending = defineRequestState<{ issuer: string; idToken: string | null } | null>(() => null);
  const endSession = async ({ providerId }: { providerId: string }) => {
    const found = await ending.get();
    return found?.issuer === providerId ? found : null;
  };
  const { requireEmailVerification } = config.accounts;

  return {
    id: "issuers",
    schema: { session: { fields: { issuer: FIELD, issuerSubject: FIELD, issuerSession: FIELD, adminGroup: FIELD } } },

    init: ({ socialProviders }) => ({
      context: {
        socialProviders: [
          ...socialProviders,
          ...[...clients.values()].map((client) => issuerProvider(client, { requireEmailVerification, endSession })),
        ],
      },
      options: {
        databaseHooks: {
          session: {
            create: {
              before: async (session, ctx) => {
                const found = ctx && clients.size > 0 ? await issuerFieldsOf(session.userId, ctx) : null;
                return found ? { data: { ...session, ...found } } : undefined;
              },
            },
          },
        },
      },
    }),

    hooks: {
      before: [
        {
          matcher: ({ path }) => isSingleSignOnOnly(config) && OTHER_METHODS.test(path ?? ""),
          handler: createAuthMiddleware(async () => {
            throw new APIError("FORBIDDEN", { code: "SINGLE_SIGN_ON_REQUIRED", message: "Sign in with single sign-on" });
          }),
        },
        {
          matcher: ({ path, body }) => STARTS.has(path ?? "") && clients.has(started.safeParse(body).data?.provider ?? ""),
          handler: createAuthMiddleware(async ({ body }) => addOAuthServerContext({ [FLOW_ISSUER]: started.parse(body).provider })),
        },
        {
          matcher: ({ path }) => path === "/sign-out" && [...clients.values()].some(({ settings }) => settings.endSession),
          handler: createAuthMiddleware(async (ctx) => {
            await ending.set(
              await endingAt(ctx).catch((error: unknown) => {
                log.warn({ from: "accounts", error }, "the issuer of a session was not found");
                return null;
              }),
            );
          }),
        },
      ],
    },

    endpoints: {
      backChannelLogout: createAuthEndpoint(
        "/oidc/backchannel-logout/:id",
        {
          method: "POST",
          body: z.object({ logout_token: z.string() }),
          metadata: { allowedMediaTypes: ["application/x-www-form-urlencoded"] },
        },
        async (ctx) => {
          ctx.setHeader("Cache-Control", "no-store");
          const client = clients.get(ctx.params.id);
          if (!client) throw new APIError("NOT_FOUND", { code: "PROVIDER_NOT_FOUND", message: "Provider not found" });
          const request = await client.verifyLogout(ctx.body.logout_token).catch((error: unknown) => {
            log.warn({ from: "accounts", provider: ctx.params.id, error }, "a logout token was rejected");
            throw invalidRequest();
          });
          const used = createHash("sha256").update(`${ctx.params.id} ${request.jti}`).digest("base64url");
          if (!(await once(`logout:${used}`, LOGOUT_ID_SECONDS))) throw invalidRequest();
          await endSessions(ctx, ctx.params.id, request);
          return ctx.json({});
        },
      ),
    },
    rateLimit: [{ pathMatcher: (path) => path.startsWith("/oidc/"), window: 10, max: 1000 }],
  } satisfies BetterAuthPlugin;
}

/** The error of OpenID Connect Back-Channel Logout 1.0, 2.8. */
const invalidRequest = () =>
  new APIError("BAD_REQUEST", { code: "INVALID_LOGOUT_TOKEN", message: "Invalid logout token", error: "invalid_request" });

async function endSessions({ context: { adapter } }: GenericEndpointContext, issuer: string, { sub, sid }: LogoutRequest): Promise<void> {
  const named = { issuer, ...(sub !== undefined && { issuerSubject: sub }), ...(sid !== undefined && { issuerSession: sid }) };
  const where = Object.entries(named).map(([field, value]) => ({ field, value }));
  await adapter.deleteMany({ model: "session", where });
}

/** Returns the issuer of a new session, from this sign-in, the sign-in before the second factor, or the replaced session. */
async function issuerFieldsOf(userId: string, ctx: GenericEndpointContext): Promise<IssuerFields | null> {
  if (ctx.path === CALLBACK) {
    const found = await signedInAt.get();
    if (found) await storeForSecondFactor(userId, found, ctx);
    return found;
  }
  const replaced = ctx.context.session;
  if (replaced?.user.id === userId) return storedIssuerFields(replaced.session.id, ctx);
  if (!SECOND_FACTOR.test(ctx.path)) return null;
  const stored = await ctx.getSignedCookie(secondFactorCookie(ctx).name, ctx.context.secret);
  const { data } = challenged.safeParse(jsonIn(stored));
  if (data?.userId !== userId) return null;
  expireCookie(ctx, secondFactorCookie(ctx));
  const { issuer, issuerSubject, issuerSession, adminGroup } = data;
  return { issuer, issuerSubject, issuerSession, adminGroup };
}

/** Better Auth omits these fields from sessions in its context. */
async function storedIssuerFields(id: string, { context: { adapter } }: GenericEndpointContext): Promise<IssuerFields | null> {
  return issuerFields.safeParse(await adapter.findOne({ model: "session", where: [{ field: "id", value: id }] })).data ?? null;
}

/** Stores the issuer in a cookie, because the request that completes a second factor does not contain it. */
async function storeForSecondFactor(userId: string, found: IssuerFields, ctx: GenericEndpointContext): Promise<void> {
  const user = await ctx.context.internalAdapter.findUserById(userId);
  if (!withSecondFactor.safeParse(user).success) return;
  const { name, attributes } = secondFactorCookie(ctx);
  await ctx.setSignedCookie(name, JSON.stringify({ userId, ...found }), ctx.context.secret, attributes);
}

const secondFactorCookie = ({ context }: GenericEndpointContext) =>
  context.createAuthCookie("issuer_session", { maxAge: SECOND_FACTOR_SECONDS });

async function endingAt(ctx: GenericEndpointContext): Promise<{ issuer: string; idToken: string | null } | null> {
  const current = await getSessionFromCtx(ctx);
  const data = current && (await storedIssuerFields(current.session.id, ctx));
  if (!data) return null;
  const accounts = await ctx.context.internalAdapter.findAccounts(current.user.id);
  const account = accounts.find(({ providerId, accountId }) => providerId === data.issuer && accountId === data.issuerSubject);
  const idToken = account?.idToken ? await decryptOAuthToken(account.idToken, ctx.context) : null;
  const isSame = idToken !== null && (decodeJwt(idToken)["sid"] ?? null) === (data.issuerSession ?? null);
  return { issuer: data.issuer, idToken: isSame ? idToken : null };
}

function jsonIn(text: string | null | false | undefined): unknown {
  try {
    return JSON.parse(text || "null");
  } catch {
    return null;
  }
}
