import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { twoFactor } from "better-auth/plugins";
import { z } from "zod";

/** Puts a code on its way to its owner; none where no mail leaves. */
type Sending = Pick<NonNullable<NonNullable<Parameters<typeof twoFactor>[0]>["otpOptions"]>, "sendOTP">;

/**
 * Better Auth's two-factor sign-in: secrets and backup codes encrypted, a device trusted for 30 days if its owner says so. Every way in asks for
 * the second factor as a password does, where Better Auth's own plugin lets all others pass: whoever reads somebody's mail would be in, by a link,
 * or by an account at a provider that they make with the address. A passkey alone is two factors already (`passkeys.server.ts`).
 */
export function secondFactor(sending: Sending) {
  const plugin = twoFactor({
    issuer: "Atelier",
    backupCodeOptions: { storeBackupCodes: "encrypted" },
    otpOptions: { storeOTP: "hashed", ...sending },
  });
  const after = plugin.hooks.after.map((hook) => ({
    ...hook,
    matcher: (context: Parameters<typeof hook.matcher>[0]) => hook.matcher(context) || OTHER_WAYS_IN.has(context.path ?? ""),
  }));
  return { ...plugin, hooks: { after: [...after, leadOn] } } satisfies BetterAuthPlugin;
}

const SIGN_IN_LINK = "/magic-link/verify";
const PROVIDER = "/callback/:id";
const OTHER_WAYS_IN = new Set([SIGN_IN_LINK, "/sign-in/email-otp", PROVIDER, "/sign-in/social"]);

const challenged = z.object({ twoFactorRedirect: z.literal(true) });

/** A person has followed a link, or comes back from a provider: they are to come to where the second factor is asked, and then to where they wanted. */
const leadOn = {
  matcher: ({ path }: { path?: string }) => path === SIGN_IN_LINK || path === PROVIDER,
  handler: createAuthMiddleware(async (ctx) => {
    if (!challenged.safeParse(ctx.context.returned).success) return;
    const target = new URL(ctx.context.responseHeaders?.get("Location") ?? "/", ctx.context.baseURL);
    ctx.setHeader("Location", `/two-factor?${new URLSearchParams({ redirectTo: target.pathname + target.search })}`);
  }),
};
