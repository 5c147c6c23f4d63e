import { execFile, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ALLOCATOR_SETTINGS } from "@atelier/engine/allocator";

const ROOT = resolve(import.meta.dirname, "..");
const MAIN = join(ROOT, "engine/src/main.ts");
const CONVEX_BIN = join(ROOT, "node_modules/convex/bin/main.js");
export const ADMIN_KEY = `bench|${"be".repeat(32)}`;

export type Server = { url: string; child: ChildProcess; /** From its start until it answers. */ readyMs: number; stop(): Promise<void> };

async function startServer(path: string, args: string[], imported: string[] = []): Promise<Server> {
  const started = performance.now();
  const execArgv = imported.map((name) => `--import=${join(import.meta.dirname, "baselines", name)}`);
  if (process.env["BENCH_PROFILE"]) execArgv.push("--cpu-prof", `--cpu-prof-dir=${process.env["BENCH_PROFILE"]}`);
  const env = { ...process.env, ...ALLOCATOR_SETTINGS };
  const child = fork(path, args, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv, env });
  const exited = once(child, "exit");
  const [message] = await Promise.race([once(child, "message"), exited.then(() => Promise.reject(new Error(`${path} did not start.`)))]);
  const url = typeof message === "object" && message !== null && "url" in message ? String(message.url) : "";
  const readyMs = performance.now() - started;
  return {
    url,
    child,
    readyMs,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

export const baseline = (name: string, dir: string): Promise<Server> =>
  startServer(join(import.meta.dirname, "baselines", `${name}.ts`), [dir]);

export const startDeployment = (dir: string, ...imported: string[]): Promise<Server> =>
  startServer(MAIN, ["--data", dir, "--port", "0", "--site-port", "0", "--admin-key", ADMIN_KEY], imported);

export async function push({ url }: Server, added?: "components"): Promise<void> {
  const project = temporaryFolder("project");
  for (const source of ["project", ...(added ? [added] : [])]) cpSync(join(import.meta.dirname, source), project, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  await promisify(execFile)(
    process.execPath,
    [CONVEX_BIN, "dev", "--once", "--typecheck", "disable", "--url", url, "--admin-key", ADMIN_KEY],
    { cwd: project, env: { PATH: process.env["PATH"], HOME: tmpdir(), CI: "1" } },
  );
  removeFolder(project);
}

export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `bench-${name}-`));
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true });
