import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { APP_USER, type AppProcess, asProcess, IMAGE, runInContainer } from "./app-container.ts";
import { copyStartedData } from "./started-data.ts";

export { APP_USER } from "./app-container.ts";

const MAIN = fileURLToPath(new URL("../../build/processes/main.js", import.meta.url));
const READY = /^Atelier is ready at (\S+)(?: and \S+)*$/;
export const START_TIMEOUT = 240_000;

export type RunningApp = {
  url: string;
  port: number;
  deployment: { url: string; forBrowsers: string };
  dataDir: string;
  pid: number;
  output(): string;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
  start(main?: string): Promise<void>;
  dispose(): Promise<void>;
};

export const PRELOADED = "TEST_PRELOADED";

/** Starts the built app on free ports; it has data of an earlier start, except with DATA_DIR. `main`: another copy's `build/processes/main.js`. */
export async function startApp(settings: Record<string, string> = {}, main?: string): Promise<RunningApp> {
  const own = await mkdtemp(join(tmpdir(), "atelier-test-"));
  copyStartedData(own, settings);
  const dataDir = settings["DATA_DIR"] ?? own;
  await giveToAppUser(dataDir);
  const ports = { PORT: await freePort(), ENGINE_PORT: await freePort(), ENGINE_SITE_PORT: await freePort() };
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    ACCOUNTS_RATE_LIMIT: "false",
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
    ...settings,
    NODE_OPTIONS: [process.env[PRELOADED], settings["NODE_OPTIONS"]].filter(Boolean).join(" "),
  };
  const lines: string[] = [];
  let child = await launch(env, lines, main);

  const app: RunningApp = {
    url: child.url,
    port: ports.PORT,
    deployment: { url: `http://127.0.0.1:${ports.ENGINE_PORT}`, forBrowsers: `${child.url}/convex` },
    dataDir,
    get pid() {
      return child.process.pid();
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
      await rm(own, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return app;
}

/** Makes the user of the container the owner of a folder and its files. */
async function giveToAppUser(folder: string): Promise<void> {
  const { uid, gid } = APP_USER;
  if (uid === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const path of await readdir(folder, { recursive: true })) await chown(join(folder, path), uid, gid);
  await chown(folder, uid, gid);
}

async function launch(env: NodeJS.ProcessEnv, lines: string[], main?: string): Promise<{ process: AppProcess; url: string }> {
  const started =
    IMAGE && main === undefined
      ? runInContainer(IMAGE, env)
      : asProcess(spawn(process.execPath, [main ?? MAIN], { env, stdio: ["ignore", "pipe", "pipe"], ...APP_USER }));
  const { child } = started;
  let late: NodeJS.Timeout | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const failed = (why: string) => reject(new Error(`The app did not start: ${why}\n${lines.slice(-40).join("\n")}`));
    late = setTimeout(() => failed(`not ready after ${START_TIMEOUT} ms`), START_TIMEOUT);
    child.once("close", (code, signal) => failed(`it ended (${signal ?? code})`));
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        const ready = READY.exec(line)?.[1];
        if (ready) resolve(ready);
      });
    }
  })
    .catch(async (error: unknown) => {
      await end(started, "SIGKILL");
      throw error;
    })
    .finally(() => clearTimeout(late));
  return { process: started, url };
}

async function end(process: AppProcess, signal: NodeJS.Signals): Promise<number | null> {
  const { child } = process;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    process.signal(signal);
    await ended;
  }
  return child.exitCode;
}

/** Below the ephemeral ports (from 32768 on Linux, 49152 elsewhere), which others may take. Each worker has its own range. */
const PORTS = { first: 12_000, perWorker: 1000, workers: 20 };
const worker = Number(process.env["TEST_PARALLEL_INDEX"] ?? process.env["VITEST_POOL_ID"] ?? 0) % PORTS.workers;
let turn = Math.floor(Math.random() * PORTS.perWorker);

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS.perWorker; tries++) {
    const port = PORTS.first + worker * PORTS.perWorker + (turn++ % PORTS.perWorker);
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
