import { join, resolve } from "node:path";
import type { AppConfig } from "../../app/config.ts";
import type { BackupSettings } from "../backups/run-backup.ts";
import { problemWithExistingFolder, problemWithFolder } from "../deployment/data-dir.ts";
import { loadSecrets, SecretsError } from "../deployment/secrets.ts";
import type { FileBucketSettings } from "@atelier/engine/file-bucket-settings";
import { isBucket } from "@atelier/engine/s3-settings";
import { appConfig, mailFromOf, publicUrlOf } from "./app-config.ts";
import { accessOf, keyProblems } from "./backup-access.ts";
import { ConfigError, problemText } from "./config-error.ts";
import { fileBucketOf } from "./file-bucket.ts";
import { issuers, issuerSecrets } from "./issuers.ts";
import { socialProviders } from "./providers.ts";
import { readSecretFiles } from "./secret-files.ts";
import { isSecret, isSetting, secretSettings, type Settings, settings } from "./settings.ts";
import { settingsConflicts, settingsWarnings } from "./settings-conflicts.ts";
import { settingsFingerprints } from "./settings-fingerprints.ts";
import { readEnvFile, shownSettings } from "./shown-settings.ts";

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
  engine: {
    dir: string;
    port: number;
    sitePort: number;
    dashboard: boolean;
    adminKey: string;
    acceptOlderDatabase: Date | undefined;
    fileBucket: FileBucketSettings | null;
  } | null;
};

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
              dashboard: set.ENGINE_DASHBOARD ?? !production,
              adminKey,
              acceptOlderDatabase: set.ACCEPT_OLDER_DATABASE,
              fileBucket: fileBucketOf(set),
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

const foreignVariables = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`These variables are not settings of this app and are ignored: ${names.join(", ")}`];

/** Removes variables that Better Auth reads itself: they would change trusted origins, secrets or telemetry. */
function setAsideForeign(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith("BETTER_AUTH_") && !/^BETTER_AUTH_SECRET(?:_FILE)?$/.test(name));
  for (const name of names) delete env[name];
  return names;
}
