import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { z } from "zod";
import { recordOrigin } from "../auth-call.server";

const REPLACING = /^\/(?:two-factor\/|change-password$)/;

const named = z.object({ provider: z.string() });

/** Records what the audit log cannot derive from a request's path: the provider, and whether a session replaces another. */
export const auditOrigin = () =>
  ({
    id: "audit-origin",
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === "/sign-in/social",
          handler: createAuthMiddleware(async ({ body, context }) => {
            const { data } = named.safeParse(body);
            if (data && context.socialProviders.some(({ id }) => id === data.provider)) recordOrigin(data);
          }),
        },
      ],
    },
    init: () => ({
      options: {
        databaseHooks: {
          session: {
            create: {
              before: async (session, ctx) => {
                if (ctx && REPLACING.test(ctx.path) && ctx.context.session?.user.id === session.userId)
                  recordOrigin({ replacesSession: true });
              },
            },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;
