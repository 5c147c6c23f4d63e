import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createServer as createVite, isRunnableDevEnvironment, type ViteDevServer } from "vite";
import type { AppConfig } from "../app/config.ts";
import type { App } from "../app/server.ts";
import { boundAddress, readyMessage } from "./http/addresses.ts";
import type { Build } from "./built.ts";
import { readConfig } from "./config/config.ts";
import { ConfigError } from "./config/config-error.ts";
import { startEmbedded } from "./deployment/embedded.ts";
import { DeploymentForwarder } from "./http/forwarding/forward.ts";
import { createListener } from "./http/listener.ts";
import { log } from "./logging/log.ts";
import { removePushRecord, setEnvironment, type Target } from "./deployment/push.ts";
import { onStopSignal, stoppable } from "./shutdown.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const CONVEX_CLI = fileURLToPath(new URL("../node_modules/convex/bin/main.js", import.meta.url));

process.env.NODE_ENV = "development";
process.chdir(ROOT);

/** `npm run dev`: hot reload, the embedded deployment and the official CLI. With CONVEX_URL only the app runs. */
async function main(): Promise<void> {
  const { server: config, app: appConfig, warnings } = await readConfig(process.env, { production: false });
  log.level = config.logLevel;
  for (const warning of warnings) log.warn(warning);
  const embedded = config.engine && (await startEmbedded({ ...config.engine, log }));
  const forward = embedded && new DeploymentForwarder(embedded.url, log);
  let vite: ViteDevServer | null = null;
  const server = createListener({
    fetch: async (request, info) =>
      (await appOf(vite, { ...appConfig, convexUrl: embedded?.url ?? appConfig.convexUrl })).fetch(request, info),
    serveAsset: () => false,
    forward,
    origins: config.origins,
    trustedProxyHops: config.trustedProxyHops,
    before: (request, response, next) => (vite ? vite.middlewares(request, response, next) : next()),
    ownUpgrade: (request) => request.headers["sec-websocket-protocol"]?.startsWith("vite-") ?? false,
    log,
  });
  vite = await createVite({ root: ROOT, appType: "custom", server: { middlewareMode: true, hmr: { server } } });

  let cli: ChildProcess | null = null;
  if (embedded && config.engine) {
    const { jwksUri } = await load(vite);
    const target = { url: embedded.url, adminKey: config.engine.adminKey };
    await setEnvironment(target, { AUTH_JWKS: jwksUri(appConfig.signingKey) });
    // The next production start then copies the database before it replaces these functions.
    await removePushRecord(config.dataDir);
    cli = convexDev(target);
    await pushed(cli);
  }

  const close = async () => {
    cli?.kill();
    await Promise.all([vite?.close(), current?.app.close()]);
    await embedded?.close();
  };
  onStopSignal(stoppable(server, { goAway: () => forward?.goAway(), close }, log), log);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(config.port, config.host, resolve));
  console.log(readyMessage(config.origins, boundAddress(server)));
}

function convexDev({ url, adminKey }: Target): ChildProcess {
  return spawn(process.execPath, [CONVEX_CLI, "dev", "--typecheck", "disable", "--tail-logs", "always"], {
    cwd: ROOT,
    env: { ...process.env, CONVEX_SELF_HOSTED_URL: url, CONVEX_SELF_HOSTED_ADMIN_KEY: adminKey, CI: "1" },
    stdio: ["ignore", "inherit", "pipe"],
  });
}

const AFTER_PUSH = /Convex functions ready|^\W*✖/m;

async function pushed(cli: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    let message = "";
    cli.once("exit", () => resolve());
    cli.stderr?.on("data", (output: Buffer) => {
      process.stderr.write(output);
      if (AFTER_PUSH.test(message)) return;
      message += output.toString();
      if (AFTER_PUSH.test(message)) resolve();
    });
  });
}

async function load(vite: ViteDevServer): Promise<Build> {
  const { ssr } = vite.environments;
  if (!ssr || !isRunnableDevEnvironment(ssr)) throw new Error("Vite cannot run the app's server code here");
  const build: Build = await ssr.runner.import("/app/server.ts");
  return build;
}

let current: { made: Build["createApp"]; app: App } | null = null;

async function appOf(vite: ViteDevServer | null, config: AppConfig): Promise<App> {
  if (!vite) throw new Error("Not ready yet");
  const { createApp } = await load(vite);
  if (current?.made === createApp) return current.app;
  void current?.app.close();
  current = { made: createApp, app: createApp(config, log) };
  current.app.beginBackgroundWork();
  return current.app;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
