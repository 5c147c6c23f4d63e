import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware, isAPIError } from "better-auth/api";

/**
 * The specification's words (section 8) where today's Better Auth has others: for input that does not fit, which it explains in terms of its
 * own schemas, and for a first password of somebody who has one.
 */
export const refusals = () =>
  ({
    id: "refusals",
    hooks: {
      after: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async ({ context: { returned } }) => {
            if (!isAPIError(returned)) return;
            const { code, message = "" } = returned.body ?? {};
            if (code === "VALIDATION_ERROR") throw new APIError("BAD_REQUEST", { code, message: wordsFor(message) });
            if (code === "PASSWORD_ALREADY_SET") throw new APIError("BAD_REQUEST", { code, message: "user already has a password" });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** Better Auth names the fields in brackets, beginning with where they were sent: `[body.newPassword] …`. */
function wordsFor(message: string): string {
  if (/^\[body\b/.test(message)) return "Invalid body parameters";
  return /^\[query\b/.test(message) ? "Invalid query parameters" : "Invalid input";
}
