import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { CONFINED } from "../container/container-engine.ts";

export const IMAGE = process.env.TEST_CONTAINER;
const ENGINE = process.env.CONTAINER_ENGINE ?? "podman";
const USER = 1000;
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
  return {
    child,
    pid: () => Number(execFileSync(ENGINE, ["inspect", "--format={{.State.Pid}}", name], { encoding: "utf8" })),
    signal: (signal) => (signal === "SIGKILL" ? execFile(ENGINE, ["kill", "--signal=KILL", name], () => undefined) : child.kill(signal)),
  };
}
