import { createAuthMiddleware } from "better-auth/api";
import type { BetterAuthPlugin } from "better-auth";
import { recordNewSession } from "../auth-call.server";

const CREATE_SESSIONS = /^\/(?:sign-in|sign-up|two-factor\/verify-\w+|passkey\/verify-authentication)\b/;

/** Reports the session that a request created, unless a second factor is still missing. Must follow all plugins that change the session. */
export const newSession = () =>
  ({
    id: "new-session",
    hooks: {
      after: [
        {
          matcher: ({ path }) => CREATE_SESSIONS.test(path ?? ""),
          handler: createAuthMiddleware(async ({ context }) => recordNewSession(context.newSession)),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
