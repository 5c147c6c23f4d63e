import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createAuthenticator } from "./auth/authenticate.ts";
import { loadAdminKey } from "./auth/key-file.ts";
import { removeAddress, storeAddress } from "./backup/address.ts";
import { backupRoutes } from "./backup/routes.ts";
import { createLogStream } from "./deploy/log-stream.ts";
import { metricsRoutes } from "./deploy/metrics.ts";
import { deployRoutes } from "./deploy/routes.ts";
import { createSystemMutations } from "./deploy/system-mutations.ts";
import { createSystemQueries } from "./deploy/system-queries.ts";
import { nameIn } from "./functions/paths.ts";
import { startRunner } from "./functions/runner.ts";
import type { FileBucketSettings } from "./functions/files/bucket/bucket-settings.ts";
import type { NodeSettings } from "./functions/node/node-process.ts";
import { emptyQuarantine } from "./functions/files/stray-files.ts";
import { clientAddressFrom, type ClientAddress } from "./http/client-address.ts";
import { blockText, watchEventLoop } from "./event-loop.ts";
import { callRoutes } from "./http/calls.ts";
import { corsHeaders, preflight } from "./http/cors.ts";
import { dashboardRoutes } from "./http/dashboard.ts";
import { RequestError } from "./http/errors.ts";
import { ACTION_BODY, readBody } from "./http/body.ts";
import { runHttpAction } from "./http/http-actions.ts";
import { closeGracefully } from "./http/closing.ts";
import { createListener, listen } from "./http/listener.ts";
import { empty, type Reply } from "./http/reply.ts";
import { markAuthenticated } from "./http/request-memory.ts";
import { createQueryCache } from "./http/query-cache.ts";
import { createRouter } from "./http/router.ts";
import { storageRoutes } from "./http/storage.ts";
import { MemoryBudget, memoryLimits } from "./memory/budget.ts";
import { createExports } from "./snapshots/exports.ts";
import { createImports } from "./snapshots/imports.ts";
import { snapshotRoutes } from "./snapshots/routes.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { createFolder } from "./storage/folders.ts";
import { storeLastCommit } from "./storage/last-commit.ts";
import { NO_SIMULATION, type Simulation } from "./simulation/options.ts";
import { createSharedQueries } from "./sync/shared-queries.ts";
import { createSockets } from "./sync/sockets.ts";

export type DeploymentOptions = {
  dataDir: string;
  acceptLossUntil?: number | null | undefined;
  fileBucket?: FileBucketSettings | null | undefined;
  host?: string;
  /** 0 takes any free port. */
  port: number;
  /** Port of HTTP actions; default: any free port. */
  sitePort?: number | undefined;
  /** `name|hex`; default: the key in `dataDir`. */
  adminKey?: string | undefined;
  url?: string | undefined;
  siteUrl?: string | undefined;
  /** Memory per connection before authentication; default: one message of Convex's maximum size. */
  anonymousBytes?: number | undefined;
  /** The trusted proxy's header with the client's address; default: the connection's address. */
  clientAddressHeader?: string | undefined;
  allowedOrigins?: string[] | undefined;
  /** Default: true. A copy for a test of a backup must not change its data. */
  scheduledFunctions?: boolean;
  /** What Node.js actions may use. Default: packages in `node_modules` of the working directory, without native code. */
  nodeSettings?: NodeSettings | undefined;
  /** Serves the dashboard at `/dashboard`. Default: false. */
  dashboard?: boolean | undefined;
  simulation?: Simulation | undefined;
  report?: ((error: unknown) => void) | undefined;
  /** Called when the data is unusable. Exit the process then, so that its supervisor restarts it. */
  onFailure?: ((error: Error) => void) | undefined;
};

const MAX_REQUESTS = 5_000;
const GRACE_MS = 3_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const CLOSING = { lastCallMs: 200 };

export type Deployment = {
  url: string;
  siteUrl: string;
  adminKey: string;
  silentMs(): number;
  close(): Promise<void>;
};

/** Starts a deployment in this process. @throws {Error} when a port is taken (`code` EADDRINUSE) or the folder is in use */
export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { dataDir, host = "127.0.0.1", report = (error: unknown) => console.error(error) } = options;
  createFolder(dataDir, 0o700);
  const adminKey = options.adminKey ?? (await loadAdminKey(dataDir));

  // Listens first, because the code needs its addresses; early requests wait.
  const memory = new MemoryBudget(memoryLimits(options.anonymousBytes));
  const clientAddress = clientAddressFrom(options.clientAddressHeader);
  const { simulation = NO_SIMULATION } = options;
  const { latencyMs } = simulation;
  const opening = Promise.withResolvers<Awaited<ReturnType<typeof open>>>();
  opening.promise.catch(() => undefined);
  const api = createListener({
    handle: async (request) => (await opening.promise).api(request),
    headers: (request) => (isHttpAction(request) ? {} : corsHeaders(request)),
    memory,
    clientAddress,
    latencyMs,
    report,
  });
  const site = createListener({
    handle: async (request) => (await opening.promise).site(request),
    headers: () => ({}),
    memory,
    clientAddress,
    latencyMs,
    report,
  });
  const [closeApi, closeSite] = [closeGracefully(api, CLOSING), closeGracefully(site, CLOSING)];
  api.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    void opening.promise.then(
      async ({ sockets }) => {
        if (latencyMs > 0) await sleep(latencyMs);
        sockets.upgrade(request, socket, head);
      },
      () => socket.destroy(),
    );
  });

  try {
    const listening = addressOf(host, await listen(api, options.port, host));
    const url = options.url ?? listening;
    const siteListening = addressOf(host, await listen(site, options.sitePort ?? 0, host));
    const siteUrl = options.siteUrl ?? siteListening;
    const opened = await open({
      dataDir,
      acceptLossUntil: options.acceptLossUntil ?? null,
      fileBucket: options.fileBucket ?? null,
      adminKey,
      urls: { url, siteUrl },
      allowedOrigins: options.allowedOrigins ?? null,
      scheduledFunctions: options.scheduledFunctions ?? true,
      memory,
      clientAddress,
      nodeSettings: options.nodeSettings,
      dashboard: options.dashboard ?? false,
      simulation,
      report,
      onFailure: options.onFailure,
    });
    opening.resolve(opened);
    await storeAddress(dataDir, listening);
    return {
      url,
      siteUrl,
      adminKey,
      silentMs: () => opened.silentMs(),
      async close() {
        opened.wakePolls();
        await Promise.all([opened.sockets.close(), closeApi(GRACE_MS), closeSite(GRACE_MS)]);
        await opened.close();
        await removeAddress(dataDir);
      },
    };
  } catch (error) {
    opening.reject(error);
    await Promise.all([closeApi(0), closeSite(0)]);
    throw error;
  }
}

type OpenOptions = {
  dataDir: string;
  acceptLossUntil: number | null;
  fileBucket: FileBucketSettings | null;
  adminKey: string;
  urls: { url: string; siteUrl: string };
  allowedOrigins: string[] | null;
  scheduledFunctions: boolean;
  memory: MemoryBudget;
  clientAddress: ClientAddress;
  nodeSettings: NodeSettings | undefined;
  dashboard: boolean;
  simulation: Simulation;
  report: (error: unknown) => void;
  onFailure: DeploymentOptions["onFailure"];
};

async function open(options: OpenOptions) {
  const { dataDir, acceptLossUntil, fileBucket, adminKey, urls, allowedOrigins, memory, clientAddress, simulation, report, onFailure } =
    options;
  const { latencyMs, redactErrors } = simulation;
  const runner = await startRunner({
    dir: dataDir,
    acceptLossUntil,
    fileBucket,
    cloudUrl: urls.url,
    siteUrl: urls.siteUrl,
    nodeSettings: options.nodeSettings,
    simulation,
    onFailure,
  });
  const endLastCommit = storeLastCommit(dataDir, () => runner.latest(), report);
  const quarantine = setInterval(() => void emptyQuarantine(dataDir).catch(report), DAY_MS).unref();
  const scheduler = options.scheduledFunctions ? await startScheduler(runner, Date.now, simulation.concurrentScheduled ?? undefined) : null;
  const authenticator = createAuthenticator(adminKey, report);
  authenticator.configure((await runner.current())?.analysis.authProviders ?? []);
  const logs = createLogStream(runner);
  runner.onLog(({ path, component, identity, logLines }) => {
    if (identity !== "none") return;
    for (const line of logLines) if (line.startsWith("[ERROR]")) console.error(`${nameIn(component, path)}: ${line}`);
  });
  const transfer = { dir: dataDir, fileBucket, runner, report, onChange: () => queries.refreshSystem() };
  const [exports, imports] = await Promise.all([createExports(transfer), createImports(transfer)]);
  const system = { query: createSystemQueries({ runner, urls, exports, imports }), mutation: createSystemMutations(runner) };
  const queries = createSharedQueries({ runner, system: system.query, redactErrors, report });
  const sockets = createSockets({
    runner,
    queries,
    authenticator,
    allowedOrigins,
    memory,
    clientAddress,
    latencyMs,
    redactErrors,
    report,
  });

  const cache = createQueryCache(runner);
  const ranPaths = new Set<string>();
  runner.onLog(({ path, component, found }) => void (found && ranPaths.add(nameIn(component, path))));
  const loop = watchEventLoop(
    (block) => console.error(blockText(block)),
    () => {
      const ran = [...ranPaths];
      ranPaths.clear();
      return ran;
    },
  );

  const [instanceName = ""] = adminKey.split("|");
  const routes = createRouter({
    "GET /": () => text("This Convex deployment is running.\n"),
    "GET /version": () => text("unknown"),
    "GET /instance_name": () => text(instanceName),
    // `convex network-test` checks that its data comes back unchanged.
    "POST /echo": async ({ request }) => ({ status: 200, headers: OCTETS, body: await readBody(request, ACTION_BODY) }),
    "POST /api/debug_event": () => empty(200),
    ...callRoutes(runner, (request) => authenticator.fromHeader(request.headers.authorization), system, cache, redactErrors),
    ...storageRoutes(runner.files),
    ...backupRoutes(runner, authenticator),
    ...snapshotRoutes({ exports, imports, authenticator }),
    ...deployRoutes({ runner, authenticator, logs, urls }),
    ...(options.dashboard && dashboardRoutes()),
    ...metricsRoutes({
      runner,
      authenticator,
      sockets: () => sockets.size,
      watchedQueries: () => queries.watched,
      sizes: () => ({ cached_answers: cache.size, verified_tokens: authenticator.verifiedCount }),
      loop,
    }),
  });

  const action = async (request: IncomingMessage, path: string): Promise<Reply> => {
    // The header may belong to the action itself.
    const identity = await authenticator.fromHeader(request.headers.authorization).catch(() => ({ kind: "none" }) as const);
    return runHttpAction(runner, request, { path, origin: urls.siteUrl, identity });
  };

  let inFlight = 0;
  const bounded = async (request: IncomingMessage, answer: () => Promise<Reply>): Promise<Reply> => {
    if (inFlight >= MAX_REQUESTS)
      throw new RequestError(503, "TooManyConcurrentRequests", "Too many requests are waiting. Try again later.");
    inFlight += 1;
    try {
      if (await isAuthenticated(request)) markAuthenticated(request);
      return await answer();
    } finally {
      inFlight -= 1;
    }
  };
  const isAuthenticated = async ({ headers }: IncomingMessage): Promise<boolean> =>
    headers.authorization !== undefined &&
    authenticator.fromHeader(headers.authorization).then(
      () => true,
      () => false,
    );
  const answer = (request: IncomingMessage): Promise<Reply> => {
    if (isHttpAction(request)) return action(request, (request.url ?? "").slice("/http".length));
    if (request.method === "OPTIONS") return Promise.resolve(preflight(request));
    return routes(request);
  };

  return {
    sockets,
    silentMs: () => runner.silentMs(),
    api: (request: IncomingMessage): Promise<Reply> => bounded(request, () => answer(request)),
    site: (request: IncomingMessage): Promise<Reply> => bounded(request, () => action(request, request.url ?? "/")),
    wakePolls: () => logs.close(),
    async close() {
      queries.close();
      await scheduler?.stop();
      await Promise.all([exports.close(), imports.close()]);
      await runner.close();
      clearInterval(quarantine);
      endLastCommit();
      loop.stop();
    },
  };
}

const isHttpAction = (request: IncomingMessage) => request.url?.startsWith("/http/") ?? false;
const addressOf = (host: string, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
const OCTETS = { "Content-Type": "application/octet-stream" };
const text = (body: string): Reply => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body });
