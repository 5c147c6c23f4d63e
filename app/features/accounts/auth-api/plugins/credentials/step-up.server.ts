import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, sensitiveSessionMiddleware } from "better-auth/api";
import { z } from "zod";

/** Refreshes the session with the password at POST /step-up, so that a rejected form can continue. The session id does not change. */
export const stepUp = () =>
  ({
    id: "step-up",
    endpoints: {
      stepUp: createAuthEndpoint(
        "/step-up",
        { method: "POST", body: z.object({ password: z.string() }), use: [sensitiveSessionMiddleware] },
        async (ctx) => {
          const { session, user } = ctx.context.session;
          await ctx.context.password.checkPassword(user.id, ctx);
          // Better Auth computes freshness from this date.
          await ctx.context.internalAdapter.updateSession(session.token, { createdAt: new Date() });
          return ctx.json({ status: true });
        },
      ),
    },
    rateLimit: [{ pathMatcher: (path) => path === "/step-up", window: 10, max: 3 }],
  }) satisfies BetterAuthPlugin;
