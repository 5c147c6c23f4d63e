import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from "jose";
import * as z from "zod";
import { startEmbedded } from "../../server/deployment/embedded.ts";
import { log } from "../../server/logging/log.ts";
import { setEnvironment } from "../../server/deployment/push.ts";
import { FOLDER } from "./temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/atelier-convex");
const CLI = join(ROOT, "node_modules/convex/bin/main.js");
const ADMIN_KEY = `tests|${"7e57".repeat(16)}`;
const APP_FUNCTIONS = "convex";
const ISSUER = "https://atelier.invalid";
const STALE_LOCK = 120_000;

const run = promisify(execFile);
const quiet = log.child({}, { level: "silent" });

export type TestDeployment = {
  dir: string;
  url: string;
  adminKey: string;
  signingKey: z.infer<typeof keySchema>;
  pid(): number | null;
  token(claims: JWTPayload & { aud: string }): Promise<string>;
  crash(): Promise<void>;
  close(): Promise<void>;
};

/** Starts an embedded deployment from a cached push. `functions`: a folder, relative to the repository, that may import the app's. */
export async function startTestDeployment(functions = APP_FUNCTIONS): Promise<TestDeployment> {
  const template = await pushedData(functions);
  const dir = await mkdtemp(join(process.env[FOLDER] ?? tmpdir(), "atelier-convex-"));
  cpSync(join(template, "data"), dir, { recursive: true });
  const signingKey = await readKey(template);
  const privateKey = await importJWK(signingKey, "ES256");
  const deployment = await startEmbedded({ dir, port: 0, sitePort: 0, adminKey: ADMIN_KEY, log: quiet });
  return {
    dir,
    url: deployment.url,
    adminKey: ADMIN_KEY,
    signingKey,
    token: (claims) =>
      new SignJWT({ iss: ISSUER, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: signingKey.kid })
        .setIssuedAt()
        .setExpirationTime("15 minutes")
        .sign(privateKey),
    pid: () => deployment.pid(),
    async crash() {
      const before = deployment.pid();
      if (before === null) return;
      process.kill(before, "SIGKILL");
      await until(async () => deployment.pid() !== before && deployment.pid() !== null && (await answers(deployment.url)));
    },
    async close() {
      await deployment.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function pushedData(functions: string): Promise<string> {
  const folder = join(CACHE, sourcesHash(functions));
  const lock = `${folder}.lock`;
  await mkdir(CACHE, { recursive: true });
  while (!(await exists(folder))) {
    if (!(await lockedBy(lock))) {
      await until(async () => (await exists(folder)) || !(await exists(lock)));
      continue;
    }
    try {
      if (!(await exists(folder))) await makePushed(folder, functions);
    } finally {
      await rmdir(lock);
    }
  }
  return folder;
}

async function makePushed(folder: string, functions: string): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "tests", alg: "ES256", use: "sig" };
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, "key.json"), JSON.stringify({ ...(await exportJWK(privateKey)), kid: "tests" }));
  const project = await copyProject();
  const deployment = await startEmbedded({ dir: join(draft, "data"), port: 0, sitePort: 0, adminKey: ADMIN_KEY, log: quiet });
  try {
    const jwks = `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [jwk] }))}`;
    await setEnvironment({ url: deployment.url, adminKey: ADMIN_KEY }, { AUTH_JWKS: jwks });
    await cp(join(ROOT, "tests/convex/probe.ts"), join(project, "convex/probe.ts"));
    if (functions !== APP_FUNCTIONS) await cp(join(ROOT, functions), join(project, functions), { recursive: true });
    await writeFile(join(project, "convex.json"), JSON.stringify({ functions: `${functions}/` }));
    await commandLine(project, deployment.url, ["deploy", "--codegen", "disable", "--yes"]);
  } finally {
    await deployment.close();
    await rm(project, { recursive: true });
  }
  await deleteOldPushes();
  await rename(draft, folder);
}

export async function copyProject(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "atelier-push-"));
  await cp(join(ROOT, "convex"), join(project, "convex"), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  await cp(join(ROOT, "tsconfig.json"), join(project, "tsconfig.json"));
  await cp(join(ROOT, "package.json"), join(project, "package.json"));
  await symlink(join(ROOT, "node_modules"), join(project, "node_modules"));
  return project;
}

export async function commandLine(project: string, url: string, command: string[]): Promise<void> {
  const flags = ["--url", url, "--admin-key", ADMIN_KEY, "--typecheck", "disable"];
  await run(process.execPath, [CLI, ...command, ...flags], { cwd: project, env: { PATH: process.env["PATH"], CI: "1" } });
}

function sourcesHash(functions: string): string {
  const hash = createHash("sha256").update(functions);
  const folders = new Set(["convex", "engine/src", "tests/convex", functions]);
  const paths = [...folders].flatMap((folder) => sourcesIn(join(ROOT, folder)));
  for (const path of [...paths.toSorted(), join(ROOT, "package-lock.json")]) {
    hash.update(`${relative(ROOT, path)}\0`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 32);
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name) && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

const keySchema = z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string(), d: z.string(), kid: z.string() });

const readKey = async (template: string) => keySchema.parse(JSON.parse(await readFile(join(template, "key.json"), "utf8")));

async function lockedBy(lock: string): Promise<boolean> {
  const held = await stat(lock).catch(() => null);
  if (held && Date.now() - held.mtimeMs > STALE_LOCK) await rmdir(lock).catch(() => undefined);
  return mkdir(lock).then(
    () => true,
    () => false,
  );
}

async function deleteOldPushes(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > 24 * 60 * 60 * 1000) await rm(path, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/version`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + STALE_LOCK;
  while (!(await condition())) {
    if (Date.now() > late) throw new Error("It did not come about in time");
    await sleep(20);
  }
}
