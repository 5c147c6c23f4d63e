import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { twoFactor } from "better-auth/plugins";
import { z } from "zod";

/** Puts a code on its way to its owner; none where no mail leaves. */
type Sending = Pick<NonNullable<NonNullable<Parameters<typeof twoFactor>[0]>["otpOptions"]>, "sendOTP">;

/**
 * Better Auth's two-factor sign-in: secrets and backup codes encrypted, a device trusted for 30 days if its owner says so. What comes by mail
 * asks for the second factor as a password does: Better Auth's own plugin lets it pass, and whoever reads somebody's mail would be in.
 */
export function secondFactor(sending: Sending) {
  const plugin = twoFactor({
    issuer: "Atelier",
    backupCodeOptions: { storeBackupCodes: "encrypted" },
    otpOptions: { storeOTP: "hashed", ...sending },
  });
  const after = plugin.hooks.after.map((hook) => ({
    ...hook,
    matcher: (context: Parameters<typeof hook.matcher>[0]) => hook.matcher(context) || BY_MAIL.has(context.path ?? ""),
  }));
  return { ...plugin, hooks: { after: [...after, leadOn] } } satisfies BetterAuthPlugin;
}

const SIGN_IN_LINK = "/magic-link/verify";
const BY_MAIL = new Set([SIGN_IN_LINK, "/sign-in/email-otp"]);

const challenged = z.object({ twoFactorRedirect: z.literal(true) });

/** A sign-in link is opened by a person, who is to come to where the second factor is asked, and from there to where they wanted. */
const leadOn = {
  matcher: ({ path }: { path?: string }) => path === SIGN_IN_LINK,
  handler: createAuthMiddleware(async (ctx) => {
    if (!challenged.safeParse(ctx.context.returned).success) return;
    const target = new URL(String(ctx.query?.["callbackURL"] ?? "/"), ctx.context.baseURL);
    ctx.setHeader("Location", `/two-factor?${new URLSearchParams({ redirectTo: target.pathname + target.search })}`);
  }),
};
