/**
 * What the application needs to know about where it runs. `server/config.ts` reads it from the environment, checks it,
 * and hands it to `createApp`; nothing in `app/` reads `process.env`.
 */
export type AppConfig = {
  production: boolean;
  /** The one origin the app is served under, e.g. "https://atelier.example"; null: any loopback host, as the request says. */
  appUrl: string | null;
  /** Where links lead that no request has caused: `appUrl`, or the loopback address that is listened on. */
  publicUrl: string;
  /** Origins that redirect and callback targets may point to besides our own. */
  trustedOrigins: string[];
  /** Where this process reaches the Convex deployment. */
  convexUrl: string;
  /** Where the browser reaches it: our own origin under /convex (embedded), or the deployment itself. */
  browserConvex: { kind: "sameOrigin"; prefix: "/convex" } | { kind: "direct"; url: string };
  /** State on this machine: the cache of image variants, uploads in progress. */
  dataDir: string;
  /** BETTER_AUTH_SECRET. */
  secret: string;
  /** The ES256 private key (JWK, with kid) that signs the tokens which Convex trusts. */
  signingKey: { kty: string; crv: string; x: string; y: string; d: string; kid: string };
  /** Bytes that one file may have. */
  uploadMaxBytes: number;
  /** Bytes that all files of one person may have together, the trash and what is still arriving included. */
  storageQuotaBytes: number;
  smtpUrl: string | null;
  /** Who mails are from: "Atelier <atelier@example.com>". */
  mailFrom: string;
  /** Stripe, through which Pro is paid; null: nothing is sold, and no plan limits anything. */
  payments: { secretKey: string; webhookSecret: string; proPrice: string; proAnnualPrice: string | null } | null;
  /** Accounts' switches; each is one environment variable (specification 4 to 6 leave them to configuration). */
  accounts: {
    emailAndPassword: boolean;
    requireEmailVerification: boolean;
    changeEmail: boolean;
    deleteUser: boolean;
    linking: boolean;
    linkDifferentEmails: boolean;
    unlinkLast: boolean;
    revokeSessionsOnPasswordReset: boolean;
    refuseBreachedPasswords: boolean;
    rateLimit: boolean;
  };
  /** Settings of the social providers that are switched on, by provider id, as Better Auth takes them. */
  socialProviders: Record<string, Record<string, string>>;
};

/** The issuer of the tokens that this app signs and that `convex/auth.config.ts` trusts; a name, not an address. */
export const TOKEN_ISSUER = "https://atelier.invalid";
/** `aud` of a signed-in person's token: for data functions. */
export const USER_AUDIENCE = "atelier-user";
/** `aud` of the app server's own token: for the functions that only it may call. */
export const SERVICE_AUDIENCE = "atelier-service";
