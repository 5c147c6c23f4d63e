import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * The app that is tested: this folder's own, or what the Dockerfile's commands made elsewhere (`npm run test:container`), which runs as nobody in
 * particular.
 */
const CONTAINER = process.env.TEST_CONTAINER;
const MAIN = CONTAINER ? join(CONTAINER, "server/main.ts") : fileURLToPath(new URL("../../server/main.ts", import.meta.url));
/** `nobody`, on every Linux; nobody can become it but root. */
const NOBODY = 65_534;
/** As whom the app runs, where that is not the one who tests it. */
export const APP_USER = CONTAINER && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const READY = /^Atelier is ready at (\S+)$/;
/** Held far above what it takes: on a machine with ten others at work a start has taken a minute. */
export const START_TIMEOUT = 240_000;

/** The real, built app in a process of its own, with a folder of its own for its data. */
export type RunningApp = {
  /** Its origin; the same after a restart. */
  url: string;
  port: number;
  /** The deployment, as its administrator reaches it, and as browsers do. */
  deployment: { url: string; forBrowsers: string };
  dataDir: string;
  pid: number;
  /** What it has printed since it was first started. */
  output(): string;
  /** SIGKILL: no good-bye, as when the machine loses power. */
  kill(): Promise<void>;
  /** SIGTERM; resolves to its exit code once it has ended. */
  stop(): Promise<number | null>;
  /** Starts it again after `kill` or `stop`, on the same address and data; `main`: another copy of the app in its place. */
  start(main?: string): Promise<void>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
};

/**
 * Starts the built app on free ports with an empty data folder.
 * @param settings further environment variables; docs/configuration.md has them all
 */
export async function startApp(settings: Record<string, string> = {}): Promise<RunningApp> {
  const dataDir = await mkdtemp(join(tmpdir(), "atelier-test-"));
  if (APP_USER.uid !== undefined) await chown(dataDir, APP_USER.uid, APP_USER.gid);
  const ports = { PORT: await freePort(), ENGINE_PORT: await freePort(), ENGINE_SITE_PORT: await freePort() };
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    // Tests sign up by the dozen from one address.
    ACCOUNTS_RATE_LIMIT: "false",
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
    ...settings,
  };
  const lines: string[] = [];
  let child = await launch(env, lines);

  const app: RunningApp = {
    url: child.url,
    port: ports.PORT,
    deployment: { url: `http://127.0.0.1:${ports.ENGINE_PORT}`, forBrowsers: `${child.url}/convex` },
    dataDir,
    get pid() {
      return child.process.pid ?? 0;
    },
    output: () => lines.join("\n"),
    async kill() {
      await end(child.process, "SIGKILL");
    },
    stop: () => end(child.process, "SIGTERM"),
    async start(main) {
      child = await launch(env, lines, main);
    },
    async dispose() {
      await end(child.process, "SIGTERM");
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return app;
}

async function launch(env: NodeJS.ProcessEnv, lines: string[], main = MAIN): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "pipe"], ...APP_USER });
  let late: NodeJS.Timeout | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const failed = (why: string) => reject(new Error(`The app did not start: ${why}\n${lines.slice(-40).join("\n")}`));
    late = setTimeout(() => failed(`not ready after ${START_TIMEOUT} ms`), START_TIMEOUT);
    // With all that it had to say: its end may be known before its last words are read.
    child.once("close", (code, signal) => failed(`it ended (${signal ?? code})`));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        const ready = READY.exec(line)?.[1];
        if (ready) resolve(ready);
      });
    }
  })
    .catch(async (error: unknown) => {
      await end(child, "SIGKILL");
      throw error;
    })
    .finally(() => clearTimeout(late));
  return { process: child, url };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}

/**
 * Ports below those that a system gives to outgoing connections (from 32768 on Linux, from 49152 elsewhere): one of these may be anybody's between
 * our look and our use of it. Each worker has a stretch of its own, and begins somewhere in it.
 */
const PORTS = { first: 12_000, stretch: 1000, stretches: 20 };
const stretch = Number(process.env["TEST_PARALLEL_INDEX"] ?? process.env["VITEST_POOL_ID"] ?? 0) % PORTS.stretches;
let turn = Math.floor(Math.random() * PORTS.stretch);

/** A port on which nobody listens; no two calls of a process get the same one soon. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS.stretch; tries++) {
    const port = PORTS.first + stretch * PORTS.stretch + (turn++ % PORTS.stretch);
    if (await isFree(port)) return port;
  }
  throw new Error("No port");
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
