import { setTimeout as sleep } from "node:timers/promises";
import type { ActionsHost } from "./action-syscalls.ts";
import type { StartRuntime } from "./actions-runtime.ts";
import { ActionsThread, type Ended } from "./actions-thread.ts";
import { ACTION_BLOCKED } from "../error-messages.ts";

const WATCH_EVERY_MS = { waiting: 100, computing: 25 };

/** `maxBytes`: memory of all threads together. */
export type PoolLimits = { maxThreads: number; maxBytes: number };

/** Runs each action on its own thread while there are enough, so that no action waits for another one's computation. */
export class ActionsPool {
  readonly #startRuntime: StartRuntime;
  readonly #host: ActionsHost;
  readonly #limits: PoolLimits;
  readonly #threads = new Set<ActionsThread>();
  #watching = false;

  constructor(startRuntime: StartRuntime, host: ActionsHost, limits: PoolLimits) {
    this.#startRuntime = startRuntime;
    this.#host = host;
    this.#limits = limits;
  }

  async action(call: Parameters<ActionsThread["action"]>[0]): Promise<Ended> {
    for (;;) {
      const ended = await this.#thread().action(call);
      if (ended.kind !== "unstarted") return ended;
    }
  }

  async http(...call: Parameters<ActionsThread["http"]>): Promise<Ended> {
    const ended = await this.#thread().http(...call);
    return ended.kind === "unstarted" ? { ...ended, kind: "failed", message: ACTION_BLOCKED, data: undefined, logLines: [] } : ended;
  }

  #thread(): ActionsThread {
    if (!this.#watching) void this.#watch();
    const usable = [...this.#threads].filter(({ isUsable }) => isUsable);
    const idle = usable.find(({ load }) => load === 0);
    if (idle) return idle;
    if (usable.length < this.#limits.maxThreads) return this.#start();
    return usable.reduce((least, thread) => (thread.load < least.load ? thread : least));
  }

  async retire(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.retire()));
  }

  async end(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #start(): ActionsThread {
    const thread = new ActionsThread(this.#startRuntime, this.#host, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }

  async #watch(): Promise<void> {
    this.#watching = true;
    do {
      const isComputing = this.#threads.values().some(({ isBlocked }) => isBlocked);
      await sleep(WATCH_EVERY_MS[isComputing ? "computing" : "waiting"], undefined, { ref: false });
      const used = await Promise.all([...this.#threads].map(async (thread) => ({ thread, bytes: await thread.watch() })));
      const total = used.reduce((sum, { bytes }) => sum + bytes, 0);
      if (total > this.#limits.maxBytes) used.reduce((most, one) => (one.bytes > most.bytes ? one : most)).thread.endForMemory();
    } while (this.#threads.values().some(({ load }) => load > 0));
    this.#watching = false;
  }
}
