import { availableParallelism } from "node:os";
import { redactOutcome } from "../../auth/redact-outcome.ts";
import type { Identity } from "../../values/types.ts";
import type { ActionsHost } from "./action-syscalls.ts";
import type { HttpResponse, OwnChecks } from "./actions-protocol.ts";
import { ActionsPool, type PoolLimits } from "./actions-pool.ts";
import { startActionsThread } from "./actions-runtime.ts";
import { hasIds } from "../checked-values.ts";
import { argumentsText } from "../call.ts";
import { limitedStream, MAX_HTTP_BODY_BYTES } from "./body-limit.ts";
import { outcomeOf } from "../outcomes.ts";
import { APP, parseFunctionPath, qualifiedPath, shownPath, type ComponentPath } from "../paths.ts";
import type { LoadedCode, WireOutcome, WireRun } from "../transactor/transactor-protocol.ts";
import { startNodeRuntime } from "../node/node-runtime.ts";
import { newRequestId } from "../request-id.ts";
import type { Analysis, AnalyzedFunction, Call, Outcome } from "../types.ts";

/** Each thread and each called function copies the arguments, so unauthenticated calls with larger ones run one at a time. */
const LARGE_ARGUMENT_BYTES = 1024 * 1024;

export class Actions {
  readonly #host: ActionsHost;
  #code: LoadedCode | null = null;
  #pools: Pools | null = null;
  #ownChecks: ReadonlyMap<string, OwnChecks> = new Map();
  readonly #retiring = new Set<Pools>();
  #turn: Promise<void> = Promise.resolve();

  constructor(host: ActionsHost) {
    this.#host = host;
  }

  replaceCode(code: LoadedCode | null, env: Record<string, string>): void {
    this.#code = code;
    this.#ownChecks = new Map(code ? allOwnChecks(code.analysis) : []);
    const old = this.#pools;
    this.#pools = code && startPools(this.#host, code, env);
    if (!old) return;
    this.#retiring.add(old);
    void Promise.all([old.isolate.retire(), old.node.retire()]).finally(() => this.#retiring.delete(old));
  }

  async run(call: Call, jobId: string | null = null): Promise<Outcome> {
    const args = argumentsText(call);
    const isCopiedByStranger = args.length >= LARGE_ARGUMENT_BYTES && call.identity.kind === "none" && jobId === null;
    return isCopiedByStranger ? this.#inTurn(() => this.#run(call, args, jobId)) : this.#run(call, args, jobId);
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      return await run();
    } finally {
      resolve();
    }
  }

  async #run(call: Call, args: string, jobId: string | null): Promise<Outcome> {
    const startedAt = Date.now();
    const started = performance.now();
    const requestId = newRequestId();
    const { path, component = APP, visibility } = call;
    const checks = this.#ownChecks.get(qualifiedPath(path, component)) ?? NO_OWN_CHECKS;
    const refusal = await this.#host.request("checkAction", { path, component, args: checks.checksArguments ? null : args, visibility });
    const outcome: WireOutcome = refusal
      ? { ok: false, message: refusal.message, logLines: [] }
      : await this.#outcome(call, args, { jobId, requestId, ...checks });
    const durationMs = performance.now() - started;
    const metadata = {
      path: shownPath(call.path),
      component,
      type: "action",
      startedAt,
      durationMs,
      readIdentity: true,
      journal: null,
      ...(refusal && { refused: refusal.refused }),
      requestId,
    } as const;
    const run: WireRun = { outcome, metadata, ts: 0n };
    this.#host.log(run, call.identity.kind);
    return outcomeOf(run);
  }

  async runHttp(request: Request, identity: Identity): Promise<Response> {
    if (!this.#pools || !this.#code || !hasHttpRoutes(this.#code.analysis))
      return new Response("This Convex deployment does not have HTTP actions enabled.", { status: 404 });
    const startedAt = Date.now();
    const started = performance.now();
    const requestId = newRequestId();
    const body = request.body && limitedStream(request.body, MAX_HTTP_BODY_BYTES);
    const { method, url } = request;
    const ended = await this.#pools.isolate.http({ method, url, headers: [...request.headers], body }, { identity, requestId });
    const route = ended.kind === "response" ? ended.route : undefined;
    const path = route ?? `${method} ${new URL(url).pathname}`;
    const { logLines } = ended;
    const message = ended.kind === "failed" ? ended.message : "The HTTP action ended without a response.";
    const outcome: WireOutcome = ended.kind === "response" ? { ok: true, text: "null", logLines } : { ok: false, message, logLines };
    const metadata = {
      path,
      component: ended.kind === "response" ? ended.component : APP,
      type: "httpAction",
      startedAt,
      durationMs: performance.now() - started,
      readIdentity: true,
      journal: null,
      ...(route === null && { refused: "path" as const }),
      requestId,
    } as const;
    this.#host.log({ outcome, metadata, ts: 0n }, identity.kind);
    if (ended.kind === "response") return toResponse(ended.response);
    const shown = redactOutcome(identity.kind, { ok: false, message, logLines, requestId }, this.#host.redactErrors);
    const [code, ...trace] = shown.message.split("\n");
    return Response.json({ code, trace: trace.join("\n") }, { status: 500 });
  }

  async close(): Promise<void> {
    const pools = [...this.#retiring, ...(this.#pools ? [this.#pools] : [])];
    this.#pools = null;
    await Promise.all(pools.flatMap(({ isolate, node }) => [isolate.end(), node.end()]));
  }

  async #outcome(call: Call, args: string, run: { jobId: string | null; requestId: string } & OwnChecks): Promise<WireOutcome> {
    const { request } = this.#host;
    const { path, component = APP, identity, visibility } = call;
    if (!this.#pools || !this.#code) return { ok: false, message: "No code has been pushed.", logLines: [] };
    const pool = this.#pools[isNodeAction(this.#code, path, component) ? "node" : "isolate"];
    const ended = await pool.action({ path, component, args, identity, ...run });
    const { logLines } = ended;
    if (ended.kind === "failed") return { ok: false, message: ended.message, data: ended.data, logLines };
    if (ended.kind === "response") throw new Error("An action answered with an HTTP response.");
    if (run.checksResult) return { ok: true, text: ended.text, logLines };
    const fault = await request("checkActionResult", { path, component, visibility, text: ended.text });
    return fault === null ? { ok: true, text: ended.text, logLines } : { ok: false, message: fault, logLines };
  }
}

type Pools = Record<"isolate" | "node", ActionsPool>;

const MEBIBYTE = 1024 * 1024;
const THREADS: PoolLimits = { maxThreads: Math.min(16, 4 * availableParallelism()), maxBytes: 768 * MEBIBYTE };
const PROCESSES: PoolLimits = { maxThreads: Math.min(8, 4 * availableParallelism()), maxBytes: 1_024 * MEBIBYTE };

function startPools(host: ActionsHost, code: LoadedCode, env: Record<string, string>): Pools {
  const { dir, nodeSettings: settings, warn } = host;
  return {
    isolate: new ActionsPool((events) => startActionsThread(dir, code, env, events), host, THREADS),
    node: new ActionsPool((events) => startNodeRuntime({ dir, code, env, settings, warn }, events), host, PROCESSES),
  };
}

const isNodeAction = ({ nodeModules }: LoadedCode, path: string, component: ComponentPath): boolean =>
  component === APP && nodeModules.includes(`${parseFunctionPath(path).module}.js`);

const NO_OWN_CHECKS: OwnChecks = { checksArguments: false, checksResult: false };

function allOwnChecks({ functions, components: { mounts, definitions } }: Analysis): [path: string, OwnChecks][] {
  const ofComponents = mounts.flatMap(({ path, definition }) => ownChecksOf(definitions[definition]?.functions ?? [], path));
  return [...ownChecksOf(functions, APP), ...ofComponents];
}

const ownChecksOf = (functions: AnalyzedFunction[], component: ComponentPath): [path: string, OwnChecks][] =>
  functions.map(({ module, name, args, returns }) => [
    qualifiedPath(`${module}:${name}`, component),
    { checksArguments: !hasIds(args), checksResult: !hasIds(returns) },
  ]);

const hasHttpRoutes = ({ httpRoutes, components }: Analysis): boolean =>
  httpRoutes.length > 0 || Object.values(components.definitions).some((definition) => definition.httpRoutes.length > 0);

function toResponse({ status, statusText, headers, body }: HttpResponse): Response {
  return new Response(body, { status, statusText, headers });
}
