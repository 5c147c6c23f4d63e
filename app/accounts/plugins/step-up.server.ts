import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, sensitiveSessionMiddleware } from "better-auth/api";
import { z } from "zod";

/**
 * POST /step-up: makes the session a fresh one by its person's password, so that what only a fresh session may do can go on where it was
 * refused (`app/accounts/screens/`). The session stays the same: open pages stay live, and nobody is told of a new sign-in.
 */
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
          // Better Auth calls a session fresh by when it was made.
          await ctx.context.internalAdapter.updateSession(session.token, { createdAt: new Date() });
          return ctx.json({ status: true });
        },
      ),
    },
    // As many tries as for signing in.
    rateLimit: [{ pathMatcher: (path) => path === "/step-up", window: 10, max: 3 }],
  }) satisfies BetterAuthPlugin;
