import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware, isAPIError } from "better-auth/api";

/** Replaces Better Auth's error messages with the specification's (8), and adds missing codes. */
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
            if (!code && message) throw new APIError(returned.status, { code: codeFor(message), message }, returned.headers);
            if (code === "VALIDATION_ERROR") throw new APIError("BAD_REQUEST", { code, message: wordsFor(message) });
            if (code === "PASSWORD_ALREADY_SET") throw new APIError("BAD_REQUEST", { code, message: "user already has a password" });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

const codeFor = (message: string) =>
  message
    .toUpperCase()
    .replaceAll(" ", "_")
    .replaceAll(/[^A-Z0-9_]/g, "");

function wordsFor(message: string): string {
  if (/^\[body\b/.test(message)) return "Invalid body parameters";
  return /^\[query\b/.test(message) ? "Invalid query parameters" : "Invalid input";
}
