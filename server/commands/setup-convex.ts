import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { ConvexError } from "convex/values";
import { ensureBuilt } from "../build/ensure.ts";
import { BUILD, type Build, loadBuild } from "../built.ts";
import { readConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { secretSettings, settings } from "../config/settings.ts";
import { deployFunctions } from "../deployment/deploy-functions.ts";
import { describeEvaluation, evaluateSchema } from "../deployment/evaluate-schema.ts";
import { ARTIFACT, readArtifact, setEnvironment, type Target } from "../deployment/push.ts";
import { readSecretFiles } from "../config/secret-files.ts";
import { type AppSecrets, makeSecrets } from "../deployment/secrets.ts";
import { type KeyAction, planKeys, readTrustedKeys, type TrustedKeys } from "../deployment/trusted-keys.ts";

const USAGE = `Usage: npm run setup:convex [-- OPTIONS]

Deploys convex/ to CONVEX_URL with CONVEX_DEPLOY_KEY. The first run also publishes the app's public key there.

  --rotate-keys               makes a new TOKEN_SIGNING_KEY; the deployment accepts the old one too
  --remove-old-keys           removes the old keys, 15 minutes after a rotation at the earliest
  --dry-run                   shows changes of indexes and tables with their costs, and changes nothing
  --skip-large-indexes-check  deploys without asking when an index on a large table is created or deleted`;

const FLAGS = {
  "rotate-keys": { type: "boolean", default: false },
  "remove-old-keys": { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  "skip-large-indexes-check": { type: "boolean", default: false },
} as const;

/** `npm run setup:convex`: prepares a cloud or self-hosted Convex deployment. */
async function main(args: string[]): Promise<void> {
  const flags = parseFlags(args);
  const { env, problems } = await readSecretFiles(process.env, [...secretSettings, "CONVEX_DEPLOY_KEY"]);
  if (problems.length > 0) throw new ConfigError(problems);
  const { CONVEX_URL: url, CONVEX_DEPLOY_KEY: adminKey } = env;
  if (!url || !adminKey) {
    throw new ConfigError([
      "CONVEX_URL and CONVEX_DEPLOY_KEY are needed: the deployment's address and its deploy key (self-hosted: its admin key)",
    ]);
  }
  const target = { url: url.replace(/\/$/, ""), adminKey };
  await ensureBuilt();
  const build = await loadBuild();

  const trusted = await readTrustedKeys(target);
  if (flags["dry-run"]) return showChanges(target, trusted);
  const action = planKeys(
    trusted,
    givenSigningKey(env["TOKEN_SIGNING_KEY"]),
    { rotate: flags["rotate-keys"], removeOld: flags["remove-old-keys"] },
    { tokenLifetime: build.USER_TOKEN_SECONDS },
  );
  const settings = await makeSettings(action, env);
  // CONVEX_INTERNAL_URL is for the app servers. This machine may not reach it.
  const { CONVEX_INTERNAL_URL: _, ...own } = env;
  const { app: config } = await readConfig({ ...own, ...settings }, { production: true });
  // Printed before the deployment trusts the key: an interrupted run must not lose it.
  printSettings(target.url, settings);
  await changeKeys(target, action, trusted, config.signingKey, build);
  await deployFunctions(target, flags["skip-large-indexes-check"] ? ["--skip-large-indexes-check"] : []);
  await checkDeployment(target.url, () => build.checkServiceToken(config));
  console.log(`\n${target.url} is ready.`);
  if (action === "rotate") console.log(AFTER_ROTATION);
}

async function showChanges(target: Target, { keys }: TrustedKeys): Promise<void> {
  if (keys.length === 0) throw new Error("The deployment has no functions of this app yet. The first 'npm run setup:convex' deploys them.");
  const artifact = readArtifact(await readFile(join(BUILD, ARTIFACT), "utf8"));
  const evaluation = await evaluateSchema(target, artifact);
  await deployFunctions(target, ["--dry-run"]);
  console.log(`\n${evaluation ? describeEvaluation(evaluation) : "This deployment is too old to show the costs of changes."}`);
  console.log("Nothing was changed.");
}

const AFTER_ROTATION = `
The deployment accepts the old and the new key. Next:
  1. Restart every app server with the new TOKEN_SIGNING_KEY.
  2. 15 minutes after the last restart run 'npm run setup:convex -- --remove-old-keys'.`;

function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (error) {
    throw new ConfigError([`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`]);
  }
}

function givenSigningKey(configuredKey: string | undefined) {
  if (!configuredKey) return null;
  const parsed = settings.shape.TOKEN_SIGNING_KEY.safeParse(configuredKey);
  if (!parsed.success) throw new ConfigError(["TOKEN_SIGNING_KEY is invalid; expected a private ES256 key as JSON (JWK)"]);
  return parsed.data ?? null;
}

async function makeSettings(action: KeyAction, env: Record<string, string | undefined>): Promise<Record<string, string>> {
  const { secret, signingKey } = await makeSecrets();
  const newKey = { TOKEN_SIGNING_KEY: JSON.stringify(signingKey) };
  if (action === "rotate") return newKey;
  if (action !== "publish") return {};
  return { ...(!env["BETTER_AUTH_SECRET"] && { BETTER_AUTH_SECRET: secret }), ...(!env["TOKEN_SIGNING_KEY"] && newKey) };
}

function printSettings(url: string, settingsToPrint: Record<string, string>): void {
  if (Object.keys(settingsToPrint).length === 0) return;
  console.log("Use these settings on every app server, and keep them. With other keys, all users are signed out.\n");
  console.log(`CONVEX_URL=${url}`);
  for (const [name, value] of Object.entries(settingsToPrint)) console.log(`${name}='${value}'`);
  console.log();
}

async function changeKeys(
  target: Target,
  action: KeyAction,
  { keys }: TrustedKeys,
  signingKey: AppSecrets["signingKey"],
  { jwksUri }: Build,
): Promise<void> {
  if (action === "keep") return;
  const old = action === "rotate" ? keys : [];
  await setEnvironment(target, {
    AUTH_JWKS: jwksUri(signingKey, ...old),
    AUTH_JWKS_ROTATED_AT: action === "rotate" ? new Date().toISOString() : null,
  });
}

async function checkDeployment(url: string, checkServiceToken: () => Promise<void>): Promise<void> {
  const anonymous = new ConvexHttpClient(url, { skipConvexDeploymentUrlCheck: true, logger: false });
  const problem = await anonymous.query(anyApi.projects!.getProjects!, {}).then(
    () => "it accepts anonymous calls",
    (error: unknown) => (error instanceof ConvexError && error.data?.code === "unauthenticated" ? null : String(error)),
  );
  if (problem !== null) throw new Error(`The deployment does not run this app's functions: ${problem}`);
  await checkServiceToken().catch((error: unknown) => {
    throw new Error(`The deployment does not accept this app's tokens: ${String(error)}`, { cause: error });
  });
}

try {
  await main(process.argv.slice(3));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
