import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CONFINED } from "../container/container-engine.ts";

export const IMAGE = process.env.TEST_CONTAINER;
const ENGINE = process.env.CONTAINER_ENGINE ?? "podman";
const USER = 1000;
/** The memory that docs/containers.md advises. Files of some formats need more than the 512 MB of `CONFINED`. */
const MEMORY = "--memory=2g";
export const APP_USER = IMAGE && process.getuid?.() === 0 ? { uid: USER, gid: USER } : {};
const TESTS = fileURLToPath(new URL("../", import.meta.url));

export type AppProcess = { child: ChildProcess; pid(): number; signal(signal: NodeJS.Signals): void };

export function asProcess(child: ChildProcess): AppProcess {
  return { child, pid: () => child.pid ?? 0, signal: (signal) => child.kill(signal) };
}

export function runInContainer(image: string, { PATH: _path, ...env }: NodeJS.ProcessEnv): AppProcess {
  const name = `atelier-test-${randomUUID()}`;
  const dataDir = env["DATA_DIR"] ?? "";
  const child = spawn(
    ENGINE,
    [
      "run",
      "--rm",
      `--name=${name}`,
      ...CONFINED,
      MEMORY,
      "--network=host",
      "--pid=host",
      `--volume=${dataDir}:${dataDir}`,
      `--volume=${TESTS}:${TESTS}:ro`,
      ...Object.entries({ HOST: "127.0.0.1", ...env }).map(([setting, value]) => `--env=${setting}=${value}`),
      image,
      "node",
      "build/processes/main.js",
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let found: number | undefined;
  const pid = () => (found ??= childOf(processOf(name)));
  // The engine takes so long to send a signal that the app would restart a deployment that a test killed before.
  return { child, pid, signal: (signal) => void (signal === "SIGKILL" ? kill(child, pid) : child.kill(signal)) };
}

const processOf = (container: string) =>
  Number(execFileSync(ENGINE, ["inspect", "--format={{.State.Pid}}", container], { encoding: "utf8" }));

const childOf = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));

function kill(client: ChildProcess, pid: () => number): void {
  try {
    process.kill(pid(), "SIGKILL");
  } catch {
    // The container has not started, or it has ended.
    client.kill("SIGKILL");
  }
}
