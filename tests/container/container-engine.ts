import { execFile, spawn, type SpawnOptions } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { promisify } from "node:util";

const run = promisify(execFile);

const MISSING = `No container engine was found. Install Podman or Docker (on Debian: podman, buildah and runc, or docker.io), or set
CONTAINER_ENGINE to the program. As root and without systemd, Podman needs runc and fuse-overlayfs.`;

let found: Promise<string> | null = null;

export function containerEngine(): Promise<string> {
  found ??= find();
  return found;
}

async function find(): Promise<string> {
  const candidates = process.env.CONTAINER_ENGINE ? [process.env.CONTAINER_ENGINE] : ["podman", "docker"];
  for (const program of candidates)
    if (
      await run(program, ["version"]).then(
        () => true,
        () => false,
      )
    )
      return program;
  throw new Error(MISSING);
}

export async function engine(...args: string[]): Promise<string> {
  const { stdout } = await run(await containerEngine(), args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

export async function showEngine(args: string[], options: SpawnOptions = {}): Promise<void> {
  const child = spawn(await containerEngine(), args, { stdio: "inherit", ...options });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(" ")} ended with ${String(code)}`);
}

/** As `compose.yaml` and the README run it: read-only, without privileges, with 512 MB. */
export const CONFINED = ["--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--memory=512m"] as const;

export type Container = {
  name: string;
  url: string;
  wait(): Promise<number>;
  logs(): Promise<string>;
  exec(...command: string[]): Promise<string>;
  stop(seconds?: number): Promise<number>;
  remove(): Promise<void>;
};

export type ContainerOptions = {
  image: string;
  data?: string;
  settings?: Record<string, string>;
  flags?: readonly string[];
  command?: readonly string[];
  port?: number;
};

export async function startContainer({ image, data, settings = {}, flags = [], command = [], port }: ContainerOptions): Promise<Container> {
  const name = `atelier-test-${randomUUID()}`;
  await engine(
    "run",
    "--detach",
    `--name=${name}`,
    ...CONFINED,
    ...(port === undefined ? [] : [`--publish=127.0.0.1:${port}:3000`]),
    ...(data === undefined ? [] : [`--volume=${data}:/data`]),
    ...Object.entries(settings).map(([setting, value]) => `--env=${setting}=${value}`),
    ...flags,
    image,
    ...command,
  );
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    wait: async () => Number(await engine("wait", name)),
    logs: async () => {
      const { stdout, stderr } = await run(await containerEngine(), ["logs", name]);
      return stdout + stderr;
    },
    exec: (...command) => engine("exec", name, ...command),
    async stop(seconds = 10) {
      const began = performance.now();
      await engine("stop", `--time=${seconds}`, name);
      return performance.now() - began;
    },
    remove: async () => void (await engine("rm", "--force", "--volumes", name)),
  };
}

const READY_MS = 60_000;

export async function ready(container: Container): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(`${container.url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    const state = await engine("inspect", "--format={{.State.Status}}", container.name);
    if (!/running|created|initialized/.test(state) || Date.now() > deadline)
      throw new Error(`The container is ${state} and not ready:\n${await container.logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
