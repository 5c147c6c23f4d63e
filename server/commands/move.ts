/** `npm run move -- --from embedded --to URL`, or back: moves all data between the embedded and a remote deployment. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../build/ensure.ts";
import { BUILD } from "../built.ts";
import { readConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { secretSettings } from "../config/settings.ts";
import { deployFunctions } from "../deployment/deploy-functions.ts";
import { createPrivateFiles } from "../deployment/private-folder.ts";
import { ARTIFACT, hasCode, pushIfChanged, readArtifact, setEnvironment } from "../deployment/push.ts";
import { storeSecrets } from "../deployment/secrets.ts";
import { planKeys, readTrustedKeys } from "../deployment/trusted-keys.ts";
import { log } from "../logging/log.ts";
import { cancelMove, type Move, moveData } from "../moving/move-data.ts";
import { MoveError } from "../moving/move-error.ts";
import { moveFolder } from "../moving/move-state.ts";
import { openEmbeddedSource, openEmbeddedTarget, openRemote, type MoveEndpoint } from "../moving/open-sides.ts";
import { describeMove } from "../moving/plan-move.ts";
import { requireEmpty } from "../moving/require-empty.ts";
import { readSecretFiles } from "../config/secret-files.ts";

const USAGE = `Usage: npm run move -- --from embedded --to URL [OPTIONS]
       npm run move -- --from URL --to embedded [OPTIONS]

Moves all data, files, accounts, keys and scheduled functions to an empty deployment.
CONVEX_DEPLOY_KEY is the deploy key of URL (self-hosted: its admin key).

  --dry-run   shows what would be moved, and changes nothing
  --cancel    makes the source of an interrupted move writable again`;

const EMBEDDED = "embedded";

async function main(args: string[]): Promise<void> {
  createPrivateFiles();
  const { from, to, flags } = parseCommand(args);
  const { env, problems } = await readSecretFiles(process.env, [...secretSettings, "CONVEX_DEPLOY_KEY"]);
  const deployKey = env["CONVEX_DEPLOY_KEY"];
  if (problems.length > 0) throw new ConfigError(problems);
  if (!deployKey)
    throw new ConfigError(["CONVEX_DEPLOY_KEY is missing: the deploy key of the remote deployment (self-hosted: its admin key)"]);
  if (to === EMBEDDED && (!env["BETTER_AUTH_SECRET"] || !env["TOKEN_SIGNING_KEY"]))
    throw new ConfigError(["BETTER_AUTH_SECRET and TOKEN_SIGNING_KEY of the app servers are needed, so that people stay signed in"]);
  await ensureBuilt();
  const { server, app } = await readConfig(ofEmbedded(env), { production: true });
  log.level = "silent";
  const { engine, dataDir } = server;
  if (!engine) throw new Error("The embedded deployment has no settings.");
  const keys = { secret: app.secret, signingKey: app.signingKey };

  const sides: MoveEndpoint[] = [];
  try {
    const open = async (opened: Promise<MoveEndpoint>): Promise<MoveEndpoint> => {
      const side = await opened;
      sides.push(side);
      return side;
    };
    const source = await open(from === EMBEDDED ? openEmbeddedSource(engine) : openRemote(from, deployKey));
    const artifactText = await readFile(join(BUILD, ARTIFACT), "utf8");
    if (!(await hasCode(source, readArtifact(artifactText)))) throw new MoveError(otherVersion(source));
    const trusted = await readTrustedKeys(source);
    if (planKeys(trusted, keys.signingKey, NO_CHANGE, { tokenLifetime: 0 }) !== "keep")
      throw new MoveError(`${source.url} trusts no key of this app. Nothing was changed.`);
    const target = await open(to === EMBEDDED ? openEmbeddedTarget(engine) : openRemote(to, deployKey));

    const move: Move = {
      from,
      to,
      source,
      target,
      folder: moveFolder(dataDir),
      requireEmptyTarget: () => requireEmpty(target, adviceFor(target, dataDir)),
      async prepareTarget(variables) {
        if (target.isEmbedded) {
          await storeSecrets(dataDir, keys);
          return pushIfChanged(target, artifactText, variables, dataDir, log);
        }
        await setEnvironment(target, variables);
        if (!(await hasCode(target, readArtifact(artifactText)))) await deployFunctions(target, []);
      },
      report: (line) => console.log(line),
    };
    if (flags.cancel) {
      await cancelMove(move);
      return console.log(`The move is cancelled, and ${source.url} is writable. ${adviceFor(target, dataDir)}`);
    }
    if (flags["dry-run"]) return console.log(await describeMove(move));
    const windowMs = await moveData(move);
    if (windowMs === null) console.log("All data was already moved.");
    else console.log(`All data is moved. The app was read-only for ${(windowMs / 1000).toFixed(1)} s.`);
    console.log(target.isEmbedded ? AFTER_EMBEDDED : await afterRemote(to, move, keys));
  } finally {
    for (const side of sides.toReversed()) await side.close();
  }
}

const NO_CHANGE = { rotate: false, removeOld: false };

function parseCommand(args: string[]) {
  try {
    const options = {
      from: { type: "string" },
      to: { type: "string" },
      "dry-run": { type: "boolean" },
      cancel: { type: "boolean" },
    } as const;
    const { values } = parseArgs({ args, options });
    const [from, to] = [addressOf(values.from), addressOf(values.to)];
    if ((from === EMBEDDED) === (to === EMBEDDED))
      throw new Error(`One of --from and --to must be "${EMBEDDED}", the other one an address.`);
    return { from, to, flags: values };
  } catch (error) {
    throw new ConfigError([`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`]);
  }
}

function addressOf(text = ""): string {
  if (text === EMBEDDED) return text;
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.origin !== text.replace(/\/$/, ""))
    throw new Error(`Expected "${EMBEDDED}" or an origin like https://convex.example instead of ${JSON.stringify(text)}.`);
  return url.origin;
}

function ofEmbedded(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { CONVEX_URL: _, CONVEX_SITE_URL: __, CONVEX_INTERNAL_URL: ___, ...others } = env;
  return others;
}

const otherVersion = ({ url, isEmbedded }: MoveEndpoint): string =>
  `${url} has the functions of another version. ${isEmbedded ? "Start this version of the app once" : "Run 'npm run setup:convex' with this version"}, then try again. Nothing was changed.`;

const adviceFor = ({ isEmbedded }: MoveEndpoint, dataDir: string): string =>
  isEmbedded
    ? `To get an empty deployment, move ${join(dataDir, "convex")} to another folder.`
    : "To get an empty deployment, create one, or delete all data and files of this one in its dashboard.";

const AFTER_EMBEDDED = `
Next, remove CONVEX_URL, CONVEX_SITE_URL, CONVEX_INTERNAL_URL, BETTER_AUTH_SECRET and TOKEN_SIGNING_KEY from the settings,
and restart the app. The old deployment stays read-only.`;

async function afterRemote(url: string, { folder }: Move, { secret, signingKey }: { secret: string; signingKey: object }): Promise<string> {
  const path = folder.path("settings.env");
  const lines = [`CONVEX_URL=${url}`, `BETTER_AUTH_SECRET='${secret}'`, `TOKEN_SIGNING_KEY='${JSON.stringify(signingKey)}'`];
  await writeFile(path, `${lines.join("\n")}\n`, { mode: 0o600, flush: true });
  return `
Next, add the settings in ${path} to every app server, and restart the app. With other keys, all users are signed out.
The file contains secrets: delete it afterwards. The data in DATA_DIR stays read-only.`;
}

for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    console.error("Interrupted. Run the command again to continue, or with --cancel to make the source writable again.");
    process.exit(130);
  });

try {
  await main(process.argv.slice(3));
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
