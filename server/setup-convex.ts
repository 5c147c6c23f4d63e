import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { ConvexError } from "convex/values";
import { ensureBuilt } from "./build/ensure.ts";
import { loadBuild } from "./built.ts";
import { ConfigError, readConfig } from "./config.ts";
import { setEnvironment } from "./push.ts";
import { makeSecrets } from "./secrets.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const CONVEX_CLI = fileURLToPath(new URL("../node_modules/convex/bin/main.js", import.meta.url));

/**
 * `npm run setup:convex`: prepares a Convex deployment (cloud or self-hosted) for this app. Deploys `convex/` to CONVEX_URL with
 * CONVEX_DEPLOY_KEY by the official command line, tells it whom to trust, and tries both. Secrets that are not given are made and printed: every
 * app server of this deployment needs them.
 */
async function main(): Promise<void> {
  if (!process.env.CONVEX_URL || !process.env.CONVEX_DEPLOY_KEY) {
    throw new ConfigError([
      "CONVEX_URL and CONVEX_DEPLOY_KEY are needed: the deployment's address and its deploy key (self-hosted: its admin key)",
    ]);
  }
  const made = await missingSecrets();
  const { app: config } = await readConfig({ ...process.env, ...made }, { production: true });
  await ensureBuilt();
  const { jwksUri, serviceConvex } = await loadBuild();

  const target = { url: config.convexUrl, adminKey: process.env.CONVEX_DEPLOY_KEY };
  await setEnvironment(target, { AUTH_JWKS: jwksUri(config.signingKey) });
  await deploy(target);
  await check(config.convexUrl, serviceConvex(config));

  console.log(`\n${config.convexUrl} is ready.`);
  if (Object.keys(made).length === 0) return;
  console.log("Give every app server these settings, and keep them: with others everyone is signed out.\n");
  console.log(`CONVEX_URL=${config.convexUrl}`);
  for (const [name, value] of Object.entries(made)) console.log(`${name}='${value}'`);
}

async function missingSecrets(): Promise<Record<string, string>> {
  const { secret, signingKey } = await makeSecrets();
  return {
    ...(!process.env.BETTER_AUTH_SECRET && { BETTER_AUTH_SECRET: secret }),
    ...(!process.env.TOKEN_SIGNING_KEY && { TOKEN_SIGNING_KEY: JSON.stringify(signingKey) }),
  };
}

async function deploy({ url, adminKey }: { url: string; adminKey: string }): Promise<void> {
  const args = ["deploy", "--url", url, "--admin-key", adminKey, "--typecheck", "disable", "--codegen", "disable"];
  const child = spawn(process.execPath, [CONVEX_CLI, ...args], {
    cwd: ROOT,
    env: { ...process.env, CI: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The official command line could not deploy convex/ (see above).");
}

/** The functions are there and closed to strangers, and the deployment believes this app's tokens. */
async function check(url: string, service: ConvexHttpClient): Promise<void> {
  const anyone = new ConvexHttpClient(url, { skipConvexDeploymentUrlCheck: true, logger: false });
  const refused = await anyone.query(anyApi.projects!.getProjects!, {}).then(
    () => "it answers strangers",
    (error: unknown) => (error instanceof ConvexError && error.data?.code === "unauthenticated" ? null : String(error)),
  );
  if (refused !== null) throw new Error(`The deployment does not run this app's functions: ${refused}`);
  const nobody = { model: "users", where: [{ field: "id", operator: "eq", value: "nobody", connector: "AND", mode: "sensitive" }] };
  const believed = await service.query(anyApi["accounts/store"]!.findOne!, nobody).then(
    () => null,
    (error: unknown) => String(error),
  );
  if (believed !== null) throw new Error(`The deployment does not believe this app's tokens: ${believed}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
