import { isIP } from "node:net";
import { isAbsolute, join, resolve } from "node:path";
import * as z from "zod";
import { nextMatch, parseCronExpression } from "@atelier/engine/cron-expression";
import type { AppConfig } from "../../app/config.ts";
import { providerIds, socialProviders, variablesOf } from "./providers.ts";
import type { BackupSettings } from "../backups/run-backup.ts";
import { isBucket, parseBucket } from "../s3/s3-settings.ts";
import type { BackupAccess } from "../backups/targets/open-target.ts";
import { issuers, issuerSecrets } from "./issuers.ts";
import { settingsFingerprints } from "./settings-fingerprints.ts";
import { problemWithExistingFolder, problemWithFolder } from "../deployment/data-dir.ts";
import { strictTransportSecurityOf } from "../http/guards.ts";
import { readSecretFiles } from "./secret-files.ts";
import { readEnvFile, shownSettings } from "./shown-settings.ts";
import { settingsConflicts, settingsWarnings } from "./settings-conflicts.ts";
import { type AppSecrets, loadSecrets, SecretsError, signingKeySchema } from "../deployment/secrets.ts";

export type ServerConfig = {
  host: string;
  port: number;
  dataDir: string;
  updateSnapshots: boolean;
  backups: BackupSettings | null;
  origins: string[];
  trustedProxyHops: number;
  logLevel: Settings["LOG_LEVEL"];
  /** How long requests are accepted after a stop signal, while /readyz answers 503. */
  stopDelaySeconds: number;
  metrics: { token: string | null; onLoopback: boolean };
  engine: { dir: string; port: number; sitePort: number; adminKey: string; acceptOlderDatabase: Date | undefined } | null;
};

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

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

/** Rejects a path, which would be ignored silently. */
const origin = httpUrl.refine((text) => URL.parse(text)?.origin === text.replace(/\/$/, ""), {
  error: "an origin without a path, like https://atelier.example",
});

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);

/** A future time would accept losses that have not happened yet. */
const pastTime = z.coerce
  .date({ error: "a time like 2026-11-23T06:30:00.000Z" })
  .refine((time) => time.getTime() <= Date.now(), { error: "a time in the past; the error message of the refused start shows it" });

const cron = z.string().refine(
  (text) => {
    try {
      return nextMatch(parseCronExpression(text), Date.now()) > 0;
    } catch {
      return false;
    }
  },
  { error: "a cron expression in UTC like 0 2 * * *, or @hourly, @daily or @weekly" },
);

const keep = z
  .string()
  .regex(/^\d{1,4}d \d{1,4}w \d{1,4}m$/, { error: "numbers of days, weeks and months, like 7d 4w 12m" })
  .transform((text) => {
    const [days = 0, weeks = 0, months = 0] = text.split(" ").map((part) => Number.parseInt(part, 10));
    return { days, weeks, months };
  });

const origins = list.pipe(z.array(origin, { error: "origins, separated by commas" }));

const price = /^price_\w+$/;
const aPrice = "the id of a price, price_…";

const yesOrNo = z.stringbool({ error: "true or false" });

const RECIPIENTS = "recipients of age, separated by commas, like age1…";
const IDENTITY = "an identity of age, like AGE-SECRET-KEY-1…";

/** Settings that open backups, also in `npm run restore` and `npm run check-data`. */
const backupAccess = {
  BACKUP_S3_ENDPOINT: origin.optional(),
  BACKUP_S3_REGION: z
    .string()
    .regex(/^[\w-]+$/, { error: "the id of a region, like eu-central-1" })
    .default("us-east-1"),
  BACKUP_S3_ACCESS_KEY_ID: z.string().regex(/^\S+$/, { error: "an access key id without spaces" }).optional(),
  BACKUP_S3_SECRET_ACCESS_KEY: z.string().regex(/^\S+$/, { error: "a secret access key without spaces" }).optional(),
  BACKUP_S3_PATH_STYLE: yesOrNo.default(true),
  BACKUP_ENCRYPT_TO: list.pipe(z.array(z.string().regex(/^age1[a-z\d]+$/, { error: RECIPIENTS }))).optional(),
  BACKUP_PASSPHRASE: z.string().min(16, { error: "at least 16 characters" }).optional(),
  BACKUP_IDENTITY: z
    .string()
    .transform((text) =>
      text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "" && !line.startsWith("#")),
    )
    .pipe(z.array(z.string().regex(/^AGE-SECRET-KEY-(?:PQ-)?1[A-Z\d]+$/, { error: IDENTITY })).min(1, { error: IDENTITY }))
    .optional(),
};

export const settings = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z
    .string()
    .refine((text) => isIP(text) !== 0 || /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text), {
      error: "an address of this machine, like 127.0.0.1, or its name",
    })
    .default("127.0.0.1"),
  APP_URL: origins.transform((texts) => [...new Set(texts.map((text) => new URL(text).origin))]).default([]),
  DATA_DIR: z.string().min(1).default(".data"),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0),
  TRUSTED_ORIGINS: origins.default([]),

  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"], { error: "debug, info, warn, error or silent" }).default("info"),
  STOP_DELAY_SECONDS: wholeNumber(0, 300).default(0),
  METRICS_TOKEN: z.string().min(32, { error: "at least 32 characters" }).optional(),
  METRICS_ON_LOOPBACK: yesOrNo.default(false),

  ENGINE_PORT: wholeNumber(0, 65_535).default(3210),
  ENGINE_SITE_PORT: wholeNumber(0, 65_535).default(3211),
  BACKUP_TO: z
    .string()
    .refine((text) => isAbsolute(text) || parseBucket(text) !== null, {
      error: "the absolute path of a folder, like /srv/backups/atelier, or a bucket, like s3://bucket/prefix",
    })
    .optional(),
  ...backupAccess,
  BACKUP_SCHEDULE: cron.default("0 2 * * *"),
  BACKUP_KEEP: keep.default({ days: 7, weeks: 4, months: 12 }),
  UPDATE_SNAPSHOTS: yesOrNo.default(true),
  ACCEPT_OLDER_DATABASE: pastTime.optional(),
  MAKE_NEW_KEYS: yesOrNo.default(false),
  AUDIT_LOG_RETENTION_DAYS: wholeNumber(1, 36_500).default(365),
  CONVEX_URL: origin.optional(),
  CONVEX_SITE_URL: origin.optional(),
  CONVEX_INTERNAL_URL: origin.optional(),

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

  UPLOAD_MAX_BYTES: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(50_000_000),
  STORAGE_QUOTA_BYTES: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(10_000_000_000),
  SMTP_URL: z
    .string()
    .refine((text) => /^smtps?:\/\//i.test(text) && URL.parse(text)?.hostname, {
      error: "an address that begins with smtp:// or smtps:// and names a host",
    })
    .optional(),

  MAIL_FROM: z
    .string()
    .regex(/^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/, { error: "an address, like Atelier <atelier@example.com>" })
    .optional(),

  PUBLIC_LINKS: yesOrNo.default(true),
  WEBHOOKS: yesOrNo.default(false),
  OPERATOR_EMAIL: z.email({ error: "an address, like operator@example.com" }).optional(),

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

  ACCOUNTS_SIGN_UP: z.enum(["open", "invited", "closed"], { error: "open, invited or closed" }).default("open"),
  ACCOUNTS_EMAIL_AND_PASSWORD: yesOrNo.default(true),
  ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: yesOrNo.default(false),
  ACCOUNTS_CHANGE_EMAIL: yesOrNo.default(true),
  ACCOUNTS_DELETE_USER: yesOrNo.default(true),
  ACCOUNTS_LINKING: yesOrNo.default(true),
  ACCOUNTS_LINK_DIFFERENT_EMAILS: yesOrNo.default(false),
  ACCOUNTS_UNLINK_LAST: yesOrNo.default(false),
  ACCOUNTS_TRUSTED_PROVIDERS: list
    .pipe(z.array(z.enum(providerIds, { error: "ids of providers, separated by commas, like figma,notion" })))
    .default([]),
  ACCOUNTS_REVOKE_SESSIONS_ON_PASSWORD_RESET: yesOrNo.default(true),
  ACCOUNTS_REFUSE_BREACHED_PASSWORDS: yesOrNo.default(false),
  ACCOUNTS_RATE_LIMIT: yesOrNo.default(true),
  ACCOUNTS_SIGN_IN_REDIRECT: yesOrNo.default(false),
});

export type Settings = z.infer<typeof settings>;

/** Reads and validates all settings, and creates missing secrets. `warnings` are sentences for the log. Throws `ConfigError`. */
export async function readConfig(
  env: NodeJS.ProcessEnv,
  { production, envFile = ".env" }: { production: boolean; envFile?: string },
): Promise<{ server: ServerConfig; app: AppConfig; warnings: string[] }> {
  const setAside = setAsideForeign(env);
  const { env: withSecrets, problems: unreadable } = await readSecretFiles(env, [...secretSettings, ...issuerSecrets(env)]);
  const nonEmptyEnv = Object.fromEntries(Object.entries(withSecrets).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = settings.safeParse(nonEmptyEnv);
  const providers = socialProviders(nonEmptyEnv);
  const oidc = issuers(nonEmptyEnv);
  const methods = { providers: Object.keys(providers.configured), issuers: oidc.configured.map(({ id }) => id) };
  const invalid = parsed.success ? [] : parsed.error.issues.map((issue) => problemText(issue, nonEmptyEnv));
  const problems = [...unreadable, ...invalid, ...providers.problems, ...oidc.problems];
  if (parsed.success) problems.push(...(await keyProblems(parsed.data)));
  if (parsed.success) problems.push(...settingsConflicts(parsed.data, { production, ...methods }));
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);

  const set = parsed.data;
  const dataDir = resolve(set.DATA_DIR);
  const problem = set.CONVEX_URL ? null : await problemWithFolder(dataDir);
  if (problem) throw new ConfigError([`DATA_DIR is ${JSON.stringify(set.DATA_DIR)}; expected a writable folder, but ${problem}`]);
  const backupProblem = set.BACKUP_TO === undefined || isBucket(set.BACKUP_TO) ? null : await problemWithExistingFolder(set.BACKUP_TO);
  if (backupProblem)
    throw new ConfigError([`BACKUP_TO is ${JSON.stringify(set.BACKUP_TO)}; expected a writable folder, but ${backupProblem}`]);
  const ownKeys = { secret: set.BETTER_AUTH_SECRET, signingKey: set.TOKEN_SIGNING_KEY };
  const { engineAdminKey: adminKey, ...secrets } = await loadSecrets(set.CONVEX_URL ? null : dataDir, ownKeys, set.MAKE_NEW_KEYS).catch(
    (error: unknown) => {
      throw error instanceof SecretsError ? new ConfigError([error.message]) : error;
    },
  );
  const publicUrl = publicUrlOf(set);
  const shown = shownSettings({
    values: nonEmptyEnv,
    given: env,
    envFile: await readEnvFile(envFile),
    defaults: { ...settings.parse({}), MAIL_FROM: mailFromOf(publicUrl) },
    names: Object.keys(settings.shape),
    isSetting,
    // Names of accounts' rules can contain "PASSWORD".
    isSecret: (name) => isSecret(name) && !name.startsWith("ACCOUNTS_"),
    created: set.CONVEX_URL ? [] : ["BETTER_AUTH_SECRET", "TOKEN_SIGNING_KEY"],
  });
  return {
    server: {
      host: set.HOST,
      port: set.PORT,
      dataDir,
      updateSnapshots: set.UPDATE_SNAPSHOTS,
      backups:
        set.BACKUP_TO === undefined
          ? null
          : {
              to: isBucket(set.BACKUP_TO) ? set.BACKUP_TO : resolve(set.BACKUP_TO),
              ...accessOf(set),
              schedule: set.BACKUP_SCHEDULE,
              keep: set.BACKUP_KEEP,
            },
      origins: set.APP_URL,
      trustedProxyHops: set.TRUSTED_PROXY_HOPS,
      logLevel: set.LOG_LEVEL,
      stopDelaySeconds: set.STOP_DELAY_SECONDS,
      metrics: { token: set.METRICS_TOKEN ?? null, onLoopback: set.METRICS_ON_LOOPBACK },
      engine:
        adminKey === null
          ? null
          : {
              dir: join(dataDir, "convex"),
              port: set.ENGINE_PORT,
              sitePort: set.ENGINE_SITE_PORT,
              adminKey,
              acceptOlderDatabase: set.ACCEPT_OLDER_DATABASE,
            },
    },
    app: appConfig(set, {
      production,
      dataDir,
      secrets,
      socialProviders: providers.configured,
      issuers: oidc.configured,
      settingsFingerprints: settingsFingerprints(nonEmptyEnv, isSetting, secrets.secret),
      shownSettings: shown,
    }),
    warnings: [...foreignVariables(setAside), ...settingsWarnings(set, Object.keys(providers.configured))],
  };
}

const accessSchema = z.object(backupAccess);

/** Reads the settings that commands need to open backups. Throws `ConfigError`. */
export async function readBackupAccess(env: NodeJS.ProcessEnv): Promise<BackupAccess> {
  const { env: withSecrets, problems } = await readSecretFiles(
    env,
    secretSettings.filter((name) => name in backupAccess),
  );
  const nonEmptyEnv = Object.fromEntries(Object.entries(withSecrets).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = accessSchema.safeParse(nonEmptyEnv);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => problemText(issue, nonEmptyEnv)));
  else problems.push(...(await keyProblems(parsed.data)));
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return accessOf(parsed.data);
}

type BackupAccessSettings = z.infer<typeof accessSchema>;

/** Checks keys with age. Loads it only when there are keys. */
async function keyProblems({
  BACKUP_ENCRYPT_TO: recipients = [],
  BACKUP_IDENTITY: identities = [],
}: BackupAccessSettings): Promise<string[]> {
  if (recipients.length + identities.length === 0) return [];
  const { isIdentity, isRecipient } = await import("../backups/objects/age.ts");
  return [
    ...recipients
      .filter((text) => !isRecipient(text))
      .map((text) => `BACKUP_ENCRYPT_TO has ${JSON.stringify(text)}; expected ${RECIPIENTS}`),
    ...(identities.every(isIdentity) ? [] : [`BACKUP_IDENTITY is invalid; expected ${IDENTITY}`]),
  ];
}

function accessOf(set: BackupAccessSettings): BackupAccess {
  const { BACKUP_ENCRYPT_TO: recipients = [], BACKUP_IDENTITY: identities = [], BACKUP_PASSPHRASE: passphrase = null } = set;
  return { s3: s3Of(set), keys: { recipients, identities, passphrase } };
}

function s3Of(set: BackupAccessSettings): BackupAccess["s3"] {
  const { BACKUP_S3_ACCESS_KEY_ID: accessKeyId, BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey, BACKUP_S3_REGION: region } = set;
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  const endpoint = new URL(set.BACKUP_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`).origin;
  return { endpoint, region, accessKeyId, secretAccessKey, pathStyle: set.BACKUP_S3_PATH_STYLE };
}

function appConfig(
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

const publicUrlOf = (set: Settings): string => set.APP_URL[0] ?? `http://localhost:${set.PORT}`;
const mailFromOf = (publicUrl: string): string => `Atelier <no-reply@${new URL(publicUrl).hostname}>`;

function paymentsOf(set: Settings): AppConfig["payments"] {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRO_PRICE: proPrice } = set;
  if (!secretKey || !webhookSecret || !proPrice) return null;
  return { secretKey, webhookSecret, proPrice, proAnnualPrice: set.STRIPE_PRO_ANNUAL_PRICE ?? null };
}

const foreignVariables = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`These variables are not settings of this app and are ignored: ${names.join(", ")}`];

/** Removes variables that Better Auth reads itself: they would change trusted origins, secrets or telemetry. */
function setAsideForeign(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith("BETTER_AUTH_") && !/^BETTER_AUTH_SECRET(?:_FILE)?$/.test(name));
  for (const name of names) delete env[name];
  return names;
}

const SECRET = /SECRET|KEY|TOKEN|PASSWORD|PASSPHRASE|IDENTITY|SMTP_URL/;

function isSecret(name: string): boolean {
  return SECRET.test(name) && name !== "MAKE_NEW_KEYS";
}

export const secretSettings: readonly string[] = [
  ...Object.keys(settings.shape),
  ...providerIds.flatMap((id) => Object.values(variablesOf(id)).flat()),
].filter(isSecret);

const ofProviders = new Set(providerIds.flatMap((id) => Object.values(variablesOf(id)).flat()));
const isSetting = (name: string): boolean => Object.hasOwn(settings.shape, name) || ofProviders.has(name) || name.startsWith("OIDC_");

function problemText(issue: z.core.$ZodIssue, env: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  return `${name} is ${SECRET.test(name) ? "invalid" : JSON.stringify(env[name])}; expected ${issue.message}`;
}
