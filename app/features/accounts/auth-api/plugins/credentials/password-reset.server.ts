import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint, isAPIError, requestPasswordReset, resetPassword } from "better-auth/api";
import { runInTransaction } from "../../adapter/adapter-transaction.server";

const AS_RESULT = { asResponse: false, returnHeaders: false, returnStatus: false } as const;

/** Adds POST /forget-password (specification 7). POST /reset-password answers 401 to an invalid token (8) and commits in one mutation. */
export const passwordReset = () =>
  ({
    id: "password-reset",
    endpoints: {
      forgetPassword: createAuthEndpoint("/forget-password", requestPasswordReset.options, (ctx) =>
        requestPasswordReset({ ...ctx, ...AS_RESULT }),
      ),
      resetPassword: createAuthEndpoint("/reset-password", resetPassword.options, async (ctx) => {
        try {
          return await runInTransaction(ctx.context.adapter, () => resetPassword({ ...ctx, ...AS_RESULT }));
        } catch (error) {
          if (!isAPIError(error) || error.body?.code !== "INVALID_TOKEN") throw error;
          throw new APIError("UNAUTHORIZED", { code: error.body.code, message: error.body.message });
        }
      }),
    },
  }) satisfies BetterAuthPlugin;
