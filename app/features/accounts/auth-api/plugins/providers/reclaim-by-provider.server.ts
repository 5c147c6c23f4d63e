import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware, getOAuthState } from "better-auth/api";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { callerNetwork } from "../../auth-call.server";
import { serviceConvex } from "../../../session/convex/service-client.server";
import type { ValidateUserInfo } from "../../issuers/issuer-rules.server";

const SIGN_IN_PATHS = new Set(["/callback/:id", "/sign-in/social"]);

/** Reads the user again after `removeBeforeLinking`, which may have removed the second factor in the same request. */
export const reclaimByProvider = () =>
  ({
    id: "reclaim-by-provider",
    hooks: {
      after: [
        {
          matcher: ({ path }) => SIGN_IN_PATHS.has(path ?? ""),
          handler: createAuthMiddleware(async ({ context }) => {
            const { newSession } = context;
            if (newSession?.user["twoFactorEnabled"] !== true) return;
            const user = await context.internalAdapter.findUserById(newSession.user.id);
            if (user) context.setNewSession({ ...newSession, user });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** Removes all credentials of an unverified account before a verified provider is linked (specification 5): anyone may have created it. */
export function removeBeforeLinking(config: AppConfig): ValidateUserInfo {
  return async ({ user: { id: userId }, source }, ctx) => {
    const providerId = source.oauth?.providerId;
    if (source.action !== "link-account" || !userId || !providerId || !SIGN_IN_PATHS.has(ctx.path)) return;
    // A signed-in user who links a provider owns the account.
    if ((await getOAuthState())?.link) return;
    const user = await ctx.context.internalAdapter.findUserById(userId);
    if (!user || user.emailVerified) return;

    const convex = serviceConvex(config);
    const removed = new Set<string>();
    for (;;) {
      const batch = await convex.mutation(api.accounts.reclaim.removeCredentials, { userId, ...callerNetwork() }, { skipQueue: true });
      if (batch.length === 0) break;
      for (const credential of batch) removed.add(credential);
    }
    const reclaimed = { userId, providerId, removed: [...removed], ...callerNetwork() };
    await convex.mutation(api.accounts.reclaim.verifyAddress, reclaimed, { skipQueue: true });
    // Better Auth continues with the stale user and would reject it as unverified. The change applies to this request only.
    ctx.context.socialProviders = ctx.context.socialProviders.map((provider) =>
      provider.id === providerId ? { ...provider, options: { ...provider.options, requireEmailVerification: false } } : provider,
    );
  };
}
