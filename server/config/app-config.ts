import type { AppConfig } from "../../app/config.ts";
import type { AppSecrets } from "../deployment/secrets.ts";
import { strictTransportSecurityOf } from "../http/guards.ts";
import type { Settings } from "./settings.ts";

export function appConfig(
  set: Settings,
  known: Pick<AppConfig, "production" | "dataDir" | "socialProviders" | "issuers" | "settingsFingerprints" | "shownSettings"> & {
    secrets: AppSecrets;
  },
): AppConfig {
  const { secrets, ...rest } = known;
  const publicUrl = publicUrlOf(set);
  return {
    ...rest,
    ...secrets,
    origins: set.APP_URL,
    strictTransportSecurity: strictTransportSecurityOf(set.APP_URL),
    publicUrl,
    trustedOrigins: set.TRUSTED_ORIGINS.map((text) => new URL(text).origin),
    convexUrl: set.CONVEX_INTERNAL_URL ?? set.CONVEX_URL ?? `http://127.0.0.1:${set.ENGINE_PORT}`,
    browserConvex: set.CONVEX_URL ? { kind: "direct", url: new URL(set.CONVEX_URL).origin } : { kind: "sameOrigin", prefix: "/convex" },
    uploadMaxBytes: set.UPLOAD_MAX_BYTES,
    storageQuotaBytes: set.STORAGE_QUOTA_BYTES,
    smtpUrl: set.SMTP_URL ?? null,
    mailFrom: set.MAIL_FROM ?? mailFromOf(publicUrl),
    webhooks: set.WEBHOOKS,
    auditLogRetentionDays: set.AUDIT_LOG_RETENTION_DAYS,
    publicLinks: { enabled: set.PUBLIC_LINKS, reportTo: set.SMTP_URL ? (set.OPERATOR_EMAIL ?? null) : null },
    payments: paymentsOf(set),
    accounts: {
      signUp: set.ACCOUNTS_SIGN_UP,
      emailAndPassword: set.ACCOUNTS_EMAIL_AND_PASSWORD,
      requireEmailVerification: set.ACCOUNTS_REQUIRE_EMAIL_VERIFICATION,
      changeEmail: set.ACCOUNTS_CHANGE_EMAIL,
      deleteUser: set.ACCOUNTS_DELETE_USER,
      linking: set.ACCOUNTS_LINKING,
      linkDifferentEmails: set.ACCOUNTS_LINK_DIFFERENT_EMAILS,
      unlinkLast: set.ACCOUNTS_UNLINK_LAST,
      trustedProviders: set.ACCOUNTS_TRUSTED_PROVIDERS,
      revokeSessionsOnPasswordReset: set.ACCOUNTS_REVOKE_SESSIONS_ON_PASSWORD_RESET,
      refuseBreachedPasswords: set.ACCOUNTS_REFUSE_BREACHED_PASSWORDS,
      rateLimit: set.ACCOUNTS_RATE_LIMIT,
      signInRedirect: set.ACCOUNTS_SIGN_IN_REDIRECT,
    },
  };
}

export const publicUrlOf = (set: Settings): string => set.APP_URL[0] ?? `http://localhost:${set.PORT}`;
export const mailFromOf = (publicUrl: string): string => `Atelier <no-reply@${new URL(publicUrl).hostname}>`;

function paymentsOf(set: Settings): AppConfig["payments"] {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRO_PRICE: proPrice } = set;
  if (!secretKey || !webhookSecret || !proPrice) return null;
  return { secretKey, webhookSecret, proPrice, proAnnualPrice: set.STRIPE_PRO_ANNUAL_PRICE ?? null };
}
