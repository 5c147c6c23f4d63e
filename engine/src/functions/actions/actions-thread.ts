import type { Worker } from "node:worker_threads";
import type { Identity } from "../../values/types.ts";
import { answerSyscall, CalledFunctionError, type ActionsHost } from "./action-syscalls.ts";
import type { ActionsData, FromActions, ToActions } from "./actions-protocol.ts";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../../memory/collect-garbage.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import { asObject } from "../isolate/syscall-arguments.ts";
import { ACTION_THREAD_ENDED, ACTION_TIMED_OUT } from "../error-messages.ts";
import { startThread } from "../thread.ts";

/** docs.convex.dev/production/state/limits: actions time out after 10 minutes. */
const TIME_LIMIT_MS = 10 * 60 * 1_000;
const BLOCKED_AFTER_MS = 60 * 1_000;
const HEAP_MIB = 512;

const collectGarbage = garbageCollector();

type Running = { identity: Identity; finish: (message: Extract<FromActions, { kind: "done" | "failed" | "response" }>) => void };

/** When the thread ends, its running actions fail: actions run at most once. */
export class ActionsThread {
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
    this.#worker = startThread(host.dir, new URL("./actions-worker.ts", import.meta.url), data, {
      env,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    this.#worker.on("message", (message: FromActions) => void this.#receive(message));
    this.#worker.on("error", () => undefined);
    this.#worker.on("exit", () => this.#lost());
    this.#watch = this.#watchBlocked();
  }

  action(call: Omit<Extract<ToActions, { kind: "run" }>, "kind" | "id">): ReturnType<ActionsThread["http"]> {
    return this.#start(call.identity, (id) => this.#post({ kind: "run", id, ...call }));
  }

  http(
    request: Extract<ToActions, { kind: "http" }>["request"],
    { identity, requestId }: { identity: Identity; requestId: string },
  ): Promise<Parameters<Running["finish"]>[0]> {
    return this.#start(identity, (id) => {
      this.#bodies.add(id);
      this.#post({ kind: "http", id, identity, requestId, request }, request.body ? [request.body] : []);
    });
  }

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

  #start(identity: Identity, send: (id: number) => void): Promise<Parameters<Running["finish"]>[0]> {
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
      send(id);
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

  async #serve(message: Extract<FromActions, { kind: "syscall" | "store" }>): Promise<void> {
    const { call, id } = message;
    const identity = this.#running.get(id)?.identity ?? { kind: "none" };
    try {
      if (message.kind === "store") {
        const { bytes, contentType, sha256 } = message;
        const answer = await this.#host.runner.files.store(once(bytes), { contentType, sha256: sha256 ?? undefined });
        this.#post({ kind: "reply", call, answer });
      } else {
        const bytes = message.argsText?.length ?? message.args.length;
        if (bytes >= LARGE_MESSAGE_BYTES) collectGarbage(bytes);
        this.#post({
          kind: "reply",
          call,
          answer: await answerSyscall(this.#host, message.op, asObject(JSON.parse(message.args)), { identity, argsText: message.argsText }),
        });
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const data = error instanceof CalledFunctionError ? error.data : undefined;
      this.#post({ kind: "refusal", call, message: text, data });
    }
  }

  #post(message: ToActions, transfer: readonly ReadableStream[] = []): void {
    // Node transfers streams, but its types do not list them.
    if (!this.ended) this.#worker.postMessage(message, transfer as never);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
