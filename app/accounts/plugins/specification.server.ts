import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, requestPasswordReset } from "better-auth/api";

/** What the specification's API has and today's Better Auth has moved or renamed (section 7). */
export const specification = () =>
  ({
    id: "specification",
    endpoints: {
      /** The older name of POST /request-password-reset. */
      forgetPassword: createAuthEndpoint("/forget-password", requestPasswordReset.options, (ctx) => requestPasswordReset(ctx)),
    },
  }) satisfies BetterAuthPlugin;
