import { BASE_ERROR_CODES, type BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { jwtVerify } from "jose";
import { z } from "zod";

const changeEmailSchema = z.object({ newEmail: z.email().toLowerCase() });
/** Returns the new address in a valid token. A forged token must not reveal who has an account. */
async function updateIn(token: string, secret: string): Promise<string | null> {
  const read = await jwtVerify(token, new TextEncoder().encode(secret), { algorithms: ["HS256"] }).catch(() => null);
  const { data } = z.object({ updateTo: z.string() }).safeParse(read?.payload);
  return data?.updateTo ?? null;
}

const withToken = z.object({ token: z.string() });
const changed = z.object({ status: z.literal(true) });

export const emailTaken = () => new APIError("UNPROCESSABLE_ENTITY", { code: "EMAIL_TAKEN", message: "Couldn't update your email" });

export const accountChanges = () =>
  ({
    id: "account-changes",
    hooks: {
      before: [
        {
          // Better Auth does not report a taken address. This hook reports it to signed-in users, for three requests in ten seconds.
          matcher: ({ path }) => path === "/change-email",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = changeEmailSchema.safeParse(ctx.body);
            if (!success || !ctx.context.options.user?.changeEmail?.enabled) return;
            const session = await getSessionFromCtx(ctx);
            if (!session || session.user.email === data.newEmail) return;
            if (await ctx.context.internalAdapter.findUserByEmail(data.newEmail)) throw emailTaken();
          }),
        },
        {
          // Better Auth consumes the token before it checks its owner, so another signed-in account would destroy it.
          matcher: ({ path }) => path === "/delete-user" || path === "/delete-user/callback",
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = withToken.safeParse(ctx.path === "/delete-user" ? ctx.body : ctx.query);
            const session = success ? await getSessionFromCtx(ctx) : null;
            if (!success || !session) return;
            const verification = await ctx.context.internalAdapter.findVerificationValue(`delete-account-${data.token}`);
            if (verification && verification.value !== session.user.id) throw APIError.from("NOT_FOUND", BASE_ERROR_CODES.INVALID_TOKEN);
          }),
        },
        {
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
          matcher: ({ path }) => path === "/change-email",
          handler: createAuthMiddleware(async (ctx) => {
            const { session, returned, internalAdapter } = ctx.context;
            const { success, data } = changeEmailSchema.safeParse(ctx.body);
            if (!success || !session || session.user.emailVerified || !changed.safeParse(returned).success) return;
            const holder = await internalAdapter.findUserByEmail(data.newEmail);
            if (holder && holder.user.id !== session.user.id) throw emailTaken();
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
