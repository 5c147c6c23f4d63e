import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { settings } from "./settings.ts";
import { settingsConflicts, settingsWarnings } from "./settings-conflicts.ts";

const conflicts = (env: Record<string, string>, { production = true, providers = ["github"], issuers = [] as string[] } = {}) =>
  settingsConflicts(settings.parse(env), { production, providers, issuers });

const FILES_S3 = { FILES_S3_LOCATION: "s3://bucket/files", FILES_S3_ACCESS_KEY_ID: "AKID", FILES_S3_SECRET_ACCESS_KEY: "secret" };
const BACKUP_S3 = { BACKUP_S3_ACCESS_KEY_ID: "AKID", BACKUP_S3_SECRET_ACCESS_KEY: "secret" };

const REFUSED: [env: Record<string, string>, named: string, row: string][] = [
  [{ ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" }, "SMTP_URL", "`ACCOUNTS_REQUIRE_EMAIL_VERIFICATION=true`"],
  [{ MAIL_FROM: "a@b.example" }, "SMTP_URL", "`MAIL_FROM`"],
  [{ ACCOUNTS_LINK_DIFFERENT_EMAILS: "true", ACCOUNTS_LINKING: "false" }, "ACCOUNTS_LINK_", "`ACCOUNTS_LINK_DIFFERENT_EMAILS=true`"],
  [{ STRIPE_SECRET_KEY: "sk_test_1", STRIPE_PRO_PRICE: "price_1" }, "STRIPE_WEBHOOK_SECRET", "`STRIPE_SECRET_KEY`"],
  [{ STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1" }, "STRIPE_PRO_PRICE", "`STRIPE_SECRET_KEY`"],
  [{ STRIPE_WEBHOOK_SECRET: "whsec_1" }, "STRIPE_SECRET_KEY", "another `STRIPE_` variable"],
  [{ STRIPE_PRO_PRICE: "price_1" }, "STRIPE_SECRET_KEY", "another `STRIPE_` variable"],
  [{ STRIPE_PRO_ANNUAL_PRICE: "price_1" }, "STRIPE_SECRET_KEY", "another `STRIPE_` variable"],
  [{ STRIPE_ENVIRONMENT: "live" }, "STRIPE_SECRET_KEY", "another `STRIPE_` variable"],
  [
    { STRIPE_SECRET_KEY: "sk_live_1", STRIPE_PRO_PRICE: "price_1", STRIPE_WEBHOOK_SECRET: "whsec_1" },
    "STRIPE_SECRET_KEY",
    "a live key of Stripe",
  ],
  [{ CONVEX_URL: "https://happy-otter-1.convex.cloud" }, "BETTER_AUTH_SECRET", "`CONVEX_URL`"],
  [{ CONVEX_SITE_URL: "https://happy-otter-1.convex.site" }, "CONVEX_URL", "`CONVEX_SITE_URL`"],
  [{ BACKUP_TO: "/srv/backups", CONVEX_URL: "https://happy-otter-1.convex.cloud" }, "BACKUP_TO", "`BACKUP_TO`"],
  [{ BACKUP_TO: "/srv/data/backups", DATA_DIR: "/srv/data" }, "BACKUP_TO", "`BACKUP_TO`"],
  [{ BACKUP_TO: "/srv", DATA_DIR: "/srv/data" }, "BACKUP_TO", "`BACKUP_TO`"],
  [
    { BACKUP_TO: "/srv/backups", BACKUP_ENCRYPT_TO: "age1abc", BACKUP_PASSPHRASE: "p".repeat(16) },
    "BACKUP_ENCRYPT_TO and BACKUP_PASSPHRASE",
    "`BACKUP_ENCRYPT_TO`",
  ],
  [{ BACKUP_TO: "s3://bucket", BACKUP_S3_ACCESS_KEY_ID: "AKID" }, "BACKUP_S3_SECRET_ACCESS_KEY", "`BACKUP_TO` with a bucket"],
  [{ FILES_S3_LOCATION: "s3://bucket", FILES_S3_ACCESS_KEY_ID: "AKID" }, "FILES_S3_SECRET_ACCESS_KEY", "`FILES_S3_LOCATION`"],
  [{ FILES_S3_LOCATION: "s3://bucket", CONVEX_URL: "https://happy-otter-1.convex.cloud" }, "FILES_S3_LOCATION", "`FILES_S3_LOCATION`"],
  [{ ...FILES_S3, BACKUP_TO: "s3://bucket/files/backups", ...BACKUP_S3 }, "FILES_S3_LOCATION and BACKUP_TO", "`FILES_S3_LOCATION`"],
  [{ ...FILES_S3, BACKUP_TO: "s3://bucket", ...BACKUP_S3 }, "FILES_S3_LOCATION and BACKUP_TO", "`FILES_S3_LOCATION`"],
  ...[
    ["FILES_S3_ENDPOINT", "https://minio.example"],
    ["FILES_S3_REGION", "eu-central-1"],
    ["FILES_S3_ACCESS_KEY_ID", "AKID"],
    ["FILES_S3_SECRET_ACCESS_KEY", "secret"],
    ["FILES_S3_PATH_STYLE", "false"],
    ["FILES_S3_CACHE_BYTES", "1"],
    ["FILES_S3_MOVE_BACK", "true"],
    ["FILES_S3_TAKE_OVER", "true"],
  ].map(([name = "", value = ""]): [Record<string, string>, string, string] => [
    { [name]: value },
    `FILES_S3_LOCATION is missing: ${name}`,
    "another `FILES_S3_` variable",
  ]),
  [{ CONVEX_INTERNAL_URL: "http://convex:3210" }, "CONVEX_URL", "`CONVEX_INTERNAL_URL`"],
  [{ PORT: "3210" }, "ENGINE_PORT", "`PORT`"],
  [{ PORT: "3211" }, "ENGINE_SITE_PORT", "`PORT`"],
  [{ ENGINE_PORT: "4000", ENGINE_SITE_PORT: "4000" }, "ENGINE_SITE_PORT", "`ENGINE_SITE_PORT`"],
  [{ HOST: "192.0.2.1" }, "APP_URL", "`HOST` with an address"],
  [{ HOST: "2001:db8::1" }, "APP_URL", "`HOST` with an address"],
  [{ APP_URL: "https://nas,http://nas" }, "TRUSTED_PROXY_HOPS", "`APP_URL` with http and https"],
  [{ ACCOUNTS_SIGN_IN_REDIRECT: "true" }, "ACCOUNTS_SIGN_IN_REDIRECT=true", "`ACCOUNTS_SIGN_IN_REDIRECT=true`"],
];

it.each(REFUSED)("refuses %j, naming %s", async (env, named, row) => {
  expect(conflicts(env)[0]).toMatch(new RegExp(`^${named}`));
  const document = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(document.split("\n## Combinations that are refused").at(-1)).toContain(`\n| ${row}`);
});

const PASSWORDS_OFF = { ACCOUNTS_EMAIL_AND_PASSWORD: "false" };

it.each([[[]], [["tiktok"]], [["reddit", "roblox", "tiktok"]]])("rejects disabled passwords with the providers %j", (providers) => {
  expect(conflicts(PASSWORDS_OFF, { providers })).toEqual([expect.stringMatching(/^ACCOUNTS_EMAIL_AND_PASSWORD /)]);
});

it.each([[["github"]], [["tiktok", "twitter"]]])("accepts disabled passwords with the providers %j", (providers) => {
  expect(conflicts(PASSWORDS_OFF, { providers })).toEqual([]);
});

it("accepts disabled passwords with an issuer", () => {
  expect(conflicts(PASSWORDS_OFF, { providers: [], issuers: ["oidc-acme"] })).toEqual([]);
});

it.each([
  [[], ["oidc-acme"], 0],
  [[], ["oidc-acme", "oidc-beta"], 1],
  [["github"], ["oidc-acme"], 1],
])("allows the redirect of /sign-in with a single method only: %j %j", (providers, issuers, problems) => {
  const env = { ...PASSWORDS_OFF, ACCOUNTS_SIGN_IN_REDIRECT: "true" };
  expect(conflicts(env, { providers, issuers })).toHaveLength(problems);
});

it.each([
  [{}],
  [{ ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true", SMTP_URL: "smtp://mail.example", MAIL_FROM: "a@b.example" }],
  [{ ACCOUNTS_LINKING: "false" }],
  [{ ACCOUNTS_TRUSTED_PROVIDERS: "github" }],
  [{ PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" }],
  [FILES_S3],
  [{ ...FILES_S3, BACKUP_TO: "s3://bucket/backups", ...BACKUP_S3 }],
  [{ ...FILES_S3, BACKUP_TO: "s3://other/files", ...BACKUP_S3 }],
  [{ HOST: "0.0.0.0" }],
  [{ HOST: "::" }],
  [{ HOST: "127.0.0.2" }],
  [{ HOST: "192.0.2.1", APP_URL: "https://atelier.example" }],
  [{ APP_URL: "https://nas,http://nas:3000" }],
  [{ APP_URL: "https://nas,http://nas", TRUSTED_PROXY_HOPS: "1" }],
])("accepts %j", (env) => {
  expect(conflicts(env)).toEqual([]);
});

it("accepts required verification without SMTP in development, which has an outbox", () => {
  expect(conflicts({ ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" }, { production: false })).toEqual([]);
});

const warnings = (env: NodeJS.ProcessEnv) => settingsWarnings(settings.parse(env), ["github"]);

it("warns about uploads that are larger than the quota", () => {
  expect(warnings({ UPLOAD_MAX_BYTES: "1001", STORAGE_QUOTA_BYTES: "1000" })).toEqual([expect.stringContaining("UPLOAD_MAX_BYTES (1001)")]);
  expect(warnings({ UPLOAD_MAX_BYTES: "1000", STORAGE_QUOTA_BYTES: "1000" })).toEqual([]);
});

it("warns about a bucket for stored files that others in the network can read", () => {
  const warned = [expect.stringMatching(/^FILES_S3_ENDPOINT has http/)];
  expect(warnings({ ...FILES_S3, FILES_S3_ENDPOINT: "http://minio:9000" })).toEqual(warned);
  expect(warnings({ ...FILES_S3, FILES_S3_ENDPOINT: "http://127.0.0.1:9000" })).toEqual([]);
});

it("warns about trusted providers without effect", () => {
  expect(warnings({ ACCOUNTS_TRUSTED_PROVIDERS: "github,figma" })).toEqual([expect.stringMatching(/not configured: figma$/)]);
  expect(warnings({ ACCOUNTS_TRUSTED_PROVIDERS: "github", ACCOUNTS_LINKING: "false" })).toHaveLength(1);
  expect(warnings({ ACCOUNTS_TRUSTED_PROVIDERS: "github" })).toEqual([]);
});
