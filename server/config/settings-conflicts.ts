import { BlockList, isIP } from "node:net";
import { isAbsolute, relative, resolve } from "node:path";
import { isBucket, parseBucket } from "@atelier/engine/s3-settings";
import { missingFileKeys } from "./file-bucket.ts";
import { FILE_DEFAULTS, type Settings } from "./settings.ts";
import { providersWithoutAddress } from "./providers.ts";

export type SettingsContext = {
  production: boolean;
  providers: readonly string[];
  issuers: readonly string[];
};

/** Returns a sentence for each invalid combination of settings (docs/configuration.md). */
export function settingsConflicts(set: Settings, context: SettingsContext): string[] {
  return [
    ...backupConflicts(set),
    ...fileConflicts(set),
    ...(set.CONVEX_URL ? missingSecrets(set) : embeddedConflicts(set)),
    ...accountConflicts(set, context),
    ...paymentConflicts(set),
    ...addressConflicts(set),
  ];
}

/** Returns a sentence for each combination that works, but not as its values suggest. */
export function settingsWarnings(set: Settings, providers: readonly string[]): string[] {
  const { UPLOAD_MAX_BYTES, STORAGE_QUOTA_BYTES } = set;
  const limit =
    UPLOAD_MAX_BYTES > STORAGE_QUOTA_BYTES
      ? [`UPLOAD_MAX_BYTES (${UPLOAD_MAX_BYTES}) is above STORAGE_QUOTA_BYTES (${STORAGE_QUOTA_BYTES}), which limits each upload`]
      : [];
  return [...limit, ...uselessTrust(set, providers), ...untrustedProxy(set), ...unencryptedBuckets(set)];
}

/** Servers of one remote deployment share its secrets, so none may create its own. */
function missingSecrets(set: Settings): string[] {
  return (["BETTER_AUTH_SECRET", "TOKEN_SIGNING_KEY"] as const)
    .filter((name) => set[name] === undefined)
    .map((name) => `${name} is missing: CONVEX_URL requires it (the first npm run setup:convex prints one)`);
}

function embeddedConflicts(set: Settings): string[] {
  return [
    ...(["ENGINE_PORT", "ENGINE_SITE_PORT"] as const)
      .filter((name) => set.PORT !== 0 && set[name] === set.PORT)
      .map((name) => `${name} is the same as PORT: the embedded deployment needs a port of its own`),
    ...(set.ENGINE_PORT !== 0 && set.ENGINE_PORT === set.ENGINE_SITE_PORT
      ? ["ENGINE_SITE_PORT is the same as ENGINE_PORT: HTTP actions need a port of their own"]
      : []),
    ...(["CONVEX_SITE_URL", "CONVEX_INTERNAL_URL"] as const)
      .filter((name) => set[name] !== undefined)
      .map((name) => `CONVEX_URL is missing: ${name} requires it`),
  ];
}

function backupConflicts(set: Settings): string[] {
  const { BACKUP_TO, CONVEX_URL, DATA_DIR } = set;
  if (BACKUP_TO === undefined) return [];
  if (CONVEX_URL) return ["BACKUP_TO is set, but CONVEX_URL uses another deployment: back that one up with npx convex export"];
  const twoKeys =
    set.BACKUP_ENCRYPT_TO && set.BACKUP_PASSPHRASE
      ? ["BACKUP_ENCRYPT_TO and BACKUP_PASSPHRASE are both set: backups are encrypted to recipients or with a passphrase"]
      : [];
  if (isBucket(BACKUP_TO)) {
    const missing = (["BACKUP_S3_ACCESS_KEY_ID", "BACKUP_S3_SECRET_ACCESS_KEY"] as const)
      .filter((name) => set[name] === undefined)
      .map((name) => `${name} is missing: BACKUP_TO requires it for a bucket`);
    return [...missing, ...twoKeys];
  }
  const isInside = (inner: string, outer: string) => {
    const path = relative(resolve(outer), resolve(inner));
    return !isAbsolute(path) && !/^\.\.(?:[/\\]|$)/.test(path);
  };
  return isInside(BACKUP_TO, DATA_DIR) || isInside(DATA_DIR, BACKUP_TO)
    ? ["BACKUP_TO and DATA_DIR are in the same folder: backups need a folder of their own, if possible on another disk"]
    : twoKeys;
}

function fileConflicts(set: Settings): string[] {
  const { FILES_S3_LOCATION: location, CONVEX_URL, BACKUP_TO } = set;
  if (location === undefined)
    return Object.entries(FILE_DEFAULTS)
      .filter(([name, standard]) => set[name as keyof typeof FILE_DEFAULTS] !== standard)
      .map(([name]) => `FILES_S3_LOCATION is missing: ${name} requires it`);
  if (CONVEX_URL) return ["FILES_S3_LOCATION is set, but CONVEX_URL uses another deployment, which stores its own files"];
  const [files, backups] = [parseBucket(location), parseBucket(BACKUP_TO ?? "")];
  const isShared =
    files !== null &&
    files.bucket === backups?.bucket &&
    set.FILES_S3_ENDPOINT === set.BACKUP_S3_ENDPOINT &&
    (files.prefix.startsWith(backups.prefix) || backups.prefix.startsWith(files.prefix));
  return [
    ...missingFileKeys(set),
    ...(isShared ? ["FILES_S3_LOCATION and BACKUP_TO are in the same prefix: backups need a prefix of their own, or another bucket"] : []),
  ];
}

function accountConflicts(set: Settings, { production, providers, issuers }: SettingsContext): string[] {
  const sendsMail = set.SMTP_URL !== undefined || !production;
  return [
    ...(set.ACCOUNTS_REQUIRE_EMAIL_VERIFICATION && !sendsMail
      ? ["SMTP_URL is missing: ACCOUNTS_REQUIRE_EMAIL_VERIFICATION=true requires it, because links to verify addresses are sent by email"]
      : []),
    ...(set.MAIL_FROM !== undefined && !sendsMail ? ["SMTP_URL is missing: MAIL_FROM requires it"] : []),
    ...(set.ACCOUNTS_SIGN_UP !== "closed" &&
    !set.ACCOUNTS_EMAIL_AND_PASSWORD &&
    issuers.length === 0 &&
    providers.every((id) => providersWithoutAddress.has(id))
      ? [`ACCOUNTS_EMAIL_AND_PASSWORD is false, and ${withoutSignUp(providers)}: nobody could sign up`]
      : []),
    ...(set.ACCOUNTS_LINK_DIFFERENT_EMAILS && !set.ACCOUNTS_LINKING
      ? ["ACCOUNTS_LINK_DIFFERENT_EMAILS=true requires ACCOUNTS_LINKING=true"]
      : []),
    ...(set.ACCOUNTS_SIGN_IN_REDIRECT && (set.ACCOUNTS_EMAIL_AND_PASSWORD || issuers.length !== 1 || providers.length > 0)
      ? [
          "ACCOUNTS_SIGN_IN_REDIRECT=true requires ACCOUNTS_EMAIL_AND_PASSWORD=false, exactly one OpenID Connect issuer and no social provider: people could not choose another method",
        ]
      : []),
  ];
}

function uselessTrust({ ACCOUNTS_TRUSTED_PROVIDERS: trusted, ACCOUNTS_LINKING }: Settings, providers: readonly string[]): string[] {
  if (trusted.length === 0) return [];
  const missing = trusted.filter((id) => !providers.includes(id));
  return [
    ...(ACCOUNTS_LINKING ? [] : ["ACCOUNTS_TRUSTED_PROVIDERS has no effect, because ACCOUNTS_LINKING is false"]),
    ...(missing.length > 0 ? [`ACCOUNTS_TRUSTED_PROVIDERS names providers that are not configured: ${missing.join(", ")}`] : []),
  ];
}

const withoutSignUp = (providers: readonly string[]): string =>
  providers.length === 0
    ? "no social provider is configured"
    : `no configured social provider reports an address (${providers.join(", ")})`;

/** Checks the payment settings. Live payments need both the key and the setting, because the sandbox is the default (specification 9). */
function paymentConflicts(set: Settings): string[] {
  const key = set.STRIPE_SECRET_KEY;
  if (!key) {
    const names = ["STRIPE_WEBHOOK_SECRET", "STRIPE_PRO_PRICE", "STRIPE_PRO_ANNUAL_PRICE"] as const;
    const configured = [
      ...names.filter((name) => set[name] !== undefined),
      ...(set.STRIPE_ENVIRONMENT === "live" ? ["STRIPE_ENVIRONMENT=live"] : []),
    ];
    return configured.map((name) => `STRIPE_SECRET_KEY is missing: ${name} requires it`);
  }
  const missing = (["STRIPE_WEBHOOK_SECRET", "STRIPE_PRO_PRICE"] as const)
    .filter((name) => set[name] === undefined)
    .map((name) => `${name} is missing: STRIPE_SECRET_KEY requires it`);
  const isLive = key.includes("_live_");
  if (isLive === (set.STRIPE_ENVIRONMENT === "live")) return missing;
  const kind = isLive
    ? "a live key, which charges real money: set STRIPE_ENVIRONMENT=live"
    : "a test key, while STRIPE_ENVIRONMENT is live";
  return [...missing, `STRIPE_SECRET_KEY is ${kind}`];
}

function unencryptedBuckets(set: Settings): string[] {
  const { BACKUP_TO, BACKUP_S3_ENDPOINT, BACKUP_ENCRYPT_TO, BACKUP_PASSPHRASE, FILES_S3_LOCATION, FILES_S3_ENDPOINT } = set;
  const hasReadableBackups = BACKUP_TO !== undefined && isBucket(BACKUP_TO) && !BACKUP_ENCRYPT_TO && !BACKUP_PASSPHRASE;
  return [
    ...(hasReadableBackups && isOpenToNetwork(BACKUP_S3_ENDPOINT)
      ? ["BACKUP_S3_ENDPOINT has http, so others in the network can read the backups. Use https"]
      : []),
    ...(FILES_S3_LOCATION !== undefined && isOpenToNetwork(FILES_S3_ENDPOINT)
      ? ["FILES_S3_ENDPOINT has http, so others in the network can read the stored files. Use https"]
      : []),
  ];
}

function isOpenToNetwork(endpoint: string | undefined): boolean {
  if (!endpoint?.startsWith("http:")) return false;
  const host = new URL(endpoint).hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(host);
  return host !== "localhost" && (family === 0 || !REACHED_BY_LOOPBACK.check(host, family === 6 ? "ipv6" : "ipv4"));
}

function addressConflicts(set: Settings): string[] {
  return [...unreachableAddress(set), ...ambiguousOrigins(set)];
}

function unreachableAddress({ APP_URL, HOST }: Settings): string[] {
  if (APP_URL.length > 0 || isIP(HOST) === 0 || REACHED_BY_LOOPBACK.check(HOST, isIP(HOST) === 6 ? "ipv6" : "ipv4")) return [];
  return [`APP_URL is missing: HOST=${HOST} requires it, because without it the app accepts only loopback names`];
}

const untrustedProxy = ({ APP_URL, TRUSTED_PROXY_HOPS }: Settings): string[] =>
  TRUSTED_PROXY_HOPS === 0 && APP_URL.some((origin) => origin.startsWith("https:"))
    ? [
        "APP_URL has https, so a proxy forwards requests, but TRUSTED_PROXY_HOPS is 0: all clients share one rate limit. Set it to the number of proxies (docs/proxies.md)",
      ]
    : [];

/** Reports hosts with both http and https. Browsers send the same Host header for both, so only a proxy can distinguish them. */
function ambiguousOrigins({ APP_URL, TRUSTED_PROXY_HOPS }: Settings): string[] {
  if (TRUSTED_PROXY_HOPS > 0) return [];
  const hosts = APP_URL.map((origin) => new URL(origin).host);
  return [...new Set(hosts.filter((host, index) => hosts.indexOf(host) !== index))].map(
    (host) => `TRUSTED_PROXY_HOPS is 0: APP_URL has ${host} with http and https, so a trusted proxy must send X-Forwarded-Proto`,
  );
}

const REACHED_BY_LOOPBACK = new BlockList();
REACHED_BY_LOOPBACK.addSubnet("127.0.0.0", 8);
REACHED_BY_LOOPBACK.addAddress("0.0.0.0");
REACHED_BY_LOOPBACK.addAddress("::1", "ipv6");
REACHED_BY_LOOPBACK.addAddress("::", "ipv6");
