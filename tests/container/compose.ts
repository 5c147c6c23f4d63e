import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { containerEngine } from "./container-engine.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const MISSING = `Docker's Compose was not found. Install Docker with its Compose plugin (on Debian: docker.io and docker-compose),
and start its daemon.`;

const succeeds = (program: string, ...args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

async function composeCommand(): Promise<[string, ...string[]]> {
  if (!(await succeeds("docker", "info"))) throw new Error(MISSING);
  if (await succeeds("docker", "compose", "version")) return ["docker", "compose"];
  if (await succeeds("docker-compose", "version")) return ["docker-compose"];
  throw new Error(MISSING);
}

async function copyToDocker(image: string): Promise<void> {
  const engine = await containerEngine();
  if (engine.endsWith("docker") || (await succeeds("docker", "image", "inspect", image))) return;
  const load = spawn("docker", ["load"], { stdio: ["pipe", "ignore", "inherit"] });
  const save = spawn(engine, ["save", "--format=docker-archive", image], { stdio: ["ignore", load.stdin, "inherit"] });
  const [[saved], [loaded]] = await Promise.all([once(save, "exit"), once(load, "exit")]);
  if (saved !== 0 || loaded !== 0) throw new Error(`${image} could not be copied from ${engine} to Docker`);
}

export type Composed = {
  project: string;
  compose(...args: string[]): Promise<string>;
  containers(service: string): Promise<string[]>;
  down(): Promise<void>;
};

export async function composed(
  image: string,
  settings: Record<string, string>,
): Promise<Composed & { set(more: Record<string, string>): void }> {
  const [program, ...prefix] = await composeCommand();
  await copyToDocker(image);
  const project = `atelier-test-${randomUUID().slice(0, 8)}`;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DOCKER_HOST: process.env.DOCKER_HOST,
    HAPROXY_TAG: process.env.HAPROXY_TAG,
    ATELIER_IMAGE: image,
    ...settings,
  };
  const compose = async (...args: string[]) => {
    const { stdout } = await run(program, [...prefix, "--project-name", project, ...args], {
      cwd: ROOT,
      env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  };
  return {
    project,
    compose,
    set: (more) => void Object.assign(env, more),
    containers: async (service) => (await docker("ps", "--all", "--quiet", ...labels(project, service))).split("\n").filter(Boolean),
    async down() {
      await compose("--profile", "embedded", "--profile", "scaled", "--profile", "setup", "down", "--volumes", "--timeout", "10");
    },
  };
}

const labels = (project: string, service: string) => [
  `--filter=label=com.docker.compose.project=${project}`,
  `--filter=label=com.docker.compose.service=${service}`,
];

export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run("docker", args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}
