import type { Worker } from "node:worker_threads";
import { elapsed } from "../../elapsed.ts";
import { threadCpuMs } from "../thread-usage.ts";
import { CLOSED } from "./actions-protocol.ts";

export const NOTICED_MS = 150;
export const LOAD_TIMEOUT_MS = 60 * 1_000;
/** A thread that waits without computing counts as blocked only after ten times as long. */
export const WAITING_SHARE = 0.1;

/** Measures how long a thread computes without a pause. The thread increases a counter in shared memory between turns. */
export class BlockedTime {
  readonly #worker: Worker;
  readonly #beat: Int32Array;
  #last = 0;
  #since = elapsed();
  #cpuAtSince = NaN;
  #beatAtStart = 0;

  constructor(worker: Worker, heartbeat: SharedArrayBuffer) {
    this.#worker = worker;
    this.#beat = new Int32Array(heartbeat);
  }

  /** Call it when work is sent to an idle thread, whose counter does not change. */
  start(): void {
    this.#beatAtStart = Atomics.load(this.#beat, 0);
    this.#restart();
  }

  close(): boolean {
    return Atomics.compareExchange(this.#beat, 0, this.#beatAtStart, CLOSED) === this.#beatAtStart;
  }

  #restart(): void {
    this.#since = elapsed();
    this.#cpuAtSince = NaN;
  }

  async ms(): Promise<number> {
    const beat = Atomics.load(this.#beat, 0);
    const wallMs = elapsed() - this.#since;
    if (beat === 0) return wallMs > LOAD_TIMEOUT_MS ? Infinity : 0;
    if (beat !== this.#last) {
      this.#last = beat;
      this.#restart();
      return 0;
    }
    if (wallMs < NOTICED_MS) return 0;
    const cpu = await threadCpuMs(this.#worker);
    if (Number.isNaN(this.#cpuAtSince)) this.#cpuAtSince = cpu - wallMs;
    return Math.max(Math.min(cpu - this.#cpuAtSince, wallMs) || 0, wallMs * WAITING_SHARE);
  }
}
