import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Log } from "./log.ts";

/** The embedded deployment, running as a child process of ours. */
export type Embedded = {
  /** Where its clients find it, on loopback; the same through every restart. */
  url: string;
  siteUrl: string;
  /** Its process at the moment; null while it is being started anew. */
  pid(): number | null;
  close(): Promise<void>;
};

export type EmbeddedOptions = {
  /** Its data. */
  dir: string;
  /** Where it listens on loopback; 0, or a port that is taken: any free one. */
  port: number;
  sitePort: number;
  adminKey: string;
  log: Log;
  /** How long a predecessor may take to let go of the data, in ms. */
  predecessorTimeout?: number;
};

const MAIN = fileURLToPath(new URL("../engine/src/main.ts", import.meta.url));
/** How long it may take to open its data, in ms: a large database after a crash reads its journal first. */
const READY_TIMEOUT = 60_000;
/** How long it may take to stop before it is ended, in ms. */
const STOP_TIMEOUT = 5000;
/** A killed server's deployment notices by itself; on a machine that is busy that takes a while. */
const PREDECESSOR_TIMEOUT = 15_000;
const IN_USE = /Another process is using the data/;
const FIRST_PAUSE = 100;
const LAST_PAUSE = 5000;
/** Having run this long, in ms, it is well again, and the next restart is quick. */
const STEADY = 30_000;

/** It did not come up, and its own words say why: whoever started it has no use for our stack below them. */
export class NotStarted extends Error {}

/**
 * Starts the embedded deployment and keeps it running: when it ends by itself it is started again, on the same addresses, after a pause that
 * doubles from 0.1 s to 5 s while it keeps failing.
 * @throws NotStarted when it does not come up the first time
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log } = options;
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  let life = await firstLife(options);
  const { url, siteUrl } = await life.ready;
  log.info({ deployment: url, deploymentPid: life.pid() }, "the deployment is ready");
  let stopping = false;
  void supervise();

  async function supervise() {
    let pause = FIRST_PAUSE;
    for (;;) {
      const since = Date.now();
      const how = await life.exited;
      if (stopping) return;
      if (Date.now() - since > STEADY) pause = FIRST_PAUSE;
      log.error({ how, pause }, "the deployment ended by itself; it is started again");
      await sleep(pause, undefined, { ref: false });
      pause = Math.min(pause * 2, LAST_PAUSE);
      if (stopping) return;
      life = run({ ...options, port: Number(new URL(url).port), sitePort: Number(new URL(siteUrl).port) });
      life.ready.then(
        () => log.info({ deploymentPid: life.pid() }, "the deployment is back"),
        (error: unknown) => log.error({ error: String(error) }, "the deployment did not come back"),
      );
    }
  }

  return {
    url,
    siteUrl,
    pid: () => life.pid(),
    close() {
      stopping = true;
      return life.stop();
    },
  };
}

/**
 * The process, ready. Where a server was killed, its deployment is told by the end of the channel between them and may need a moment to let go
 * of the data: that is waited for.
 */
async function firstLife(options: EmbeddedOptions): Promise<ReturnType<typeof run>> {
  const deadline = Date.now() + (options.predecessorTimeout ?? PREDECESSOR_TIMEOUT);
  let waiting = false;
  for (;;) {
    const port = await freePort(options.port, "ENGINE_PORT", options.log);
    const life = run({ ...options, port, sitePort: await freePort(options.sitePort, "ENGINE_SITE_PORT", options.log) });
    try {
      await life.ready;
      return life;
    } catch (error) {
      if (!IN_USE.test(String(error)) || Date.now() > deadline) throw error;
      if (!waiting) options.log.warn("another process still uses the data: waiting for it to end");
      waiting = true;
      await sleep(200);
    }
  }
}

const readyMessage = z.object({ ready: z.literal(true), url: z.url(), siteUrl: z.url() });

/** One life of the process. `ready` is refused when it ends, or does not get ready in time; `exited` says how it ended. */
function run({ dir, port, sitePort, adminKey, log }: EmbeddedOptions) {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", MAIN, "--data", dir, "--port", `${port}`, "--site-port", `${sitePort}`],
    {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Ctrl+C in a terminal reaches us alone: requests in flight still need the deployment. It ends when the channel to us does.
      detached: true,
      // Not our environment: it holds secrets that the functions' process has no need of. The key is not an argument, which everyone may read.
      env: { PATH: process.env.PATH, TZ: process.env.TZ, NODE_ENV: process.env.NODE_ENV, CONVEX_ADMIN_KEY: adminKey },
    },
  );
  const tail = relay(child, log);
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const ready = new Promise<{ url: string; siteUrl: string }>((resolve, reject) => {
    const late = setTimeout(() => child.kill("SIGKILL"), READY_TIMEOUT);
    child.on("message", (message) => {
      const told = readyMessage.safeParse(message);
      if (!told.success) return;
      clearTimeout(late);
      resolve(told.data);
    });
    void exited.then((how) => {
      clearTimeout(late);
      reject(new NotStarted(`The embedded deployment did not start (${how}).\n${tail().join("\n")}`.trimEnd()));
    });
  });
  return {
    ready,
    exited,
    pid: () => (child.exitCode === null && child.signalCode === null ? (child.pid ?? null) : null),
    async stop() {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT);
      await exited;
      clearTimeout(late);
    },
  };
}

/** Passes on what the process prints, and keeps its last lines for who has to say why it failed. */
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

/** `wanted`, if it is free; else 0, any. Somebody who has another program on that port reads why. */
async function freePort(wanted: number, setting: string, log: Log): Promise<number> {
  if (wanted === 0) return 0;
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(wanted, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
  if (free) return wanted;
  log.warn({ wanted }, `port ${wanted} (${setting}) is taken: the deployment listens on another one`);
  return 0;
}
