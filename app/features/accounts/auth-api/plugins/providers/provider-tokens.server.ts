import { parseStringBoolean } from "@better-auth/core/oauth2";
import { BASE_ERROR_CODES, type BetterAuthPlugin, type GenericEndpointContext } from "better-auth";
import {
  APIError,
  createAuthEndpoint,
  getAccessToken as coreGetAccessToken,
  getSessionFromCtx,
  refreshToken as coreRefreshToken,
  sensitiveSessionMiddleware,
} from "better-auth/api";
import { symmetricEncrypt } from "better-auth/crypto";
import { decryptOAuthToken } from "better-auth/oauth2";
import { z } from "zod";
import { byProvider, isAccount } from "./is-account";

const tokensRequest = z.object({ ...byProvider, userId: z.string().optional() });

const dataOnly = { asResponse: false, returnHeaders: false, returnStatus: false } as const;

/** Returns tokens and profile by provider id (specification 7); Better Auth expects the row's id. Endpoints with its names replace its own. */
export const providerTokens = () =>
  ({
    id: "provider-tokens",
    endpoints: {
      getAccessToken: createAuthEndpoint("/get-access-token", { method: "POST", body: tokensRequest }, async (ctx) => {
        const account = await accountFor(ctx, ctx.body);
        return ctx.json(await validTokens(ctx, account));
      }),

      refreshToken: createAuthEndpoint("/refresh-token", { method: "POST", body: tokensRequest }, async (ctx) => {
        const account = await accountFor(ctx, ctx.body);
        const tokens = await coreRefreshToken({ ...ctx, ...dataOnly, body: { accountId: account.id, userId: account.userId } });
        const scopes = (tokens.scope ?? "").split(",").filter(Boolean);
        return ctx.json({ ...tokens, scopes, idToken: await readable(tokens.idToken, ctx), accountId: account.accountId });
      }),

      accountInfo: createAuthEndpoint(
        "/account-info",
        {
          method: "POST",
          body: z.object({ ...byProvider, providerId: z.string().optional(), accountId: z.string() }),
          use: [sensitiveSessionMiddleware],
        },
        async (ctx) => {
          const { internalAdapter, session, socialProviders } = ctx.context;
          const account = (await internalAdapter.findAccounts(session.user.id)).find(isAccount(ctx.body));
          if (!account) throw APIError.from("BAD_REQUEST", BASE_ERROR_CODES.ACCOUNT_NOT_FOUND);
          const provider = socialProviders.find(({ id }) => id === account.providerId);
          if (!provider) {
            const message = `Provider ${account.providerId} is not configured.`;
            throw new APIError("INTERNAL_SERVER_ERROR", { code: "PROVIDER_NOT_CONFIGURED", message });
          }
          const tokens = await validTokens(ctx, account);
          if (!tokens.accessToken) throw new APIError("BAD_REQUEST", { code: "ACCESS_TOKEN_NOT_FOUND", message: "Access token not found" });
          const info = await provider.getUserInfo(tokens);
          if (!info) throw APIError.from("UNAUTHORIZED", BASE_ERROR_CODES.FAILED_TO_GET_USER_INFO);
          const emailVerified = parseStringBoolean(info.user.emailVerified) ?? false;
          return ctx.json({ user: { ...info.user, emailVerified }, data: info.data });
        },
      ),
    },
    init: ({ secretConfig }) => {
      const sealed = async <Account extends { idToken?: string | null }>(account: Account) => {
        if (!account.idToken?.includes(".")) return { data: account };
        return { data: { ...account, idToken: await symmetricEncrypt({ key: secretConfig, data: account.idToken }) } };
      };
      return { options: { databaseHooks: { account: { create: { before: sealed }, update: { before: sealed } } } } };
    },
  }) satisfies BetterAuthPlugin;

type Row = { id: string; userId: string; providerId: string; accountId: string };

async function accountFor(ctx: GenericEndpointContext, { userId, ...wanted }: z.output<typeof tokensRequest>): Promise<Row> {
  const session = await getSessionFromCtx(ctx, { disableCookieCache: true });
  if (!session && (ctx.request || ctx.headers)) throw new APIError("UNAUTHORIZED", { code: "UNAUTHORIZED", message: "Unauthorized" });
  const owner = session?.user.id ?? userId;
  if (!owner) throw new APIError("BAD_REQUEST", { code: "USER_ID_OR_SESSION_REQUIRED", message: "Either userId or session is required" });
  if (!ctx.context.socialProviders.some(({ id }) => id === wanted.providerId)) {
    const message = `Provider ${wanted.providerId} is not supported.`;
    throw new APIError("BAD_REQUEST", { code: "PROVIDER_NOT_SUPPORTED", message });
  }
  const account = (await ctx.context.internalAdapter.findAccounts(owner)).find(isAccount(wanted));
  if (!account) throw APIError.from("BAD_REQUEST", BASE_ERROR_CODES.ACCOUNT_NOT_FOUND);
  return account;
}

/** Returns tokens valid for at least five seconds (specification 9); Better Auth refreshes them. */
async function validTokens(ctx: GenericEndpointContext, { id, userId }: Row) {
  const tokens = await coreGetAccessToken({ ...ctx, ...dataOnly, body: { accountId: id, userId } });
  return { ...tokens, idToken: await readable(tokens.idToken, ctx) };
}

const readable = async (idToken: string | null | undefined, { context }: GenericEndpointContext): Promise<string | undefined> =>
  idToken ? decryptOAuthToken(idToken, context) : undefined;
