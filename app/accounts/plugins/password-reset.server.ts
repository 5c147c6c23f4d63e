import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, requestPasswordReset } from "better-auth/api";

/** POST /forget-password: the older name of POST /request-password-reset (specification 7). */
export const passwordReset = () =>
  ({
    id: "password-reset",
    endpoints: {
      forgetPassword: createAuthEndpoint("/forget-password", requestPasswordReset.options, (ctx) =>
        // Not as the router is to have it, which calls this one.
        requestPasswordReset({ ...ctx, asResponse: false, returnHeaders: false, returnStatus: false }),
      ),
    },
  }) satisfies BetterAuthPlugin;
