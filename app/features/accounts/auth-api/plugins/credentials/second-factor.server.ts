import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { twoFactor } from "better-auth/plugins";
import { z } from "zod";

type Sending = Pick<NonNullable<NonNullable<Parameters<typeof twoFactor>[0]>["otpOptions"]>, "sendOTP">;

/** Configures two-factor authentication. All sign-in methods except passkeys require it; Better Auth's plugin covers only passwords. */
export function secondFactor(sending: Sending) {
  const plugin = twoFactor({
    issuer: "Atelier",
    backupCodeOptions: { storeBackupCodes: "encrypted" },
    otpOptions: { storeOTP: "hashed", ...sending },
    accountLockout: { enabled: false },
  });
  const after = plugin.hooks.after.map((hook) => ({
    ...hook,
    matcher: (context: Parameters<typeof hook.matcher>[0]) => hook.matcher(context) || ALTERNATIVE_SIGN_INS.has(context.path ?? ""),
  }));
  return {
    ...plugin,
    hooks: { before: [onlyWhenEnabled], after: [...after, redirectToChallenge, newSessionsToken] },
  } satisfies BetterAuthPlugin;
}

const SIGN_IN_LINK = "/magic-link/verify";
const PROVIDER = "/callback/:id";
const ALTERNATIVE_SIGN_INS = new Set([SIGN_IN_LINK, "/sign-in/email-otp", PROVIDER, "/sign-in/social"]);

const challenged = z.object({ twoFactorRedirect: z.literal(true) });

const redirectToChallenge = {
  matcher: ({ path }: { path?: string }) => path === SIGN_IN_LINK || path === PROVIDER,
  handler: createAuthMiddleware(async (ctx) => {
    if (!challenged.safeParse(ctx.context.returned).success) return;
    const target = new URL(ctx.context.responseHeaders?.get("Location") ?? "/", ctx.context.baseURL);
    ctx.setHeader("Location", `/two-factor?${new URLSearchParams({ redirectTo: target.pathname + target.search })}`);
  }),
};

/** Rejects emailed codes until an authenticator code confirmed the second factor; Better Auth would accept an emailed one. */
const onlyWhenEnabled = {
  matcher: ({ path }: { path?: string }) => path === "/two-factor/send-otp" || path === "/two-factor/verify-otp",
  handler: createAuthMiddleware(async (ctx) => {
    const session = await getSessionFromCtx(ctx, { disableCookieCache: true });
    if (session && session.user["twoFactorEnabled"] !== true)
      throw new APIError("BAD_REQUEST", { code: "TWO_FACTOR_NOT_ENABLED", message: "Two factor isn't enabled" });
  }),
};

const confirmed = z.object({ token: z.string(), user: z.looseObject({}) });

/** Returns the new session's token. Confirmation replaces the session, but Better Auth returns the token of the deleted one. */
const newSessionsToken = {
  matcher: ({ path }: { path?: string }) => path === "/two-factor/verify-totp",
  handler: createAuthMiddleware(async (ctx) => {
    const { newSession, returned } = ctx.context;
    const { success, data } = confirmed.safeParse(returned);
    if (!success || !newSession || newSession.session.token === data.token) return;
    return ctx.json({ ...data, token: newSession.session.token, user: { ...data.user, twoFactorEnabled: true } });
  }),
};
