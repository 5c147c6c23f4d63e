import { enableCompileCache, flushCompileCache } from "node:module";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compileCacheFolder } from "@atelier/engine/compile-cache";
import { boundAddress, readyMessage } from "./http/addresses.ts";
import { watchEventLoop } from "@atelier/engine/event-loop";
import { BUILD, loadBuild } from "./built.ts";
import { readConfig, type ServerConfig } from "./config/config.ts";
import { ConfigError } from "./config/config-error.ts";
import { redirectConsole } from "./logging/console.ts";
import { type Backups, scheduleBackups } from "./backups/schedule-backups.ts";
import { warnAdministrators } from "./backups/warn-administrators.ts";
import { reasonOf, diskSpaceProblem } from "./deployment/data-dir.ts";
import { StartError, startEmbedded } from "./deployment/embedded.ts";
import { type DeploymentHealth, readDeploymentHealth } from "./deployment/deployment-health.ts";
import { diskUsage } from "./http/operations/disk-usage.ts";
import { DeploymentForwarder } from "./http/forwarding/forward.ts";
import { watchRemote } from "./deployment/heartbeat.ts";
import { createListener } from "./http/listener.ts";
import { log } from "./logging/log.ts";
import { watchRecords } from "./deployment/operation-records.ts";
import { createPrivateFiles, protectFolder } from "./deployment/private-folder.ts";
import { ARTIFACT, artifactDigest, pushIfChanged, readPushed } from "./deployment/push.ts";
import { completeRollBack, removeOldSnapshots, snapshotBeforeUpdate } from "./deployment/snapshots.ts";
import { createMetrics } from "./http/operations/metrics.ts";
import { createReadiness } from "./http/operations/readiness.ts";
import { onStopSignal, stoppable } from "./shutdown.ts";
import { loadAssets } from "./http/static-files.ts";
import { VERSION } from "./version.ts";

const BACKGROUND_DELAY_MS = 1000;
const SNAPSHOT_SWEEP_MS = 60 * 60_000;

async function main(): Promise<void> {
  createPrivateFiles();
  const { server: config, app: appConfig, warnings } = await readConfig(process.env, { production: true });
  log.level = config.logLevel;
  void protectFolder(config.dataDir, log);
  // Must precede the import of the build, which is most of the code to compile.
  enableCompileCache(compileCacheFolder(config.dataDir));
  for (const warning of warnings) log.warn(warning);
  log.info({ version: VERSION }, "starting");
  const artifact = readFile(join(BUILD, ARTIFACT), "utf8");
  const beforeOpen = async () => {
    const completed = await completeRollBack(config.dataDir);
    if (completed) log.warn({ snapshot: completed.name }, "completed an interrupted rollback to a snapshot");
    const pushed = await readPushed(config.dataDir);
    const changesFunctions = pushed?.artifact !== artifactDigest(await artifact);
    await snapshotBeforeUpdate({ ...config, changesFunctions, version: pushed?.version ?? null, enabled: config.updateSnapshots, log });
  };
  const [build, serveAsset, embedded] = await Promise.all([
    loadBuild(),
    loadAssets(join(BUILD, "client")),
    config.engine && startEmbedded({ ...config.engine, beforeOpen, redactErrors: true, log }),
  ]);
  if (embedded && config.engine) {
    const target = { url: embedded.url, adminKey: config.engine.adminKey };
    await pushIfChanged(target, await artifact, { AUTH_JWKS: build.jwksUri(appConfig.signingKey) }, config.dataDir, log);
  }
  const deploymentUrl = embedded?.url ?? appConfig.convexUrl;
  const deployedConfig = { ...appConfig, convexUrl: deploymentUrl };
  const proxyProblems: string[] = [];
  const app = build.createApp(deployedConfig, log, {
    version: VERSION,
    readiness: () => readiness.check(),
    proxyProblems: () => proxyProblems,
    websockets: () => forward?.size ?? 0,
    backups: () => backups && { ageSeconds: backups.ageSeconds(), isProven: backups.isProven(), warning: backups.warning() },
    disk: () => diskUsage(config.dataDir, embedded !== null),
    fileBucket: () => fileBucketState(deploymentUrl, config.engine),
  });
  const endWatch = embedded ? undefined : watchRemote(deploymentUrl, log);
  const forward = embedded && new DeploymentForwarder(embedded.url, log);
  const readiness = createReadiness({
    deploymentUrl,
    adminKey: config.engine?.adminKey ?? null,
    checkToken: () => build.checkServiceToken(deployedConfig),
    dataDir: config.dataDir,
    backupWarning: config.backups && (() => backups?.warning() ?? null),
  });
  let backups: Backups | null = null;
  let records: ReturnType<typeof watchRecords> | null = null;
  let connections = 0;
  const metrics = createMetrics({
    ...config.metrics,
    sources: [build.metricsText, ...(config.engine ? [() => deploymentMetrics(deploymentUrl, config.engine?.adminKey ?? "")] : [])],
    connections: () => connections,
    websockets: () => forward?.size ?? 0,
    loop: watchEventLoop((block) => log.warn(block, "the event loop was blocked"), build.takeActivity),
    backups: config.backups && { ageSeconds: () => backups?.ageSeconds() ?? Infinity, isProven: () => backups?.isProven() ?? false },
  });
  const server = createListener({
    fetch: (request, info) => app.fetch(request, info),
    serveAsset,
    forward,
    origins: config.origins,
    trustedProxyHops: config.trustedProxyHops,
    operations: { readiness, metrics, version: VERSION },
    onProxyProblem: (text) => proxyProblems.push(text),
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
          endWatch?.();
          await backups?.close();
          await records?.close();
          await app.close();
          await embedded?.close();
        },
      },
      log,
    ),
    log,
  );
  await Promise.allSettled([
    app.warmUp(config.origins[0] ?? `http://localhost:${config.port}`),
    // A remote deployment may be unreachable, which must not delay the start.
    embedded ? build.checkServiceToken(deployedConfig) : Promise.resolve(),
  ]);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(config.port, config.host, resolve));
  console.log(readyMessage(config.origins, boundAddress(server)));
  redirectConsole(console, log);
  flushCompileCache();
  setTimeout(() => app.beginBackgroundWork(), BACKGROUND_DELAY_MS).unref();
  if (config.backups) {
    const warn = warnAdministrators({ dataDir: config.dataDir, mail: (problem) => app.mailBackupWarning(problem), log });
    backups = scheduleBackups({
      settings: config.backups,
      log,
      onOutcome: (outcome) => app.recordBackup(outcome),
      onState: (problem) => void warn(problem),
    });
  }
  if (embedded) records = watchRecords({ dataDir: config.dataDir, store: (record) => app.recordCommand(record), log });
  if (embedded) setInterval(() => void removeOldSnapshots(config.dataDir).catch(() => {}), SNAPSHOT_SWEEP_MS).unref();
}

async function fileBucketState(url: string, engine: ServerConfig["engine"]): Promise<DeploymentHealth["fileBucket"]> {
  if (!engine?.fileBucket) return null;
  const health = await readDeploymentHealth(url, { adminKey: engine.adminKey, timeoutMs: 2000 }).catch(() => null);
  return health && "fileBucket" in health ? health.fileBucket : null;
}

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
  const noRoom = await diskSpaceProblem(resolve(process.env["DATA_DIR"] || ".data"));
  if (error instanceof ConfigError || error instanceof StartError) console.error(error.message);
  else if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    console.error(`${error.message}. Choose another one with PORT.`);
  else if (reasonOf(error)) console.error(`The app cannot start, because it cannot write to DATA_DIR: ${reasonOf(error)}.`);
  else if (noRoom) console.error(`The app cannot start: ${error instanceof Error ? error.message : String(error)}\n${noRoom}`);
  else console.error(error);
  process.exit(1);
}
