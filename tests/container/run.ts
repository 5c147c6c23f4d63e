/** `npm run test:container`: runs the Dockerfile's commands without a container engine, then the suite. Only DATA_DIR is writable. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../harness/app.ts";
import { readDockerfile, type Stage } from "./dockerfile.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NOBODY = 65_534;
const SUITE = ["tests/e2e", "tests/api"];
const chosen = process.argv.slice(2);

async function build(stages: Stage[], place: string): Promise<{ root: string; env: Record<string, string>; command: string[] }> {
  const roots = new Map<string, string>();
  const ignored = (await readFile(join(ROOT, ".dockerignore"), "utf8")).split("\n").filter(Boolean);
  let result = { root: "", env: {}, command: [""] };
  for (const [index, { name, instructions }] of stages.entries()) {
    const root = join(place, name || "final");
    roots.set(name || String(index), root);
    result = { root, env: {}, command: [""] };
    let workdir = root;
    for (const { name: instruction, value } of instructions) {
      if (instruction === "WORKDIR") await mkdir((workdir = join(root, value)), { recursive: true });
      else if (instruction === "COPY") await copy(value, workdir, roots, ignored);
      else if (instruction === "RUN") await shell(value, workdir);
      else if (instruction === "ENV") result.env = Object.fromEntries(value.split(" ").map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
      else if (instruction === "CMD") result.command = JSON.parse(value);
    }
  }
  return result;
}

async function copy(value: string, workdir: string, roots: Map<string, string>, ignored: string[]): Promise<void> {
  const parts = value.split(/\s+/);
  const from = parts[0]?.startsWith("--from=") ? roots.get(parts.shift()?.slice("--from=".length) ?? "") : undefined;
  const target = parts.pop() ?? ".";
  for (const source of parts) {
    const path = join(from ?? ROOT, source);
    const folder = (await lstat(path)).isDirectory();
    const to = target.endsWith("/") ? join(workdir, target, basename(source)) : join(workdir, target);
    const into = !folder && target === "./" ? join(workdir, basename(source)) : to;
    await mkdir(dirname(into), { recursive: true });
    const skip = (each: string) => from === undefined && ignored.some((pattern) => matchesGlob(each.slice(ROOT.length), pattern));
    if (!folder || path !== join(ROOT, "."))
      await cp(path, into, { recursive: true, filter: (each) => !skip(each), verbatimSymlinks: true });
    else
      for (const each of await readdir(ROOT))
        if (!skip(join(ROOT, each))) await cp(join(ROOT, each), join(workdir, each), { recursive: true, verbatimSymlinks: true });
  }
}

/** Runs a RUN command with the image's npm. Its changes outside the app's folder belong to the image. */
async function shell(command: string, cwd: string): Promise<void> {
  if (command.startsWith("mkdir /data")) return;
  console.log(`$ ${command}`);
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CI: "1",
    npm_config_prefer_offline: "true",
    npm_config_cache: process.env.npm_config_cache,
  };
  const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
}

async function readOnly(path: string): Promise<void> {
  const info = await lstat(path);
  if (info.isSymbolicLink()) return;
  if (info.isDirectory()) for (const each of await readdir(path)) await readOnly(join(path, each));
  await chmod(path, info.isDirectory() || info.mode & 0o100 ? 0o555 : 0o444);
}

async function healthy(value: string, env: Record<string, string>): Promise<void> {
  const [, ...args]: string[] = JSON.parse(/CMD (\[.*\])$/s.exec(value)?.[1] ?? "[]");
  const child = spawn(process.execPath, args, { env, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (args.length === 0 || code !== 0) throw new Error(`The health check ended with ${String(code)}`);
}

async function playwright(specs: string[], env: Record<string, string>): Promise<number | null> {
  const child = spawn("playwright", ["test", ...specs], { cwd: ROOT, env: { ...process.env, ...env }, stdio: "inherit" });
  const [code]: (number | null)[] = await once(child, "exit");
  return code ?? null;
}

const place = await mkdtemp(join(tmpdir(), "atelier-container-"));
let failed = true;
try {
  await chmod(place, 0o755);
  const stages = await readDockerfile();
  const { root, env, command } = await build(stages, place);
  const data = join(place, "data");
  await mkdir(data);
  await readOnly(root);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) await chown(data, NOBODY, NOBODY);
  const port = await freePort();
  const [, ...args] = command;
  const server = spawn(process.execPath, args, {
    cwd: join(root, "app"),
    env: {
      PATH: "/usr/bin:/bin",
      ...env,
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: data,
      ENGINE_PORT: "0",
      ENGINE_SITE_PORT: "0",
      ACCOUNTS_RATE_LIMIT: "false",
    },
    stdio: ["ignore", "inherit", "inherit"],
    ...user,
  });
  const ended = once(server, "exit");
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 3000; tries++) {
    if (server.exitCode !== null) throw new Error("It did not start.");
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const { name, value } of stages.at(-1)?.instructions ?? [])
    if (name === "HEALTHCHECK") await healthy(value, { ...env, PORT: String(port) });
  const core = await playwright(["tests/container/core.spec.ts"], { CONTAINER_URL: url });
  server.kill("SIGTERM");
  const [how] = await ended;
  if (how !== 0) throw new Error(`Told to stop, it ended with ${String(how)}`);
  failed = core !== 0 || (await playwright(chosen.length > 0 ? chosen : SUITE, { TEST_CONTAINER: join(root, "app") })) !== 0;
} finally {
  await rm(place, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
