import { isIP } from "node:net";
import { join, resolve } from "node:path";
import * as z from "zod";
import type { AppConfig } from "../app/config.ts";
import { socialProviders } from "./providers.ts";
import { problemWithFolder } from "./data-dir.ts";
import { type AppSecrets, keepSecrets, signingKeySchema } from "./secrets.ts";

/** What the process around the app needs to know; the app itself gets `AppConfig`. */
export type ServerConfig = {
  host: string;
  port: number;
  dataDir: string;
  /** The one origin the app is served under; null: any loopback host. */
  appUrl: URL | null;
  /** How many proxies in front of us may be believed about where a request came from. */
  trustedProxyHops: number;
  logLevel: Settings["LOG_LEVEL"];
  /** How long requests are still taken after we were told to stop, while /readyz says 503. */
  stopDelaySeconds: number;
  /** Who may read /metrics besides nobody. */
  metrics: { token: string | null; onLoopback: boolean };
  /** The embedded deployment, on loopback; null: a remote one is used, and none is started. */
  engine: { dir: string; port: number; sitePort: number; adminKey: string } | null;
};

/** The settings are wrong; `problems` has one sentence for each, naming the setting and what was expected. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not right:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

const MiB = 1024 * 1024;

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `a whole number from ${least} to ${most}`,
    })
    .transform(Number);

const httpUrl = z.string().refine((text) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? ""), {
  error: "an address that begins with http:// or https://",
  abort: true,
});

/** An origin and nothing more: a path would be ignored silently. */
const origin = httpUrl.refine((text) => URL.parse(text)?.origin === text.replace(/\/$/, ""), {
  error: "an origin without a path, like https://atelier.example",
});

/** The id of a price at Stripe. */
const price = /^price_\w+$/;
const aPrice = "the id of a price, price_…";

const yesOrNo = z.stringbool({ error: "true or false" });

/** Every setting of the product, by the name of its environment variable. docs/configuration.md's table says the same; a test compares them. */
export const settings = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z
    .string()
    .refine((text) => isIP(text) !== 0 || /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text), {
      error: "an address of this machine, like 127.0.0.1, or its name",
    })
    .default("127.0.0.1"),
  APP_URL: origin.optional(),
  DATA_DIR: z.string().min(1).default(".data"),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0),
  TRUSTED_ORIGINS: z
    .string()
    .transform((list) =>
      list
        .split(",")
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .pipe(z.array(origin, { error: "origins, separated by commas" }))
    .default([]),

  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"], { error: "debug, info, warn, error or silent" }).default("info"),
  STOP_DELAY_SECONDS: wholeNumber(0, 300).default(0),
  METRICS_TOKEN: z.string().min(32, { error: "at least 32 characters" }).optional(),
  METRICS_ON_LOOPBACK: yesOrNo.default(false),

  ENGINE_PORT: wholeNumber(0, 65_535).default(3210),
  ENGINE_SITE_PORT: wholeNumber(0, 65_535).default(3211),
  CONVEX_URL: origin.optional(),
  CONVEX_SITE_URL: origin.optional(),

  BETTER_AUTH_SECRET: z.string().min(32, { error: "at least 32 characters" }).optional(),
  TOKEN_SIGNING_KEY: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "a private ES256 key as JSON (JWK)" });
        return z.NEVER;
      }
    })
    .pipe(signingKeySchema)
    .optional(),

  UPLOAD_MAX_BYTES: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(50 * MiB),
  STORAGE_QUOTA_BYTES: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(10 * 1024 * MiB),
  SMTP_URL: z
    .string()
    .refine((text) => ["smtp:", "smtps:"].includes(URL.parse(text)?.protocol ?? ""), {
      error: "an address that begins with smtp:// or smtps://",
    })
    .optional(),

  MAIL_FROM: z
    .string()
    .regex(/^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/, { error: "an address, like Atelier <atelier@example.com>" })
    .optional(),

  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(?:sk|rk)_(?:test|live)_\w+$/, { error: "a secret or restricted key of Stripe, sk_… or rk_…" })
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, { error: "the signing secret of a webhook endpoint, whsec_…" })
    .optional(),
  STRIPE_PRO_PRICE: z.string().regex(price, { error: aPrice }).optional(),
  STRIPE_PRO_ANNUAL_PRICE: z.string().regex(price, { error: aPrice }).optional(),
  STRIPE_ENVIRONMENT: z.enum(["sandbox", "live"], { error: "sandbox or live" }).default("sandbox"),

  ACCOUNTS_EMAIL_AND_PASSWORD: yesOrNo.default(true),
  ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: yesOrNo.default(false),
  ACCOUNTS_CHANGE_EMAIL: yesOrNo.default(true),
  ACCOUNTS_DELETE_USER: yesOrNo.default(true),
  ACCOUNTS_LINKING: yesOrNo.default(true),
  ACCOUNTS_LINK_DIFFERENT_EMAILS: yesOrNo.default(false),
  ACCOUNTS_UNLINK_LAST: yesOrNo.default(false),
  ACCOUNTS_REVOKE_SESSIONS_ON_PASSWORD_RESET: yesOrNo.default(true),
  ACCOUNTS_REFUSE_BREACHED_PASSWORDS: yesOrNo.default(false),
  ACCOUNTS_RATE_LIMIT: yesOrNo.default(true),
});

type Settings = z.infer<typeof settings>;

/**
 * Reads and checks every setting, once, and makes the secrets that are not given (in DATA_DIR, where the embedded deployment is used).
 * @param env the environment; an empty value counts as not given
 * `setAside` names the variables that were taken out of `env`, since they are none of the app's settings but would be read past them.
 * @throws ConfigError naming each wrong or missing setting
 */
export async function readConfig(
  env: NodeJS.ProcessEnv,
  { production }: { production: boolean },
): Promise<{ server: ServerConfig; app: AppConfig; setAside: string[] }> {
  const setAside = setAsideForeign(env);
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = settings.safeParse(given);
  const providers = socialProviders(given);
  const problems = [...(parsed.success ? [] : parsed.error.issues.map((issue) => told(issue, given))), ...providers.problems];
  if (parsed.success && parsed.data.CONVEX_URL) problems.push(...missingSecrets(parsed.data));
  if (parsed.success) problems.push(...paymentProblems(parsed.data));
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);

  const set = parsed.data;
  const dataDir = resolve(set.DATA_DIR);
  const problem = set.CONVEX_URL ? null : await problemWithFolder(dataDir);
  if (problem)
    throw new ConfigError([`DATA_DIR is ${JSON.stringify(set.DATA_DIR)}; expected a folder that can be written to, but ${problem}`]);
  const { engineAdminKey: adminKey, ...secrets } = await keepSecrets(set.CONVEX_URL ? null : dataDir, {
    secret: set.BETTER_AUTH_SECRET,
    signingKey: set.TOKEN_SIGNING_KEY,
  });
  return {
    server: {
      host: set.HOST,
      port: set.PORT,
      dataDir,
      appUrl: set.APP_URL ? new URL(set.APP_URL) : null,
      trustedProxyHops: set.TRUSTED_PROXY_HOPS,
      logLevel: set.LOG_LEVEL,
      stopDelaySeconds: set.STOP_DELAY_SECONDS,
      metrics: { token: set.METRICS_TOKEN ?? null, onLoopback: set.METRICS_ON_LOOPBACK },
      engine: adminKey === null ? null : { dir: join(dataDir, "convex"), port: set.ENGINE_PORT, sitePort: set.ENGINE_SITE_PORT, adminKey },
    },
    app: appConfig(set, { production, dataDir, secrets, socialProviders: providers.configured }),
    setAside,
  };
}

function appConfig(
  set: Settings,
  known: Pick<AppConfig, "production" | "dataDir" | "socialProviders"> & { secrets: AppSecrets },
): AppConfig {
  const { secrets, ...rest } = known;
  const publicUrl = set.APP_URL ? new URL(set.APP_URL).origin : `http://localhost:${set.PORT}`;
  return {
    ...rest,
    ...secrets,
    appUrl: set.APP_URL ? publicUrl : null,
    publicUrl,
    trustedOrigins: set.TRUSTED_ORIGINS.map((text) => new URL(text).origin),
    // The embedded deployment's own address is known when it has started: `embedded.ts` tells it.
    convexUrl: set.CONVEX_URL ?? `http://127.0.0.1:${set.ENGINE_PORT}`,
    browserConvex: set.CONVEX_URL ? { kind: "direct", url: new URL(set.CONVEX_URL).origin } : { kind: "sameOrigin", prefix: "/convex" },
    uploadMaxBytes: set.UPLOAD_MAX_BYTES,
    storageQuotaBytes: set.STORAGE_QUOTA_BYTES,
    smtpUrl: set.SMTP_URL ?? null,
    mailFrom: set.MAIL_FROM ?? `Atelier <no-reply@${new URL(publicUrl).hostname}>`,
    payments: paymentsOf(set),
    accounts: {
      emailAndPassword: set.ACCOUNTS_EMAIL_AND_PASSWORD,
      requireEmailVerification: set.ACCOUNTS_REQUIRE_EMAIL_VERIFICATION,
      changeEmail: set.ACCOUNTS_CHANGE_EMAIL,
      deleteUser: set.ACCOUNTS_DELETE_USER,
      linking: set.ACCOUNTS_LINKING,
      linkDifferentEmails: set.ACCOUNTS_LINK_DIFFERENT_EMAILS,
      unlinkLast: set.ACCOUNTS_UNLINK_LAST,
      revokeSessionsOnPasswordReset: set.ACCOUNTS_REVOKE_SESSIONS_ON_PASSWORD_RESET,
      refuseBreachedPasswords: set.ACCOUNTS_REFUSE_BREACHED_PASSWORDS,
      rateLimit: set.ACCOUNTS_RATE_LIMIT,
    },
  };
}

/** Several servers of one remote deployment share its secrets, so none of them may make its own. */
function missingSecrets(set: Settings): string[] {
  return (["BETTER_AUTH_SECRET", "TOKEN_SIGNING_KEY"] as const)
    .filter((name) => set[name] === undefined)
    .map((name) => `${name} is missing: with CONVEX_URL it must be given (npm run setup:convex makes one)`);
}

/** Payments are on where all of it is given. */
function paymentsOf(set: Settings): AppConfig["payments"] {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRO_PRICE: proPrice } = set;
  if (!secretKey || !webhookSecret || !proPrice) return null;
  return { secretKey, webhookSecret, proPrice, proAnnualPrice: set.STRIPE_PRO_ANNUAL_PRICE ?? null };
}

/** Specification 9: the payment provider defaults to a sandbox. Money moves only where both the key and the setting say so. */
function paymentProblems(set: Settings): string[] {
  const key = set.STRIPE_SECRET_KEY;
  if (!key) return [];
  const missing = (["STRIPE_WEBHOOK_SECRET", "STRIPE_PRO_PRICE"] as const)
    .filter((name) => set[name] === undefined)
    .map((name) => `${name} is missing: with STRIPE_SECRET_KEY it must be given`);
  const isLive = key.includes("_live_");
  if (isLive === (set.STRIPE_ENVIRONMENT === "live")) return missing;
  const kind = isLive ? "a live key, with which money moves: set STRIPE_ENVIRONMENT=live" : "a test key, while STRIPE_ENVIRONMENT is live";
  return [...missing, `STRIPE_SECRET_KEY is ${kind}`];
}

/**
 * Better Auth reads variables of its own, by which it would trust other origins, keep other secrets, or tell its makers about the app: they are
 * taken out of `env`, and their names answered.
 */
function setAsideForeign(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith("BETTER_AUTH_") && name !== "BETTER_AUTH_SECRET");
  for (const name of names) delete env[name];
  return names;
}

const SECRET = /SECRET|KEY|TOKEN|PASSWORD|SMTP_URL/;

function told(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  return `${name} is ${SECRET.test(name) ? "not acceptable" : JSON.stringify(given[name])}; expected ${issue.message}`;
}
