import { execFile, spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { ALLOCATOR_SETTINGS } from "../src/memory/allocator.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CONVEX_BIN = join(ROOT, "node_modules/convex/bin/main.js");
const MAIN = join(ROOT, "engine/src/main.ts");

export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `engine-${name}-`));

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

export function createProject(): string {
  const dir = temporaryFolder("project");
  cpSync(join(import.meta.dirname, "fixture"), dir, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  return dir;
}

export type Target = { url: string; adminKey: string };
export type CliResult = { code: number; stdout: string; stderr: string };

/** Hosts beyond loopback that the command line tried to reach; must stay empty. */
export const reached: string[] = [];

const proxy = createServer((request, response) => {
  reached.push(request.url ?? "");
  response.writeHead(502).end();
});
proxy.on("connect", (request, socket) => {
  reached.push(request.url ?? "");
  socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
});
const proxyAddress = new Promise<string>((resolve) => {
  proxy.listen(0, "127.0.0.1", () => {
    const address = proxy.address();
    resolve(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
  });
  proxy.unref();
});

async function cliEnvironment() {
  const address = await proxyAddress;
  return {
    PATH: process.env.PATH,
    HOME: tmpdir(),
    CI: "1",
    NO_COLOR: "1",
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

export async function convex(
  project: string,
  target: Target,
  args: string[],
  { input, env, timeoutMs = 60_000 }: { input?: string; env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<CliResult> {
  const environment = { ...(await cliEnvironment()), ...env };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CONVEX_BIN, ...args, "--url", target.url, "--admin-key", target.adminKey],
      { cwd: project, env: environment, timeout: timeoutMs },
      (error, stdout, stderr) => resolve({ code: error ? (typeof error.code === "number" ? error.code : -1) : 0, stdout, stderr }),
    );
    child.stdin?.end(input ?? "");
  });
}

export async function startConvex(project: string, target: Target, args: string[]): Promise<ChildProcess> {
  const env = await cliEnvironment();
  return spawn(process.execPath, [CONVEX_BIN, ...args, "--url", target.url, "--admin-key", target.adminKey], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export type EngineProcess = Target & {
  siteUrl: string;
  child: ChildProcess;
  readyMs: number;
  errors(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export function startEngine(
  dataDir: string,
  adminKey: string,
  ports: { port: number; sitePort: number } = { port: 0, sitePort: 0 },
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<EngineProcess> {
  const startedAt = Date.now();
  const child = spawn(
    process.execPath,
    [MAIN, "--data", dataDir, "--port", String(ports.port), "--site-port", String(ports.sitePort), "--admin-key", adminKey, ...args],
    {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, ...ALLOCATOR_SETTINGS, ...env },
    },
  );
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  return new Promise((ready, failed) => {
    child.on("message", (message) => {
      if (typeof message !== "object" || message === null || !("url" in message) || !("siteUrl" in message)) return;
      ready({
        url: String(message.url),
        siteUrl: String(message.siteUrl),
        adminKey,
        child,
        readyMs: Date.now() - startedAt,
        errors: () => errors,
        stop(signal = "SIGTERM") {
          child.kill(signal);
          return exited;
        },
      });
    });
    void exited.then((code) => failed(new Error(`The deployment ended with ${code}.\n${errors}`)));
  });
}

export const ADMIN_KEY = `test|${"5a".repeat(32)}`;

export type Issuer = {
  jwks: string;
  token(subject: string, options?: { expiresIn?: number; audience?: string; claims?: Record<string, unknown> }): Promise<string>;
};

export async function createIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" };
  return {
    jwks: `data:application/json;base64,${Buffer.from(JSON.stringify({ keys: [key] })).toString("base64")}`,
    token(subject, { expiresIn = 60, audience = "fixture", claims = {} } = {}) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", kid: "1", typ: "JWT" })
        .setIssuer("https://issuer.test")
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(now)
        .setExpirationTime(now + expiresIn)
        .sign(privateKey);
    },
  };
}
