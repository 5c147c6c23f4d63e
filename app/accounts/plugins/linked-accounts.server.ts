import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint, createAuthMiddleware, freshSessionMiddleware } from "better-auth/api";
import { BASE_ERROR_CODES } from "better-auth";
import { z } from "zod";
import { byProvider, isAccount } from "./accounts-of";

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

/** Removes an account's row for a session's person, the last one only if it may go: in one step, so that two at once leave one. */
type Unlink = (sessionId: string, id: string, lastToo: boolean) => Promise<"unlinked" | "last" | "missing">;

/**
 * GET /list-accounts with the fields of specification 3 and no other, and POST /unlink-account by provider (specification 7); today's Better
 * Auth wants the row's id. `unlinkAccount` is the core's own name for its endpoint: by it the core's gives way.
 */
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
