import { createHash } from "node:crypto";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { z } from "zod";
import { challengedUser } from "./second-factor-attempts.server";

/** A TOTP code is valid for its own 30 s period and the ones before and after. */
const VALID_SECONDS = 90;

const sent = z.object({ code: z.string() });

/** Accepts each TOTP code once (RFC 6238, 5.2). `once` returns whether a key is new within the given seconds. */
export const singleUseCodes = (once: (key: string, seconds: number) => Promise<boolean>) =>
  ({
    id: "single-use-codes",
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === "/two-factor/verify-totp",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = sent.safeParse(ctx.body);
            const userId = success ? await codeOwner(ctx) : null;
            if (!success || userId === null) return;
            const used = createHash("sha256").update(`${userId}:${data.code.trim()}`).digest("base64url");
            if (!(await once(`totp:${used}`, VALID_SECONDS)))
              throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "Invalid code" });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** Returns the user who is signed in or must still enter the second factor. For null, the endpoint rejects the code. */
async function codeOwner(ctx: GenericEndpointContext): Promise<string | null> {
  const session = await getSessionFromCtx(ctx);
  if (session) return session.user.id;
  return challengedUser(ctx);
}
