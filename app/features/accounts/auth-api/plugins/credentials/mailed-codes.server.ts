import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { emailOTP } from "better-auth/plugins/email-otp";
import { runInTransaction } from "../../adapter/adapter-transaction.server";

type Options = Pick<Parameters<typeof emailOTP>[0], "sendVerificationOTP">;

const AS_RESULT = { asResponse: false, returnHeaders: false, returnStatus: false } as const;

/** Omits Better Auth's unused endpoints, because each allows guesses. A reset commits in one mutation. */
export function mailedCodes(options: Options) {
  const plugin = emailOTP({ storeOTP: "hashed", disableSignUp: true, ...options });
  const {
    sendVerificationOTP,
    createVerificationOTP,
    signInEmailOTP,
    verifyEmailOTP,
    requestPasswordResetEmailOTP,
    resetPasswordEmailOTP: reset,
  } = plugin.endpoints;
  const resetPasswordEmailOTP = createAuthEndpoint("/email-otp/reset-password", reset.options, (ctx) =>
    runInTransaction(ctx.context.adapter, () => reset({ ...ctx, ...AS_RESULT })),
  );
  return {
    ...plugin,
    endpoints: {
      sendVerificationOTP,
      createVerificationOTP,
      signInEmailOTP,
      verifyEmailOTP,
      requestPasswordResetEmailOTP,
      resetPasswordEmailOTP,
    },
  } satisfies BetterAuthPlugin;
}
