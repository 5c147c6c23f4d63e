/** Usage: `node engine/src/main.ts --data DIR [--port 3210] [--site-port 3211] [--admin-key KEY]` */
import { enableCompileCache, flushCompileCache } from "node:module";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Deployment, DeploymentOptions } from "./deployment.ts";
import { compileCacheFolder } from "./compile-cache.ts";
import { readFileBucketSettings } from "./functions/files/bucket/bucket-settings.ts";
import { isDiskFull } from "./storage/disk-full.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { skewClock } from "./simulation/clock-skew.ts";
import { readSimulation, SIMULATION_FLAGS, SIMULATION_USAGE } from "./simulation/flags.ts";
import { UsageError } from "./usage-error.ts";
import { StorageError } from "./values/errors.ts";

const USAGE = `Usage: engine --data DIR [options]

  --data DIR          folder for all data; created if it is missing
  --port PORT         of the deployment (3210; 0 for any free one)
  --site-port PORT    of HTTP actions (3211; 0 for any free one)
  --host HOST         to listen on (127.0.0.1)
  --admin-key KEY     name|hex; or in CONVEX_ADMIN_KEY; otherwise made once and kept in DIR
  --url URL           what clients and functions are told, where it is not the address listened on
  --site-url URL      the same for HTTP actions
  --accept-older-database TIME
                      open a database that lacks what was stored up to this time (ISO 8601)
  --no-scheduled-functions
                      runs no scheduled functions and no crons
  --allow-origin URL  a browser origin that may open a websocket (repeat for more; any, without it)
  --anonymous-bytes N  kept in memory for a connection before it is authenticated (25165824)
  --node-modules DIR  a folder node_modules with the external packages of "use node" files; the deployment installs
                      none (node_modules in the working directory)
  --node-addons       external packages may load native code, which nothing limits
  --no-dashboard      serves no dashboard at /dashboard of the deployment's port
  --client-address-header NAME
                      in which a trusted proxy names the client's address
  --help

The environment variables FILES_S3_* store files in an S3-compatible bucket (docs/configuration.md).

${SIMULATION_USAGE}`;

const OLDEST_NODE = [22, 22] as const;

/** Limits the shutdown; acknowledged data is durable. Shorter for an orphaned process, because its successor waits for the data. */
const STOP_WITHIN_MS = { signalled: 15_000, orphaned: 1_500 } as const;

async function main(): Promise<void> {
  const stopping = stopSignal();
  let isStarted = false;
  void stopping.then(() => {
    if (!isStarted) process.exit(0);
  });
  requireNode();
  process.umask(0o077);
  const { printed, options, clockSkewMs } = readArguments(process.argv.slice(2));
  if (printed !== null) return void process.stdout.write(`${printed}\n`);
  // Functions run in UTC, as on Convex; threads inherit it.
  process.env.TZ = "UTC";
  skewClock(clockSkewMs);
  enableCompileCache(compileCacheFolder(options.dataDir));
  // Imported late, so that an older Node reports its version first and modules keep the shifted clock.
  const { startDeployment } = await import("./deployment.ts");
  const deployment = await startDeployment({ ...options, onFailure: (error) => end(explained(error, options)) }).catch((error: unknown) => {
    throw explained(error, options);
  });
  isStarted = true;
  announce(deployment, options.adminKey === undefined);
  flushCompileCache();
  const stopped = await stopping;
  setTimeout(() => process.exit(1), STOP_WITHIN_MS[stopped]).unref();
  await deployment.close();
  if (process.connected) process.disconnect();
}

function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new UsageError(
    `Node ${OLDEST_NODE.join(".")} or newer is required, but this is Node ${process.versions.node}. \`npm run engine\` uses the version that npm installed.`,
  );
}

function readArguments(args: string[]): { printed: string | null; options: DeploymentOptions; clockSkewMs: number } {
  const values = parse(args);
  const { simulation, clockSkewMs } = readSimulation(values);
  const options: DeploymentOptions = {
    dataDir: values.data ?? "",
    host: values.host,
    port: portOf("--port", values.port),
    sitePort: portOf("--site-port", values["site-port"]),
    adminKey: values["admin-key"] ?? process.env.CONVEX_ADMIN_KEY,
    url: originOf("--url", values.url),
    siteUrl: originOf("--site-url", values["site-url"]),
    scheduledFunctions: values["scheduled-functions"],
    allowedOrigins: values["allow-origin"],
    acceptLossUntil: timeOf("--accept-older-database", values["accept-older-database"]),
    anonymousBytes: bytesOf("--anonymous-bytes", values["anonymous-bytes"]),
    clientAddressHeader: values["client-address-header"]?.toLowerCase(),
    fileBucket: readFileBucketSettings(process.env),
    nodeSettings: { nodeModules: resolve(values["node-modules"]), allowsAddons: values["node-addons"] },
    dashboard: values.dashboard,
    simulation,
  };
  if (values.help) return { printed: USAGE, options, clockSkewMs };
  if (options.dataDir === "") throw new UsageError(`--data is missing.\n\n${USAGE}`);
  if (options.adminKey !== undefined && !/^[^|:]+\|[0-9a-f]{64,}$/.test(options.adminKey)) {
    throw new UsageError("The admin key must be `name|hex` with at least 64 hexadecimal digits (256 bits).");
  }
  return { printed: null, options, clockSkewMs };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowNegative: true,
      options: {
        data: { type: "string" },
        port: { type: "string", default: "3210" },
        "site-port": { type: "string", default: "3211" },
        host: { type: "string", default: "127.0.0.1" },
        "admin-key": { type: "string" },
        url: { type: "string" },
        "site-url": { type: "string" },
        "accept-older-database": { type: "string" },
        "scheduled-functions": { type: "boolean", default: true },
        "allow-origin": { type: "string", multiple: true },
        "anonymous-bytes": { type: "string" },
        "client-address-header": { type: "string" },
        "node-modules": { type: "string", default: "node_modules" },
        dashboard: { type: "boolean", default: true },
        "node-addons": { type: "boolean", default: false },
        ...SIMULATION_FLAGS,
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function timeOf(flag: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const time = Date.parse(value);
  if (Number.isNaN(time) || time > Date.now())
    throw new UsageError(`${flag} is ${JSON.stringify(value)}; expected a time in the past, like 2026-11-23T06:30:00.000Z.`);
  return time;
}

function portOf(flag: string, value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new UsageError(`${flag} must be a number from 0 to 65535, not ${JSON.stringify(value)}.`);
  return port;
}

function bytesOf(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,11}$/.test(value)) throw new UsageError(`${flag} must be a number of bytes, not ${JSON.stringify(value)}.`);
  return Number(value);
}

function originOf(flag: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value))
    throw new UsageError(`${flag} must be an http(s) URL, not ${JSON.stringify(value)}.`);
  return value.replace(/\/$/, "");
}

function stopSignal(): Promise<keyof typeof STOP_WITHIN_MS> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve("signalled"));
    process.once("SIGINT", () => resolve("signalled"));
    process.once("disconnect", () => resolve("orphaned"));
  });
}

function announce(deployment: Deployment, showKey: boolean): void {
  const { url, siteUrl, adminKey } = deployment;
  process.stdout.write(`Deployment ready at ${url}, HTTP actions at ${siteUrl}${showKey ? `, admin key ${adminKey}` : ""}\n`);
  process.send?.({ ready: true, url, siteUrl });
  if (process.send) {
    startHeartbeat({
      silentMs: () => deployment.silentMs(),
      send: () => process.connected && process.send?.({ alive: true }),
      report: (line) => process.stderr.write(`${line}\n`),
    });
  }
}

function explained(error: unknown, { dataDir, port, sitePort }: DeploymentOptions): unknown {
  if (error instanceof StorageError) return new UsageError(error.message);
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "EADDRINUSE")
    return new UsageError(
      `Port ${"port" in error ? String(error.port) : `${port} or ${sitePort}`} is in use: choose others with --port and --site-port.`,
    );
  if (isDiskFull(error))
    return new UsageError(`The disk of ${dataDir} is full (${String(error.code)}). Free some space, then start again.`);
  if (error.code === "EACCES" && "port" in error) return new UsageError(`This user may not listen on port ${String(error.port)}.`);
  return error;
}

main().catch(end);

/** Exits at once: acknowledged data is durable, and a blocked thread would keep the process alive. */
function end(error: unknown): never {
  process.stderr.write(
    `${error instanceof UsageError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
}
