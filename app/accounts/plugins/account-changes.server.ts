import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { deleteSessionCookie } from "better-auth/cookies";
import { z } from "zod";

const wanted = z.object({ newEmail: z.email().toLowerCase() });
const deleted = z.object({ message: z.literal("User deleted") });

/** How changing one's address is refused, and what is left of somebody who is gone (specification 4 and 5). */
export const accountChanges = () =>
  ({
    id: "account-changes",
    hooks: {
      before: [
        {
          // The core answers as if the address had been changed, to hide that it is taken. Here only the signed-in are told, three times in ten
          // seconds at most (Better Auth's limit for this path).
          matcher: ({ path }) => path === "/change-email",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = wanted.safeParse(ctx.body);
            if (!success || !ctx.context.options.user?.changeEmail?.enabled) return;
            const session = await getSessionFromCtx(ctx);
            if (!session || session.user.email === data.newEmail) return;
            if (await ctx.context.internalAdapter.findUserByEmail(data.newEmail))
              throw new APIError("BAD_REQUEST", { code: "EMAIL_TAKEN", message: "Couldn't update your email" });
          }),
        },
      ],
      after: [
        {
          // With a token in its body, the core leaves the cookies of the session that it has ended.
          matcher: ({ path }) => path === "/delete-user",
          handler: createAuthMiddleware(async (ctx) => {
            if (deleted.safeParse(ctx.context.returned).success) deleteSessionCookie(ctx);
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
