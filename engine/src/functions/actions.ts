/**
 * Actions as the main thread sees them: starts the actions thread when it is first needed, answers what running actions ask of the
 * database, and lets a thread of older code finish what it runs.
 */
import { randomUUID } from "node:crypto";
import type { Worker } from "node:worker_threads";
import type { Identity, Json } from "../values/types.ts";
import type { ActionsData, FromActions, HttpResponse, ToActions } from "./actions-protocol.ts";
import { limitedStream, MAX_HTTP_BODY_BYTES } from "./body-limit.ts";
import { outcomeOf } from "./outcomes.ts";
import { resolveAddress, showFunctionPath, shownPath } from "./paths.ts";
import type { LoadedCode, QuestionName, Questions, WireOutcome, WireRun } from "./protocol.ts";
import { asAddress, asNumber, asObject, asString, type Arguments } from "./syscall-arguments.ts";
import { ACTION_THREAD_ENDED, ACTION_TIMED_OUT } from "./texts.ts";
import { startThread } from "./thread.ts";
import type { Call, FunctionRunner, Outcome } from "./types.ts";

/** docs.convex.dev/production/state/limits: actions time out after 10 minutes. */
const TIME_LIMIT_MS = 10 * 60 * 1_000;
/** A thread whose timers have not fired for so long is blocked by an endless loop. */
const BLOCKED_AFTER_MS = 60 * 1_000;
const HEAP_MIB = 512;

/** What actions need of the rest. */
export type ActionsHost = {
  dir: string;
  runner: Pick<FunctionRunner, "queries" | "mutation" | "action" | "files">;
  ask: <K extends QuestionName>(kind: K, ask: Questions[K]["ask"]) => Promise<Questions[K]["answer"]>;
  log: (run: WireRun, identity: Identity["kind"]) => void;
};

type Running = { identity: Identity; finish: (message: Extract<FromActions, { kind: "done" | "failed" | "response" }>) => void };

export class Actions {
  readonly #host: ActionsHost;
  #code: { code: LoadedCode; env: Record<string, string> } | null = null;
  #thread: Thread | null = null;
  readonly #retiring = new Set<Thread>();

  constructor(host: ActionsHost) {
    this.#host = host;
  }

  /** Calls from now on run the new code, those that run go on with theirs. */
  changeOver(code: LoadedCode | null, env: Record<string, string>): void {
    this.#code = code && { code, env };
    const old = this.#thread;
    this.#thread = null;
    if (!old) return;
    this.#retiring.add(old);
    void old.retire().finally(() => this.#retiring.delete(old));
  }

  async run(call: Call, jobId: string | null = null): Promise<Outcome> {
    const args = JSON.stringify(call.args);
    const startedAt = Date.now();
    const started = performance.now();
    const outcome = await this.#outcome(call, args, jobId);
    const path = shownPath(call.path);
    const facts = { path, type: "action", startedAt, durationMs: performance.now() - started, readIdentity: true, journal: null } as const;
    const run: WireRun = { outcome, facts, ts: 0n };
    this.#host.log(run, call.identity.kind);
    return outcomeOf(run);
  }

  /** An HTTP action's response, or the 404 of a path that has none, or the 500 of one that failed. */
  async runHttp(request: Request, identity: Identity): Promise<Response> {
    if (!this.#code) return new Response("This Convex deployment does not have HTTP actions enabled.", { status: 404 });
    const startedAt = Date.now();
    const started = performance.now();
    const body = request.body && limitedStream(request.body, MAX_HTTP_BODY_BYTES);
    const { method, url } = request;
    const ended = await this.#ready(this.#code).http({ method, url, headers: [...request.headers], body }, identity);
    const path = ended.kind === "response" ? ended.route : `${method} ${new URL(url).pathname}`;
    const outcome: WireOutcome =
      ended.kind === "failed"
        ? { ok: false, message: ended.message, logLines: ended.logLines }
        : { ok: true, text: "null", logLines: ended.logLines };
    const facts = {
      path,
      type: "httpAction",
      startedAt,
      durationMs: performance.now() - started,
      readIdentity: true,
      journal: null,
    } as const;
    this.#host.log({ outcome, facts, ts: 0n }, identity.kind);
    if (ended.kind === "response") return toResponse(ended.response);
    // A stranger learns that it failed; why stands in the log.
    return Response.json({ code: "InternalServerError", message: "Your request couldn't be completed. Try again later." }, { status: 500 });
  }

  async close(): Promise<void> {
    const threads = [...this.#retiring, ...(this.#thread ? [this.#thread] : [])];
    this.#thread = null;
    await Promise.all(threads.map((thread) => thread.end()));
  }

  async #outcome(call: Call, args: string, jobId: string | null): Promise<WireOutcome> {
    const { ask } = this.#host;
    const refused = await ask("checkAction", { path: call.path, args, visibility: call.visibility });
    if (refused !== null || !this.#code) return { ok: false, message: refused ?? "No code has been pushed.", logLines: [] };
    const ended = await this.#ready(this.#code).action({ path: call.path, args, identity: call.identity, jobId });
    const { logLines } = ended;
    if (ended.kind === "failed") return { ok: false, message: ended.message, data: ended.data, logLines };
    if (ended.kind === "response") throw new Error("An action answered with an HTTP response.");
    const fault = await ask("checkActionResult", { path: call.path, text: ended.text });
    return fault === null ? { ok: true, text: ended.text, logLines } : { ok: false, message: fault, logLines };
  }

  #ready({ code, env }: { code: LoadedCode; env: Record<string, string> }): Thread {
    if (!this.#thread || this.#thread.ended) this.#thread = new Thread(code, env, this.#host);
    return this.#thread;
  }
}

/** One life of the actions thread. When it ends, what ran on it has failed: actions run at most once. */
class Thread {
  ended = false;
  readonly #worker: Worker;
  readonly #host: ActionsHost;
  readonly #running = new Map<number, Running>();
  readonly #bodies = new Set<number>();
  readonly #heartbeat = new SharedArrayBuffer(4);
  readonly #watch: NodeJS.Timeout;
  #idle: (() => void) | null = null;
  #nextId = 1;

  constructor(code: LoadedCode, env: Record<string, string>, host: ActionsHost) {
    this.#host = host;
    const data: ActionsData = { code, heartbeat: this.#heartbeat };
    this.#worker = startThread(host.dir, "./actions-worker.ts", data, {
      env,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    this.#worker.on("message", (message: FromActions) => void this.#receive(message));
    this.#worker.on("error", () => undefined);
    this.#worker.on("exit", () => this.#lost());
    this.#watch = this.#watchBlocked();
  }

  action(call: { path: string; args: string; identity: Identity; jobId: string | null }): ReturnType<Thread["http"]> {
    return this.#start(call.identity, (id, requestId) => this.#post({ kind: "run", id, requestId, ...call }));
  }

  http(request: Extract<ToActions, { kind: "http" }>["request"], identity: Identity): Promise<Parameters<Running["finish"]>[0]> {
    return this.#start(identity, (id, requestId) => {
      this.#bodies.add(id);
      this.#post({ kind: "http", id, identity, requestId, request }, request.body ? [request.body] : []);
    });
  }

  /** Ends the thread once nothing runs on it. */
  async retire(): Promise<void> {
    if (this.#running.size + this.#bodies.size > 0) {
      const idle = Promise.withResolvers<void>();
      this.#idle = idle.resolve;
      const timer = setTimeout(idle.resolve, TIME_LIMIT_MS);
      await idle.promise;
      clearTimeout(timer);
    }
    await this.end();
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #start(identity: Identity, send: (id: number, requestId: string) => void): Promise<Parameters<Running["finish"]>[0]> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#post({ kind: "abandon", id });
        this.#finish({ kind: "failed", id, message: ACTION_TIMED_OUT, data: undefined, logLines: [] });
      }, TIME_LIMIT_MS);
      const finish: Running["finish"] = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
      this.#running.set(id, { identity, finish });
      send(id, randomUUID());
    });
  }

  async #receive(message: FromActions): Promise<void> {
    if (message.kind === "syscall" || message.kind === "store") return this.#serve(message);
    if (message.kind === "ended") {
      this.#bodies.delete(message.id);
      this.#checkIdle();
    } else {
      this.#finish(message);
    }
  }

  #finish(message: Parameters<Running["finish"]>[0]): void {
    const running = this.#running.get(message.id);
    this.#running.delete(message.id);
    if (message.kind !== "response") this.#bodies.delete(message.id);
    running?.finish(message);
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.#running.size + this.#bodies.size === 0) this.#idle?.();
  }

  #lost(): void {
    this.ended = true;
    clearInterval(this.#watch);
    for (const id of this.#running.keys())
      this.#finish({ kind: "failed", id, message: ACTION_THREAD_ENDED, data: undefined, logLines: [] });
    this.#bodies.clear();
    this.#checkIdle();
  }

  #watchBlocked(): NodeJS.Timeout {
    const beat = new Int32Array(this.#heartbeat);
    let last = -1;
    let still = 0;
    const every = 5_000;
    const watch = setInterval(() => {
      const now = Atomics.load(beat, 0);
      still = now === last ? still + every : 0;
      last = now;
      if (still >= BLOCKED_AFTER_MS && this.#running.size > 0) void this.#worker.terminate();
    }, every);
    watch.unref();
    return watch;
  }

  /** Answers what an action asks. */
  async #serve(message: Extract<FromActions, { kind: "syscall" | "store" }>): Promise<void> {
    const { call, id } = message;
    const identity = this.#running.get(id)?.identity ?? { kind: "none" };
    try {
      if (message.kind === "store") {
        const { bytes, contentType, sha256 } = message;
        const answer = await this.#host.runner.files.store(once(bytes), { contentType, sha256: sha256 ?? undefined });
        this.#post({ kind: "reply", call, answer });
      } else {
        this.#post({ kind: "reply", call, answer: await this.#answer(message.op, asObject(JSON.parse(message.args)), identity) });
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const data = error instanceof CalledFunctionError ? error.data : undefined;
      this.#post({ kind: "refusal", call, message: text, data });
    }
  }

  async #answer(op: string, args: Arguments, identity: Identity): Promise<unknown> {
    const { runner, ask } = this.#host;
    switch (op) {
      case "1.0/actions/query": {
        const [outcome] = await runner.queries([callOf(args, identity)]);
        return resultText(outcome);
      }
      case "1.0/actions/mutation":
        return resultText(await runner.mutation(callOf(args, identity)));
      case "1.0/actions/action":
        return resultText(await runner.action(callOf(args, identity)));
      case "1.0/actions/schedule": {
        const { name, functionHandle, reference } = asAddress(args);
        const address: Json = { ...(name && { name }), ...(functionHandle && { functionHandle }), ...(reference && { reference }) };
        return JSON.stringify(await ask("schedule", { address, args: args["args"] ?? {}, at: asNumber(args["ts"]) * 1_000 }));
      }
      case "1.0/actions/cancel_job":
        await ask("cancelJob", { id: asString(args["id"]) });
        return "null";
      case "1.0/storageGetUrl":
        return JSON.stringify((await ask("findFileById", { id: asString(args["storageId"]) }))?.url ?? null);
      case "1.0/storageGetMetadata": {
        const file = await ask("findFileById", { id: asString(args["storageId"]) });
        return JSON.stringify(file && { storageId: file.id, sha256: file.sha256, size: file.size, contentType: file.contentType });
      }
      case "1.0/storageGenerateUploadUrl":
        return JSON.stringify(await ask("uploadUrl", null));
      case "1.0/storageDelete":
        await ask("deleteFile", { id: asString(args["storageId"]) });
        return "null";
      case "storage/getBlob":
        return ask("findFileById", { id: asString(args["storageId"]) });
      default:
        throw new Error(`Unknown operation ${op}`);
    }
  }

  #post(message: ToActions, transfer: readonly ReadableStream[] = []): void {
    // Node transfers streams as the platform does; its types do not know.
    if (!this.ended) this.#worker.postMessage(message, transfer as never);
  }
}

/** A function that an action called has failed: the action catches this, with the data of a ConvexError. */
class CalledFunctionError extends Error {
  readonly data: Json | undefined;

  constructor(message: string, data: Json | undefined) {
    super(message);
    this.data = data;
  }
}

function resultText(outcome: Outcome | undefined): string {
  if (!outcome) throw new Error("A call has no outcome.");
  if (!outcome.ok) throw new CalledFunctionError(outcome.message, outcome.data);
  return outcome.valueText ?? JSON.stringify(outcome.value);
}

/** Functions called by functions may be internal, and run as the same user. */
const callOf = (args: Arguments, identity: Identity): Call => ({
  path: showFunctionPath(resolveAddress(asAddress(args))),
  args: args["args"] ?? {},
  identity,
  visibility: "any",
});

function toResponse({ status, statusText, headers, body }: HttpResponse): Response {
  return new Response(body, { status, statusText, headers });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
