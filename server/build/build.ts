import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildDashboard } from "@atelier/engine/dashboard";
import { startEmbedded } from "../deployment/embedded.ts";
import { log } from "../logging/log.ts";
import { ARTIFACT, push, readArtifact, setEnvironment } from "../deployment/push.ts";
import { bundleProcesses } from "./bundle-processes.ts";
import { precompress } from "./precompress.ts";
import { APP, ROOT, SERVER, sourcesHash } from "./stamp.ts";

const BUILD = join(ROOT, "build");
const NO_KEYS = 'data:application/json,{"keys":[]}';

const run = promisify(execFile);

async function build(): Promise<void> {
  const started = Date.now();
  log.level = "warn";
  if (process.argv[2] !== "server") await buildApp();
  await buildServer();
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

async function buildApp(): Promise<void> {
  const hash = await sourcesHash(APP);
  await rm(APP.stamp, { force: true });
  await tool("the app", "node_modules/@react-router/dev/bin.cjs", ["build"]);
  await bundleFunctions();
  await precompress(join(BUILD, "client"));
  await writeFile(APP.stamp, hash);
}

async function buildServer(): Promise<void> {
  const hash = await sourcesHash(SERVER);
  await rm(SERVER.stamp, { force: true });
  await Promise.all([bundleProcesses(), buildDashboard()]);
  await writeFile(SERVER.stamp, hash);
}

async function bundleFunctions(): Promise<void> {
  const path = join(BUILD, ARTIFACT);
  const key = `throw-away|${randomBytes(32).toString("hex")}`;
  await mkdir(join(path, ".."), { recursive: true });
  const target = ["--url", "http://127.0.0.1:1", "--admin-key", key];
  const record = [
    "--typecheck",
    "disable",
    "--codegen",
    "disable",
    "--push-all-modules",
    "--write-push-request",
    path.replace(/\.json$/, ""),
  ];
  await tool("convex/", "node_modules/convex/bin/main.js", ["deploy", ...target, ...record]);
  const { adminKey: _key, ...artifact } = readArtifact(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify(artifact));

  const dir = await mkdtemp(join(tmpdir(), "atelier-build-"));
  const deployment = await startEmbedded({ dir, port: 0, sitePort: 0, adminKey: key, log });
  try {
    const temporaryDeployment = { url: deployment.url, adminKey: key };
    await setEnvironment(temporaryDeployment, { AUTH_JWKS: NO_KEYS });
    await push(temporaryDeployment, readArtifact(await readFile(path, "utf8")));
  } finally {
    await deployment.close();
    await rm(dir, { recursive: true });
  }
}

async function tool(what: string, script: string, args: string[]): Promise<void> {
  const env = { ...process.env, NODE_ENV: "production", ATELIER_BUILD: "production", CI: "1" };
  try {
    await run(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error && "stderr" in error)) throw error;
    throw new Error(`Building ${what} failed:\n${String(error.stdout)}\n${String(error.stderr)}`, { cause: error });
  }
}

try {
  await build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
