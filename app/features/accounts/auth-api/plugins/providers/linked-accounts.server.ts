import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint, createAuthMiddleware, freshSessionMiddleware, getSessionFromCtx } from "better-auth/api";
import { BASE_ERROR_CODES } from "better-auth";
import { z } from "zod";
import { byProvider, isAccount } from "./is-account";

const accountsListed = z.array(
  z.object({
    id: z.string(),
    providerId: z.string(),
    createdAt: z.date(),
    updatedAt: z.date(),
    accountId: z.string(),
    scopes: z.array(z.string()),
  }),
);

const linkByRedirect = z.object({ provider: z.string(), idToken: z.undefined().optional() });

type Unlink = (sessionId: string, id: string, lastToo: boolean) => Promise<"unlinked" | "last" | "missing">;

/** Lists accounts as in specification 3 and unlinks by provider (specification 7). `unlinkAccount` replaces Better Auth's endpoint. */
export const linkedAccounts = (unlink: Unlink) =>
  ({
    id: "linked-accounts",
    endpoints: {
      unlinkAccount: createAuthEndpoint(
        "/unlink-account",
        { method: "POST", body: z.object(byProvider), use: [freshSessionMiddleware] },
        async (ctx) => {
          const { internalAdapter, options, session } = ctx.context;
          const lastToo = options.account?.accountLinking?.allowUnlinkingAll === true;
          const accounts = await internalAdapter.findAccounts(session.user.id);
          const account = accounts.find(isAccount(ctx.body));
          const isLast = accounts.length === 1 && !lastToo;
          const outcome = account && !isLast ? await unlink(session.session.id, account.id, lastToo) : "missing";
          if (isLast || outcome === "last") throw APIError.from("BAD_REQUEST", BASE_ERROR_CODES.FAILED_TO_UNLINK_LAST_ACCOUNT);
          if (outcome === "missing") throw APIError.from("BAD_REQUEST", BASE_ERROR_CODES.ACCOUNT_NOT_FOUND);
          return ctx.json({ status: true });
        },
      ),
    },
    hooks: {
      before: [
        {
          // Better Auth would reject the link only after the trip to the provider.
          matcher: ({ path }) => path === "/link-social",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = linkByRedirect.safeParse(ctx.body);
            if (!success || ctx.context.options.account?.accountLinking?.enabled !== false) return;
            const session = await getSessionFromCtx(ctx);
            if (!session || !ctx.context.socialProviders.some(({ id }) => id === data.provider)) return;
            const accounts = await ctx.context.internalAdapter.findAccounts(session.user.id);
            if (accounts.some(({ providerId }) => providerId === data.provider)) return;
            throw new APIError("UNAUTHORIZED", { code: "LINKING_NOT_ALLOWED", message: "Account not linked - linking not allowed" });
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === "/list-accounts",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = accountsListed.safeParse(ctx.context.returned);
            if (success) return ctx.json(data);
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
