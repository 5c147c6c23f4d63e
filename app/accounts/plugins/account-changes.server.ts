import { BASE_ERROR_CODES, type BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { deleteSessionCookie } from "better-auth/cookies";
import { jwtVerify } from "jose";
import { z } from "zod";

const wanted = z.object({ newEmail: z.email().toLowerCase() });
/** The address to which a link's token would change an account's. Of a token that is not ours nothing is told: it would tell who has an account. */
async function updateIn(token: string, secret: string): Promise<string | null> {
  const read = await jwtVerify(token, new TextEncoder().encode(secret), { algorithms: ["HS256"] }).catch(() => null);
  const { data } = z.object({ updateTo: z.string() }).safeParse(read?.payload);
  return data?.updateTo ?? null;
}

const withToken = z.object({ token: z.string() });
const changed = z.object({ status: z.literal(true) });
const deleted = z.object({ message: z.literal("User deleted") });

/** The address belongs to somebody else (specification 5 and 8: UNPROCESSABLE_ENTITY). */
export const emailTaken = () => new APIError("UNPROCESSABLE_ENTITY", { code: "EMAIL_TAKEN", message: "Couldn't update your email" });

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
            if (await ctx.context.internalAdapter.findUserByEmail(data.newEmail)) throw emailTaken();
          }),
        },
        {
          // The core uses a token up before it looks whose it is: a link opened where another account is signed in would be dead for its owner.
          matcher: ({ path }) => path === "/delete-user" || path === "/delete-user/callback",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = withToken.safeParse(ctx.path === "/delete-user" ? ctx.body : ctx.query);
            const session = success ? await getSessionFromCtx(ctx) : null;
            if (!success || !session) return;
            const given = await ctx.context.internalAdapter.findVerificationValue(`delete-account-${data.token}`);
            if (given && given.value !== session.user.id) throw APIError.from("NOT_FOUND", BASE_ERROR_CODES.INVALID_TOKEN);
          }),
        },
        {
          // Somebody else has taken the address since its change was asked for: the link's page says so.
          matcher: ({ path }) => path === "/verify-email",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = z.object({ token: z.string(), callbackURL: z.string() }).safeParse(ctx.query);
            const newEmail = success ? await updateIn(data.token, ctx.context.secret) : null;
            if (!success || newEmail === null || !(await ctx.context.internalAdapter.findUserByEmail(newEmail))) return;
            const target = new URL(data.callbackURL, ctx.context.baseURL);
            target.searchParams.set("error", "EMAIL_TAKEN");
            throw ctx.redirect(target.pathname + target.search);
          }),
        },
      ],
      after: [
        {
          // Somebody else took the address while the core looked: it says so no more than above.
          matcher: ({ path }) => path === "/change-email",
          handler: createAuthMiddleware(async (ctx) => {
            const { session, returned, internalAdapter } = ctx.context;
            const { success, data } = wanted.safeParse(ctx.body);
            if (!success || !session || session.user.emailVerified || !changed.safeParse(returned).success) return;
            const holder = await internalAdapter.findUserByEmail(data.newEmail);
            if (holder && holder.user.id !== session.user.id) throw emailTaken();
          }),
        },
        {
          // A link in a mail confirms an address and opens nothing: followed where nobody is signed in, the core would sign in, past the second factor.
          matcher: ({ path }) => path === "/verify-email",
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession, authCookies, internalAdapter } = ctx.context;
            if (!newSession) return;
            const had = await ctx.getSignedCookie(authCookies.sessionToken.name, ctx.context.secret);
            if (had === newSession.session.token) return;
            deleteSessionCookie(ctx);
            await internalAdapter.deleteSession(newSession.session.token);
            ctx.context.setNewSession(null);
          }),
        },
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
