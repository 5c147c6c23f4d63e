import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import * as z from "zod";
import { nextMatch, parseCronExpression } from "@atelier/engine/cron-expression";
import { signingKeySchema } from "../deployment/secrets.ts";
import { DEFAULT_CACHE_BYTES } from "@atelier/engine/file-bucket-settings";
import { parseBucket } from "@atelier/engine/s3-settings";
import { providerIds, variablesOf } from "./providers.ts";

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

export const RECIPIENTS = "age recipients, separated by commas, like age1…";
export const IDENTITY = "an identity of age, like AGE-SECRET-KEY-1…";

const region = z.string().regex(/^[\w-]+$/, { error: "the id of a region, like eu-central-1" });
const accessKeyId = z.string().regex(/^\S+$/, { error: "an access key id without spaces" });
const secretAccessKey = z.string().regex(/^\S+$/, { error: "a secret access key without spaces" });

/** Settings that open backups, also in `npm run restore` and `npm run check-data`. */
export const backupAccess = {
  BACKUP_S3_ENDPOINT: origin.optional(),
  BACKUP_S3_REGION: region.default("us-east-1"),
  BACKUP_S3_ACCESS_KEY_ID: accessKeyId.optional(),
  BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey.optional(),
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

export const FILE_DEFAULTS = {
  FILES_S3_ENDPOINT: undefined,
  FILES_S3_REGION: "us-east-1",
  FILES_S3_ACCESS_KEY_ID: undefined,
  FILES_S3_SECRET_ACCESS_KEY: undefined,
  FILES_S3_PATH_STYLE: true,
  FILES_S3_CACHE_BYTES: DEFAULT_CACHE_BYTES,
  FILES_S3_MOVE_BACK: false,
  FILES_S3_TAKE_OVER: false,
};

export const fileSettings = {
  FILES_S3_LOCATION: z
    .string()
    .refine((text) => parseBucket(text) !== null, { error: "a bucket, like s3://bucket/prefix" })
    .optional(),
  FILES_S3_ENDPOINT: origin.optional(),
  FILES_S3_REGION: region.default(FILE_DEFAULTS.FILES_S3_REGION),
  FILES_S3_ACCESS_KEY_ID: accessKeyId.optional(),
  FILES_S3_SECRET_ACCESS_KEY: secretAccessKey.optional(),
  FILES_S3_PATH_STYLE: yesOrNo.default(FILE_DEFAULTS.FILES_S3_PATH_STYLE),
  FILES_S3_CACHE_BYTES: wholeNumber(0, 1_000_000_000_000_000 - 1).default(FILE_DEFAULTS.FILES_S3_CACHE_BYTES),
  FILES_S3_MOVE_BACK: yesOrNo.default(FILE_DEFAULTS.FILES_S3_MOVE_BACK),
  FILES_S3_TAKE_OVER: yesOrNo.default(FILE_DEFAULTS.FILES_S3_TAKE_OVER),
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
  ENGINE_DASHBOARD: yesOrNo.optional(),
  BACKUP_TO: z
    .string()
    .refine((text) => isAbsolute(text) || parseBucket(text) !== null, {
      error: "the absolute path of a folder, like /srv/backups/atelier, or a bucket, like s3://bucket/prefix",
    })
    .optional(),
  ...backupAccess,
  ...fileSettings,
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

export const SECRET = /SECRET|KEY|TOKEN|PASSWORD|PASSPHRASE|IDENTITY|SMTP_URL/;

export function isSecret(name: string): boolean {
  return SECRET.test(name) && name !== "MAKE_NEW_KEYS";
}

export const secretSettings: readonly string[] = [
  ...Object.keys(settings.shape),
  ...providerIds.flatMap((id) => Object.values(variablesOf(id)).flat()),
].filter(isSecret);

const ofProviders = new Set(providerIds.flatMap((id) => Object.values(variablesOf(id)).flat()));
export const isSetting = (name: string): boolean =>
  Object.hasOwn(settings.shape, name) || ofProviders.has(name) || name.startsWith("OIDC_");
