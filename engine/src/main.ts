/**
 * The command line of a deployment that runs alone:
 * `node engine/src/main.ts --data DIR [--port 3210] [--site-port 3211] [--admin-key KEY]`
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { parseArgs } from "node:util";
import type { Deployment, DeploymentOptions } from "./deployment.ts";
import { compileCacheFolder } from "./compile-cache.ts";
import { StorageError } from "./values/errors.ts";

const USAGE = `Usage: engine --data DIR [options]

  --data DIR          where everything is kept; made if it is missing
  --port PORT         of the deployment (3210; 0 for any free one)
  --site-port PORT    of HTTP actions (3211; 0 for any free one)
  --host HOST         to listen on (127.0.0.1)
  --admin-key KEY     name|hex; or in CONVEX_ADMIN_KEY; otherwise made once and kept in DIR
  --url URL           what clients and functions are told, where it is not the address listened on
  --site-url URL      the same for HTTP actions
  --allow-origin URL  a browser origin that may open a websocket (repeat for more; any, without it)
  --help`;

const OLDEST_NODE = [22, 22] as const;

/**
 * Stopping takes no longer, whatever hangs: all that was acknowledged is durable. Whose parent was killed is in the way of its successor,
 * which waits for the data.
 */
const STOP_WITHIN_MS = { told: 15_000, orphaned: 1_500 } as const;

/** What the user can put right: told without a stack. */
class UsageError extends Error {}

async function main(): Promise<void> {
  requireNode();
  const { printed, options } = readArguments(process.argv.slice(2));
  if (printed !== null) return void process.stdout.write(`${printed}\n`);
  // Functions see the same zone as on every Convex deployment; the threads take it from the process.
  process.env.TZ = "UTC";
  enableCompileCache(compileCacheFolder(options.dataDir));
  // Only now, so that an older Node is told so before it meets what it does not know.
  const { startDeployment } = await import("./deployment.ts");
  const stopping = stopSignal();
  const deployment = await startDeployment({ ...options, onFailure: end }).catch((error: unknown) => {
    throw explained(error, options);
  });
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
    `This needs Node ${OLDEST_NODE.join(".")} or newer, and this is Node ${process.versions.node}. \`npm run engine\` brings its own.`,
  );
}

function readArguments(args: string[]): { printed: string; options: DeploymentOptions } | { printed: null; options: DeploymentOptions } {
  const values = parse(args);
  const options: DeploymentOptions = {
    dataDir: values.data ?? "",
    host: values.host,
    port: portOf("--port", values.port),
    sitePort: portOf("--site-port", values["site-port"]),
    adminKey: values["admin-key"] ?? process.env.CONVEX_ADMIN_KEY,
    url: originOf("--url", values.url),
    siteUrl: originOf("--site-url", values["site-url"]),
    allowedOrigins: values["allow-origin"],
  };
  if (values.help) return { printed: USAGE, options };
  if (options.dataDir === "") throw new UsageError(`--data is missing.\n\n${USAGE}`);
  if (options.adminKey !== undefined && !/^[^|:]+\|[0-9a-f]{64,}$/.test(options.adminKey)) {
    throw new UsageError("The admin key must be `name|hex` with at least 64 hexadecimal digits (256 bits).");
  }
  return { printed: null, options };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        data: { type: "string" },
        port: { type: "string", default: "3210" },
        "site-port": { type: "string", default: "3211" },
        host: { type: "string", default: "127.0.0.1" },
        "admin-key": { type: "string" },
        url: { type: "string" },
        "site-url": { type: "string" },
        "allow-origin": { type: "string", multiple: true },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function portOf(flag: string, value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new UsageError(`${flag} must be a number from 0 to 65535, not ${JSON.stringify(value)}.`);
  return port;
}

function originOf(flag: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value))
    throw new UsageError(`${flag} must be an http(s) URL, not ${JSON.stringify(value)}.`);
  return value.replace(/\/$/, "");
}

/** SIGTERM, Ctrl-C, or the end of the process that started this one (its channel closes). */
function stopSignal(): Promise<keyof typeof STOP_WITHIN_MS> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve("told"));
    process.once("SIGINT", () => resolve("told"));
    process.once("disconnect", () => resolve("orphaned"));
  });
}

function announce({ url, siteUrl, adminKey }: Deployment, showKey: boolean): void {
  process.stdout.write(`Deployment ready at ${url}, HTTP actions at ${siteUrl}${showKey ? `, admin key ${adminKey}` : ""}\n`);
  process.send?.({ ready: true, url, siteUrl });
}

function explained(error: unknown, { port, sitePort }: DeploymentOptions): unknown {
  if (error instanceof StorageError) return new UsageError(error.message);
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "EADDRINUSE")
    return new UsageError(
      `Port ${"port" in error ? String(error.port) : `${port} or ${sitePort}`} is in use: choose others with --port and --site-port.`,
    );
  if (error.code === "EACCES" && "port" in error) return new UsageError(`Port ${String(error.port)} may not be used by this user.`);
  return error;
}

main().catch(end);

/** All that was acknowledged is durable, and a thread that could not open the data would keep the process up. */
function end(error: unknown): never {
  process.stderr.write(
    `${error instanceof UsageError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
}
