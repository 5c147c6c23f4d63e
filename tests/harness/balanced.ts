import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEngine } from "@atelier/engine/testing/harness";
import { BUILD, loadBuild } from "../../server/built.ts";
import { startEmbedded } from "../../server/deployment/embedded.ts";
import { log } from "../../server/logging/log.ts";
import { ARTIFACT, pushIfChanged } from "../../server/deployment/push.ts";
import { makeSecrets } from "../../server/deployment/secrets.ts";
import { freePort, type RunningApp, startApp } from "./app.ts";
import { startBalancer } from "./proxies/balancer.ts";

const REMOTE = process.env.TEST_REMOTE === "1";
export const BALANCED = REMOTE || process.env.TEST_BALANCED === "1";

export type PreparedDeployment = { url: string; settings: Record<string, string>; secrets: string; close(): Promise<void> };

export type BalancedApp = RunningApp & { servers: RunningApp[]; served(): number[] };

export async function startPrepared(flags: string[] = REMOTE ? ["--hosted"] : []): Promise<PreparedDeployment> {
  log.level = "warn";
  const dir = await mkdtemp(join(tmpdir(), "atelier-balanced-"));
  const adminKey = `balanced|${randomBytes(32).toString("hex")}`;
  const deployment =
    flags.length > 0 ? await startSimulated(dir, adminKey, flags) : await startEmbedded({ dir, port: 0, sitePort: 0, adminKey, log });
  const { secret, signingKey } = await makeSecrets();
  const { jwksUri } = await loadBuild();
  await pushIfChanged(
    { url: deployment.url, adminKey },
    await readFile(join(BUILD, ARTIFACT), "utf8"),
    { AUTH_JWKS: jwksUri(signingKey) },
    dir,
    log,
  );
  return {
    url: deployment.url,
    settings: { CONVEX_URL: deployment.url, BETTER_AUTH_SECRET: secret, TOKEN_SIGNING_KEY: JSON.stringify(signingKey) },
    secrets: JSON.stringify({ secret, signingKey, engineAdminKey: adminKey }),
    async close() {
      await deployment.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export async function startBalanced(): Promise<BalancedApp> {
  const deployment = await startPrepared();
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const settings = { ...deployment.settings, APP_URL: url, TRUSTED_PROXY_HOPS: "1" };
  const [first, second] = await Promise.all([startApp(settings), startApp(settings)]);
  const servers = [first, second];
  await writeFile(join(first.dataDir, "secrets.json"), deployment.secrets);
  const balancer = await startBalancer(port, () => servers.map((server) => server.port));
  const all = (what: (server: RunningApp) => Promise<unknown>) => Promise.all(servers.map(what));
  return {
    url,
    port,
    servers,
    served: balancer.served,
    deployment: { url: deployment.url, forBrowsers: deployment.url },
    dataDir: first.dataDir,
    pid: first.pid,
    output: () => servers.map((server) => server.output()).join("\n"),
    kill: async () => void (await all((server) => server.kill())),
    stop: async () => Math.max(...(await Promise.all(servers.map(async (server) => (await server.stop()) ?? 1)))),
    start: async (main) => void (await all((server) => server.start(main))),
    async dispose() {
      await balancer.close();
      await all((server) => server.dispose());
      await deployment.close();
    },
  };
}

async function startSimulated(dir: string, adminKey: string, flags: string[]) {
  const engine = await startEngine(dir, adminKey, undefined, flags);
  return { url: engine.url, close: () => engine.stop() };
}
