import { createHash } from "node:crypto";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { z } from "zod";

/** How long the code of an authenticator app can be valid, in seconds: its own half minute, and the ones before and after. */
const VALID_SECONDS = 90;

const sent = z.object({ code: z.string() });

/**
 * Takes each code of an authenticator app once (RFC 6238, 5.2): Better Auth would take it again for as long as it is valid, also from somebody
 * who has read it over a shoulder. Emailed and backup codes are single-use there already.
 *
 * @param once whether this is the first time within so many seconds that it is asked for this key
 */
export const singleUseCodes = (once: (key: string, seconds: number) => Promise<boolean>) =>
  ({
    id: "single-use-codes",
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === "/two-factor/verify-totp",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = sent.safeParse(ctx.body);
            const userId = success ? await whoseCode(ctx) : null;
            if (!success || userId === null) return;
            const used = createHash("sha256").update(`${userId}:${data.code.trim()}`).digest("base64url");
            if (!(await once(`totp:${used}`, VALID_SECONDS)))
              throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "Invalid code" });
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** The person whose code it is: signed in, or half-way there. Null: nobody, which the endpoint itself refuses. */
async function whoseCode(ctx: GenericEndpointContext): Promise<string | null> {
  const session = await getSessionFromCtx(ctx);
  if (session) return session.user.id;
  const { name } = ctx.context.createAuthCookie("two_factor");
  const challenge = await ctx.getSignedCookie(name, ctx.context.secret);
  const started = challenge ? await ctx.context.internalAdapter.findVerificationValue(challenge) : null;
  return started?.value ?? null;
}
