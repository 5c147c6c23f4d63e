import type { Identity } from "../../values/types.ts";
import { answerSyscall, CalledFunctionError, type ActionsHost } from "./action-syscalls.ts";
import type { FromActions, ToActions } from "./actions-protocol.ts";
import type { ActionsRuntime, StartRuntime } from "./actions-runtime.ts";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../../memory/collect-garbage.ts";
import type { StoredFile } from "../transactor/transactor-protocol.ts";
import { asObject } from "../isolate/syscall-arguments.ts";
import { APP, qualifiedPath, type ComponentPath } from "../paths.ts";
import { ACTION_BLOCKED, ACTION_THREAD_ENDED, ACTION_TIMED_OUT } from "../error-messages.ts";

/** docs.convex.dev/production/state/limits: actions time out after 10 minutes. */
const TIME_LIMIT_MS = 10 * 60 * 1_000;
const IDLE_MS = 60 * 1_000;
const BLOCKED_MS = 60 * 1_000;
const UNSTARTED_MS = 500;

const collectGarbage = garbageCollector();

export type Ended = Extract<FromActions, { kind: "done" | "failed" | "response" }>;
type Running = { name: string; component: ComponentPath; identity: Identity; finish: (message: Ended | Unstarted) => void };
type Unstarted = { kind: "unstarted"; id: number };

/** A thread, or a process for Node.js actions. When it ends, its running actions fail: actions run at most once. */
export class ActionsThread {
  ended = false;
  isBlocked = false;
  readonly #runtime: ActionsRuntime;
  readonly #host: ActionsHost;
  readonly #onEnd: () => void;
  readonly #running = new Map<number, Running>();
  readonly #bodies = new Set<number>();
  #idle: (() => void) | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #retired: Promise<void> | null = null;
  #reason: string = ACTION_THREAD_ENDED;
  #nextId = 1;

  constructor(start: StartRuntime, host: ActionsHost, onEnd: () => void) {
    this.#host = host;
    this.#onEnd = onEnd;
    this.#runtime = start({
      onMessage: (message) => void this.#receive(message),
      onOutOfMemory: () => this.#setReason(this.#runtime.outOfMemory),
      onEnd: () => this.#failRunning(),
    });
  }

  get load(): number {
    return this.#running.size + this.#bodies.size;
  }

  get isUsable(): boolean {
    return !this.ended && !this.#retired;
  }

  action(call: Omit<Extract<ToActions, { kind: "run" }>, "kind" | "id">): Promise<Ended | Unstarted> {
    const { path, component, identity } = call;
    return this.#start({ name: qualifiedPath(path, component), component, identity }, (id) => this.#post({ kind: "run", id, ...call }));
  }

  http(
    request: Extract<ToActions, { kind: "http" }>["request"],
    { identity, requestId }: { identity: Identity; requestId: string },
  ): Promise<Ended | Unstarted> {
    const name = `${request.method} ${new URL(request.url).pathname}`;
    return this.#start({ name, component: APP, identity }, (id) => {
      this.#bodies.add(id);
      this.#post({ kind: "http", id, identity, requestId, request }, request.body ? [request.body] : []);
    });
  }

  retire(): Promise<void> {
    return (this.#retired ??= this.#retire());
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.#runtime.end();
  }

  endForMemory(): void {
    if (this.ended) return;
    this.#setReason(this.#runtime.outOfMemory);
    void this.end();
  }

  /** Ends the thread if it is blocked or uses too much memory. Returns the bytes in use. */
  async watch(): Promise<number> {
    this.isBlocked = false;
    if (this.load === 0 || this.ended) return 0;
    const [{ bytes, isOverLimit }, blockedMs] = await Promise.all([this.#runtime.memory(), this.#runtime.blocked.ms()]);
    if (this.ended) return 0;
    // A thread that only sends or receives bodies does not count its turns.
    const isRunning = this.#running.size > 0;
    this.isBlocked = isRunning && blockedMs > 0;
    if (isOverLimit) this.endForMemory();
    else if (isRunning && blockedMs >= BLOCKED_MS) this.#endBlocked();
    else if (isRunning && blockedMs >= UNSTARTED_MS && this.#runtime.blocked.close()) this.#endUnstarted();
    return bytes;
  }

  async #retire(): Promise<void> {
    if (this.load > 0) {
      const idle = Promise.withResolvers<void>();
      this.#idle = idle.resolve;
      const timer = setTimeout(idle.resolve, TIME_LIMIT_MS);
      await idle.promise;
      clearTimeout(timer);
    }
    await this.end();
  }

  /** Ends a thread that is blocked by code of an ended action. Its waiting actions have not started, so other threads can run them. */
  #endUnstarted(): void {
    this.#log(ACTION_BLOCKED, ["an action that has ended"]);
    for (const id of this.#running.keys()) this.#finish({ kind: "unstarted", id });
    void this.end();
  }

  #endBlocked(): void {
    this.#setReason(ACTION_BLOCKED);
    void this.end();
  }

  #setReason(message: string): void {
    this.#reason = message;
    this.#log(
      message,
      [...this.#running.values()].map(({ name }) => name),
    );
  }

  #log(message: string, names: string[]): void {
    this.#host.warn(`${names.join(", ")}: ${message}`);
  }

  #start(started: Omit<Running, "finish">, send: (id: number) => void): Promise<Ended | Unstarted> {
    const id = this.#nextId++;
    clearTimeout(this.#idleTimer);
    if (this.#running.size === 0) this.#runtime.blocked.start();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#post({ kind: "abandon", id });
        this.#finish({ kind: "failed", id, message: ACTION_TIMED_OUT, data: undefined, logLines: [] });
      }, TIME_LIMIT_MS);
      const finish: Running["finish"] = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
      this.#running.set(id, { ...started, finish });
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

  #finish(message: Ended | Unstarted): void {
    const running = this.#running.get(message.id);
    this.#running.delete(message.id);
    if (message.kind !== "response") this.#bodies.delete(message.id);
    running?.finish(message);
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.load > 0) return;
    this.#idle?.();
    clearTimeout(this.#idleTimer);
    if (!this.ended) this.#idleTimer = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  #failRunning(): void {
    this.ended = true;
    for (const id of this.#running.keys()) this.#finish({ kind: "failed", id, message: this.#reason, data: undefined, logLines: [] });
    this.#bodies.clear();
    this.#checkIdle();
    this.#onEnd();
  }

  async #serve(message: Extract<FromActions, { kind: "syscall" | "store" }>): Promise<void> {
    const { call, id, component } = message;
    const running = this.#running.get(id);
    const identity: Identity = running?.component === component ? running.identity : { kind: "none" };
    try {
      if (message.kind === "store") {
        const { bytes, contentType, sha256 } = message;
        const answer = await this.#host.runner.files.store(once(bytes), { component, contentType, sha256: sha256 ?? undefined });
        this.#post({ kind: "reply", call, answer });
      } else {
        const bytes = message.argsText?.length ?? message.args.length;
        if (bytes >= LARGE_MESSAGE_BYTES) collectGarbage(bytes);
        const caller = { component, identity, argsText: message.argsText };
        const answer = await answerSyscall(this.#host, message.op, asObject(JSON.parse(message.args)), caller);
        const isFile = message.op === "storage/getBlob" && answer !== null;
        this.#post({ kind: "reply", call, answer: isFile ? await this.#runtime.provideFile(answer as StoredFile) : answer });
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const data = error instanceof CalledFunctionError ? error.data : undefined;
      this.#post({ kind: "refusal", call, message: text, data });
    }
  }

  #post(message: ToActions, transfer: readonly ReadableStream[] = []): void {
    if (!this.ended) this.#runtime.post(message, transfer);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
