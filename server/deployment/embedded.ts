import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { ALLOCATOR_SETTINGS } from "@atelier/engine/allocator";
import { type FileBucketSettings, fileBucketVariables } from "@atelier/engine/file-bucket-settings";
import { compileCacheFolder } from "@atelier/engine/compile-cache";
import { lockFolder } from "@atelier/engine/folder-lock";
import { CLIENT_ADDRESS_HEADER } from "../http/client-address.ts";
import { type Heartbeat, watchHeartbeat } from "./heartbeat.ts";
import type { Log } from "../logging/log.ts";

export type Embedded = {
  url: string;
  siteUrl: string;
  pid(): number | null;
  close(): Promise<void>;
};

export type EmbeddedOptions = {
  dir: string;
  port: number;
  sitePort: number;
  adminKey: string;
  acceptOlderDatabase?: Date | undefined;
  fileBucket?: FileBucketSettings | null;
  beforeOpen?: () => Promise<void>;
  scheduledFunctions?: boolean;
  /** Sends the errors that Convex sends in production. Default: those of development. */
  redactErrors?: boolean;
  dashboard?: boolean;
  log: Log;
};

const MAIN = fileURLToPath(new URL("./deployment-process.ts", import.meta.url));
/** Memory for an unauthenticated websocket; our pages need a few KiB. */
const ANONYMOUS_BYTES = 256 * 1024;
const LIMITS = ["--anonymous-bytes", `${ANONYMOUS_BYTES}`, "--client-address-header", CLIENT_ADDRESS_HEADER];
const READY_TIMEOUT = 60_000;
const STOP_TIMEOUT = 5000;
/** The deployment of a killed server stops automatically, which takes time on a busy machine. */
const PREDECESSOR_TIMEOUT = 15_000;
const IN_USE = /Another process is using the data/;
const FIRST_PAUSE = 100;
const LAST_PAUSE = 5000;
const QUICK_AGAIN_AFTER_MS = 30_000;

export class StartError extends Error {}

/** Starts the embedded deployment and restarts it on the same addresses, with pauses from 0.1 s to 5 s. Throws `StartError`. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log } = options;
  const unlock = lockFolder(options.dir);
  if (!unlock)
    throw new StartError(`Another process is using the data in ${options.dir}. Only one process can use it: stop the other one first.`);
  const opened = async () => {
    await options.beforeOpen?.();
    return firstLife(options);
  };
  let processRun = await opened().catch((error: unknown) => {
    unlock();
    throw error;
  });
  const { url, siteUrl } = await processRun.ready;
  log.info({ deployment: url, deploymentPid: processRun.pid() }, "the deployment is ready");
  const stopping = new AbortController();
  const { signal } = stopping;
  const supervised = supervise();

  async function supervise() {
    let pause = FIRST_PAUSE;
    for (;;) {
      const since = Date.now();
      const exitReason = await processRun.exited;
      if (signal.aborted) return;
      if (Date.now() - since > QUICK_AGAIN_AFTER_MS) pause = FIRST_PAUSE;
      log.error({ how: exitReason, pause }, "the deployment exited unexpectedly and is restarted");
      await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LAST_PAUSE);
      if (signal.aborted) return;
      processRun = run({
        ...options,
        acceptOlderDatabase: undefined,
        port: Number(new URL(url).port),
        sitePort: Number(new URL(siteUrl).port),
      });
      processRun.ready.then(
        () => log.info({ deploymentPid: processRun.pid() }, "the deployment is running again"),
        (error: unknown) => log.error({ error: String(error) }, "the deployment could not be restarted"),
      );
    }
  }

  return {
    url,
    siteUrl,
    pid: () => processRun.pid(),
    async close() {
      stopping.abort();
      await processRun.stop();
      await supervised;
      unlock();
    },
  };
}

async function firstLife(options: EmbeddedOptions): Promise<ReturnType<typeof run>> {
  const deadline = Date.now() + PREDECESSOR_TIMEOUT;
  let waiting = false;
  for (;;) {
    const port = await freePort(options.port, "ENGINE_PORT", options.log);
    const life = run({ ...options, port, sitePort: await freePort(options.sitePort, "ENGINE_SITE_PORT", options.log) });
    try {
      await life.ready;
      return life;
    } catch (error) {
      if (!IN_USE.test(String(error)) || Date.now() > deadline) throw error;
      if (!waiting) options.log.warn("waiting for another process to release the data");
      waiting = true;
      await sleep(200);
    }
  }
}

const readyMessage = z.object({ ready: z.literal(true), url: z.url(), siteUrl: z.url() });

function run({
  dir,
  port,
  sitePort,
  adminKey,
  acceptOlderDatabase,
  fileBucket = null,
  scheduledFunctions = true,
  redactErrors = false,
  dashboard = false,
  log,
}: EmbeddedOptions) {
  const options = [
    ...(acceptOlderDatabase ? ["--accept-older-database", acceptOlderDatabase.toISOString()] : []),
    ...(scheduledFunctions ? [] : ["--no-scheduled-functions"]),
    ...(dashboard ? [] : ["--no-dashboard"]),
    ...(redactErrors ? ["--redact-errors"] : []),
  ];
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      MAIN,
      "--data",
      dir,
      "--port",
      `${port}`,
      "--site-port",
      `${sitePort}`,
      ...options,
      ...LIMITS,
    ],
    {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A terminal's Ctrl+C must not stop the deployment, which requests in flight need. It exits when the channel closes.
      detached: true,
      // No other variables, because ours contain secrets. The key is not an argument, because all users can read arguments.
      env: {
        ...ALLOCATOR_SETTINGS,
        PATH: process.env.PATH,
        TZ: process.env.TZ,
        NODE_ENV: process.env.NODE_ENV,
        CONVEX_ADMIN_KEY: adminKey,
        ...(fileBucket && fileBucketVariables(fileBucket)),
        // Node also compiles the first module of the deployment and of its threads, before they enable the cache.
        NODE_COMPILE_CACHE: compileCacheFolder(dir),
      },
    },
  );
  const tail = relay(child, log);
  let heartbeat: Heartbeat | null = null;
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const ready = new Promise<{ url: string; siteUrl: string }>((resolve, reject) => {
    const late = setTimeout(() => child.kill("SIGKILL"), READY_TIMEOUT);
    child.on("message", (message) => {
      heartbeat?.beat();
      const ready = readyMessage.safeParse(message);
      if (!ready.success) return;
      clearTimeout(late);
      // Starts once the deployment is ready, because opening the data can take longer than 30 s.
      heartbeat = watchHeartbeat(() => {
        log.error({ deploymentPid: child.pid }, "the deployment has not responded for 30 s: restarting it");
        child.kill("SIGKILL");
      });
      resolve(ready.data);
    });
    void exited.then((how) => {
      clearTimeout(late);
      heartbeat?.stop();
      reject(new StartError(`The embedded deployment did not start (${how}).\n${tail().join("\n")}`.trimEnd()));
    });
  });
  return {
    ready,
    exited,
    pid: () => (child.exitCode === null && child.signalCode === null ? (child.pid ?? null) : null),
    async stop() {
      heartbeat?.stop();
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT);
      await exited;
      clearTimeout(late);
    },
  };
}

function relay(child: ChildProcess, log: Log): () => string[] {
  const last: string[] = [];
  for (const [stream, level] of [
    [child.stdout, "debug"],
    [child.stderr, "warn"],
  ] as const) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      log[level]({ from: "deployment" }, line);
      last.push(line);
      if (last.length > 20) last.shift();
    });
  }
  return () => last;
}

async function freePort(preferredPort: number, setting: string, log: Log): Promise<number> {
  if (preferredPort === 0) return 0;
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(preferredPort, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
  if (free) return preferredPort;
  log.warn({ preferredPort }, `port ${preferredPort} (${setting}) is in use: the deployment listens on another port`);
  return 0;
}
