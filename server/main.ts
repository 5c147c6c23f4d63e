import { enableCompileCache, flushCompileCache } from "node:module";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compileCacheFolder } from "../engine/src/compile-cache.ts";
import { BUILD, loadBuild } from "./built.ts";
import { ConfigError, readConfig } from "./config.ts";
import { leadConsole } from "./console.ts";
import { NotStarted, startEmbedded } from "./embedded.ts";
import { Forward } from "./forward.ts";
import { createListener } from "./listener.ts";
import { log } from "./log.ts";
import { ARTIFACT, bringToForce } from "./push.ts";
import { createMetrics } from "./metrics.ts";
import { createReadiness } from "./ready.ts";
import { onStopSignal, stoppable } from "./shutdown.ts";
import { loadAssets } from "./static.ts";

/** Serves the built app: one command, one port. Ends with 0 when told to stop. */
async function main(): Promise<void> {
  const { server: config, app: appConfig, setAside } = await readConfig(process.env, { production: true });
  log.level = config.logLevel;
  // Before the build is loaded, which is most of what there is to compile: the next start is quicker by what this one has compiled.
  enableCompileCache(compileCacheFolder(config.dataDir));
  if (setAside.length > 0) log.warn({ setAside }, "these variables are none of this app's settings and are not read");
  const [build, serveAsset, embedded] = await Promise.all([
    loadBuild(),
    loadAssets(join(BUILD, "client")),
    config.engine && startEmbedded({ ...config.engine, log }),
  ]);
  if (embedded && config.engine) {
    const target = { url: embedded.url, adminKey: config.engine.adminKey };
    await bringToForce(target, join(BUILD, ARTIFACT), { AUTH_JWKS: build.jwksUri(appConfig.signingKey) }, config.dataDir, log);
  }
  const deploymentUrl = embedded?.url ?? appConfig.convexUrl;
  const app = build.createApp({ ...appConfig, convexUrl: deploymentUrl }, log);
  const forward = embedded && new Forward(embedded.url, log);
  const readiness = createReadiness({ deploymentUrl, dataDir: config.dataDir });
  let connections = 0;
  const metrics = createMetrics({
    ...config.metrics,
    sources: [build.metricsText, ...(config.engine ? [() => deploymentMetrics(deploymentUrl, config.engine?.adminKey ?? "")] : [])],
    connections: () => connections,
    websockets: () => forward?.size ?? 0,
  });
  const server = createListener({
    fetch: (request, info) => app.fetch(request, info),
    serveAsset,
    forward,
    appUrl: config.appUrl,
    trustedProxyHops: config.trustedProxyHops,
    operations: { readiness, metrics },
    log,
  });
  server.on("connection", (socket: Socket) => {
    connections++;
    socket.once("close", () => connections--);
  });

  onStopSignal(
    stoppable(
      server,
      {
        announce() {
          readiness.stop();
          return sleep(config.stopDelaySeconds * 1000);
        },
        goAway: () => forward?.goAway(),
        close: async () => {
          await app.close();
          await embedded?.close();
        },
      },
      log,
    ),
    log,
  );
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(config.port, config.host, resolve));
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : config.port;
  console.log(`Atelier is ready at ${config.appUrl?.origin ?? `http://localhost:${port}`}`);
  // From here on nobody reads plain sentences.
  leadConsole(console, log);
  flushCompileCache();
}

/** The embedded deployment's own figures, which it tells its administrator. */
async function deploymentMetrics(url: string, adminKey: string): Promise<string> {
  const response = await fetch(`${url}/api/metrics`, {
    headers: { Authorization: `Convex ${adminKey}` },
    signal: AbortSignal.timeout(2000),
  });
  return response.ok ? response.text() : "";
}

try {
  await main();
} catch (error) {
  if (error instanceof ConfigError || error instanceof NotStarted) console.error(error.message);
  else if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    console.error(`${error.message}. Choose another one with PORT.`);
  else console.error(error);
  process.exit(1);
}
