/**
 * A deployment: its data and code (`functions/`), its clock (`scheduler/`), and its two ports, put together.
 */
import type { IncomingMessage } from "node:http";
import { mkdir } from "node:fs/promises";
import type { Duplex } from "node:stream";
import { createAuthenticator } from "./auth/authenticate.ts";
import { keptAdminKey } from "./auth/key-file.ts";
import { dropAddress, keepAddress } from "./backup/address.ts";
import { backupRoutes } from "./backup/routes.ts";
import { createLogStream } from "./deploy/log-stream.ts";
import { metricsRoutes } from "./deploy/metrics.ts";
import { deployRoutes } from "./deploy/routes.ts";
import { createSystemQueries } from "./deploy/system-queries.ts";
import { startRunner } from "./functions/runner.ts";
import { callRoutes } from "./http/calls.ts";
import { corsHeaders, preflight } from "./http/cors.ts";
import { RequestError } from "./http/errors.ts";
import { ACTION_BODY, readBody } from "./http/body.ts";
import { runHttpAction } from "./http/http-actions.ts";
import { closing } from "./http/closing.ts";
import { createListener, listen } from "./http/listener.ts";
import { empty, type Reply } from "./http/reply.ts";
import { createRouter } from "./http/router.ts";
import { storageRoutes } from "./http/storage.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { createSharedQueries } from "./sync/shared-queries.ts";
import { createSockets } from "./sync/sockets.ts";

export type DeploymentOptions = {
  /** Made if it is missing. A second process on the same folder is refused. */
  dataDir: string;
  host?: string;
  /** 0 for any free one. */
  port: number;
  /** Of HTTP actions. 0 for any free one. */
  sitePort: number;
  /** `name|hex`; without one, the key kept in `dataDir`. */
  adminKey?: string | undefined;
  /** What functions and clients are told, where it is not the address listened on. */
  url?: string | undefined;
  siteUrl?: string | undefined;
  /** Browser origins that may open a websocket; any, when left out. */
  allowedOrigins?: string[] | undefined;
  /** Where what went wrong inside is told; strangers are told nothing of it. */
  report?: ((error: unknown) => void) | undefined;
  /** The data cannot be used any more, and nothing will be answered: time to end the process, which its supervisor starts anew. */
  onFailure?: ((error: Error) => void) | undefined;
};

/** Requests that may wait for an answer at a time, over HTTP. */
const MAX_REQUESTS = 5_000;
/** How long requests in flight may take to end once the deployment is told to stop. */
const GRACE_MS = 3_000;
/** Clients are near, as a rule on this machine: what they have sent arrives in less than this. */
const CLOSING = { lastCallMs: 200 };

export type Deployment = { url: string; siteUrl: string; adminKey: string; close(): Promise<void> };

/** @throws {Error} when a port is taken (`code` EADDRINUSE) or the folder is in use */
export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { dataDir, host = "127.0.0.1", report = (error: unknown) => console.error(error) } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const adminKey = options.adminKey ?? (await keptAdminKey(dataDir));

  // The ports come first, since the code is told its own addresses; what arrives meanwhile waits.
  const opening = Promise.withResolvers<Awaited<ReturnType<typeof open>>>();
  opening.promise.catch(() => undefined);
  const api = createListener({
    handle: async (request) => (await opening.promise).api(request),
    headers: (request) => (isHttpAction(request) ? {} : corsHeaders(request)),
    report,
  });
  const site = createListener({ handle: async (request) => (await opening.promise).site(request), headers: () => ({}), report });
  const [closeApi, closeSite] = [closing(api, CLOSING), closing(site, CLOSING)];
  api.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    void opening.promise.then(
      ({ sockets }) => sockets.upgrade(request, socket, head),
      () => socket.destroy(),
    );
  });

  try {
    const url = options.url ?? addressOf(host, await listen(api, options.port, host));
    const siteUrl = options.siteUrl ?? addressOf(host, await listen(site, options.sitePort, host));
    const opened = await open({
      dataDir,
      adminKey,
      urls: { url, siteUrl },
      allowedOrigins: options.allowedOrigins ?? null,
      report,
      onFailure: options.onFailure,
    });
    opening.resolve(opened);
    await keepAddress(dataDir, url);
    return {
      url,
      siteUrl,
      adminKey,
      async close() {
        opened.wakePolls();
        await Promise.all([opened.sockets.close(), closeApi(GRACE_MS), closeSite(GRACE_MS)]);
        await opened.close();
        await dropAddress(dataDir);
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
  adminKey: string;
  urls: { url: string; siteUrl: string };
  allowedOrigins: string[] | null;
  report: (error: unknown) => void;
  onFailure: DeploymentOptions["onFailure"];
};

async function open({ dataDir, adminKey, urls, allowedOrigins, report, onFailure }: OpenOptions) {
  const runner = await startRunner({ dir: dataDir, cloudUrl: urls.url, siteUrl: urls.siteUrl, onFailure });
  const scheduler = await startScheduler(runner);
  const authenticator = createAuthenticator(adminKey);
  authenticator.configure((await runner.current())?.analysis.authProviders ?? []);
  const logs = createLogStream(runner);
  const system = createSystemQueries(runner, urls);
  const queries = createSharedQueries({ runner, system, report });
  const sockets = createSockets({ runner, queries, authenticator, allowedOrigins, report });

  const [instanceName = ""] = adminKey.split("|");
  const routes = createRouter({
    "GET /": () => text("This Convex deployment is running.\n"),
    "GET /version": () => text("unknown"),
    "GET /instance_name": () => text(instanceName),
    // `convex network-test` looks whether what it sends comes back whole.
    "POST /echo": async ({ request }) => ({ status: 200, headers: OCTETS, body: await readBody(request, ACTION_BODY) }),
    // Clients report a long disconnect here; there is nobody to pass it on to.
    "POST /api/debug_event": () => empty(200),
    ...callRoutes(runner, (request) => authenticator.fromHeader(request.headers.authorization), system),
    ...storageRoutes(runner.files),
    ...backupRoutes(runner, authenticator),
    ...deployRoutes({ runner, authenticator, logs, urls }),
    ...metricsRoutes({ runner, authenticator, sockets: () => sockets.size, watchedQueries: () => queries.watched }),
  });

  const action = async (request: IncomingMessage, path: string): Promise<Reply> => {
    // The header may be the action's own business: what is no identity of ours is none.
    const identity = await authenticator.fromHeader(request.headers.authorization).catch(() => ({ kind: "none" }) as const);
    return runHttpAction(runner, request, { path, origin: urls.siteUrl, identity });
  };

  let inFlight = 0;
  const bounded = async (answer: () => Promise<Reply>): Promise<Reply> => {
    if (inFlight >= MAX_REQUESTS)
      throw new RequestError(503, "TooManyConcurrentRequests", "Too many requests are waiting. Try again later.");
    inFlight += 1;
    try {
      return await answer();
    } finally {
      inFlight -= 1;
    }
  };
  const answer = (request: IncomingMessage): Promise<Reply> => {
    if (isHttpAction(request)) return action(request, (request.url ?? "").slice("/http".length));
    if (request.method === "OPTIONS") return Promise.resolve(preflight(request));
    return routes(request);
  };

  return {
    sockets,
    api: (request: IncomingMessage): Promise<Reply> => bounded(() => answer(request)),
    site: (request: IncomingMessage): Promise<Reply> => bounded(() => action(request, request.url ?? "/")),
    /** Long polls end now rather than when their time is over. */
    wakePolls: () => logs.close(),
    async close() {
      queries.close();
      await scheduler.stop();
      await runner.close();
    },
  };
}

const isHttpAction = (request: IncomingMessage) => request.url?.startsWith("/http/") ?? false;
const addressOf = (host: string, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
const OCTETS = { "Content-Type": "application/octet-stream" };
const text = (body: string): Reply => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body });
