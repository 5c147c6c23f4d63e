/** The app's settings. `server/config/` reads them from the environment; nothing in `app/` reads `process.env`. */
export type AppConfig = {
  production: boolean;
  /** The origins in APP_URL; empty allows any loopback host. Emailed links and provider callbacks use the first origin. */
  origins: readonly string[];
  strictTransportSecurity: Readonly<Record<string, string>>;
  /** The base of links sent without a request: the first origin, or the loopback address. */
  publicUrl: string;
  trustedOrigins: string[];
  convexUrl: string;
  /** Our own origin under /convex (embedded), or the deployment itself. */
  browserConvex: { kind: "sameOrigin"; prefix: "/convex" } | { kind: "direct"; url: string };
  dataDir: string;
  secret: string;
  signingKey: { kty: string; crv: string; x: string; y: string; d: string; kid: string };
  uploadMaxBytes: number;
  /** Per user, including trash and partial uploads. */
  storageQuotaBytes: number;
  smtpUrl: string | null;
  mailFrom: string;
  publicLinks: {
    enabled: boolean;
    /** The operator's address. When null, link pages have no "Report". */
    reportTo: string | null;
  };
  webhooks: boolean;
  auditLogRetentionDays: number;
  /** Keyed hashes of the settings that are set, by name, for the audit log. */
  settingsFingerprints: Readonly<Record<string, string>>;
  shownSettings: readonly ShownSetting[];
  /** Stripe's settings. Null disables sales and plan limits. */
  payments: { secretKey: string; webhookSecret: string; proPrice: string; proAnnualPrice: string | null } | null;
  accounts: {
    signUp: "open" | "invited" | "closed";
    emailAndPassword: boolean;
    requireEmailVerification: boolean;
    changeEmail: boolean;
    deleteUser: boolean;
    linking: boolean;
    linkDifferentEmails: boolean;
    unlinkLast: boolean;
    /** Providers whose addresses count as verified (specification 5). */
    trustedProviders: string[];
    revokeSessionsOnPasswordReset: boolean;
    refuseBreachedPasswords: boolean;
    rateLimit: boolean;
    signInRedirect: boolean;
  };
  socialProviders: Record<string, Record<string, string>>;
  issuers: readonly IssuerSettings[];
};

export type ShownSetting = {
  name: string;
  /** Null for secrets, and for settings that are not set and have no default. */
  value: string | null;
  isSecret: boolean;
  /** "secretFile": the file that NAME_FILE names. "dataDir": created at the first start. */
  source: "environment" | "envFile" | "secretFile" | "dataDir" | "default";
};

export type IssuerSettings = {
  id: string;
  /** The issuer identifier, compared exactly with the discovery document and with tokens. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  label: string;
  scopes: readonly string[];
  /** `domains`: of verified addresses that may sign in. `groups`: values of the claim, one of which is required. Empty: no limit. */
  domains: readonly string[];
  groups: readonly string[];
  /** The group whose members are administrators in the sessions that begin at this issuer. */
  adminGroup: string | null;
  endSession: boolean;
};

/** Issuer of the tokens that `convex/auth.config.ts` trusts; a name, not an address. */
export const TOKEN_ISSUER = "https://atelier.invalid";
export const USER_AUDIENCE = "atelier-user";
export const SERVICE_AUDIENCE = "atelier-service";
export const LINK_AUDIENCE = "atelier-link";

/** Tolerated clock difference between app server and deployment. Convex itself tolerates 5 seconds. */
export const CLOCK_SKEW_SECONDS = 60;
/** The client computes the lifetime as `exp - iat`, which a backdated `iat` lengthens. The deployment's clock may also be ahead. */
export const TOKEN_REFRESH_LEEWAY_SECONDS = 2 * CLOCK_SKEW_SECONDS;
