/** A compare-and-swap decides whether a run ends or is stopped. So a stopped mutation is certainly uncommitted and can be repeated. */
import process from "node:process";
import { elapsed } from "../../elapsed.ts";

/** Convex's limit (docs.convex.dev/production/state/limits), without time inside syscalls. */
export const USER_TIME_LIMIT_MS = 1_000;

const PHASE = 0;
/** Never written: a thread that must stop waits on it. */
const PARKED = 1;
const PROGRESS = 2;
const IDLE = 0;
const RUNNING = 1;
const STOP_REQUESTED = 2;

const STARTED = 0;
const IN_SYSCALLS = 1;
const SYSCALL_ENTERED = 2;
const MESSAGE = 3;
const CALL = 4;

const now = (): number => performance.timeOrigin + elapsed();

/** `ticket` identifies the run, so that a timeout never ends the next one. */
export type Observed = { ticket: number; message: number; call: number; userMs: number };

export class Watch {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #times: Float64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(64)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 3);
    this.#times = new Float64Array(memory, 16, 5);
  }

  begin(message: number, call: number): number {
    const started = now();
    this.#times[STARTED] = started;
    this.#times[IN_SYSCALLS] = 0;
    this.#times[SYSCALL_ENTERED] = 0;
    this.#times[MESSAGE] = message;
    this.#times[CALL] = call;
    const turn = (Atomics.load(this.#words, PHASE) >> 2) + 1;
    Atomics.store(this.#words, PHASE, (turn << 2) | RUNNING);
    return started;
  }

  /** Does not return if the main thread ends the run. */
  end(): number {
    const phase = Atomics.load(this.#words, PHASE);
    const running = (phase & ~3) | RUNNING;
    if (Atomics.compareExchange(this.#words, PHASE, running, (phase & ~3) | IDLE) !== running) this.park();
    return this.#userMs();
  }

  park(): never {
    for (;;) Atomics.wait(this.#words, PARKED, 0);
  }

  /** Call it during long engine work, so that the thread does not count as hanging. */
  recordProgress(): void {
    Atomics.add(this.#words, PROGRESS, 1);
  }

  enterSyscall(): void {
    this.recordProgress();
    this.#times[SYSCALL_ENTERED] = now();
  }

  leaveSyscall(): void {
    this.#times[IN_SYSCALLS] = this.#at(IN_SYSCALLS) + now() - this.#at(SYSCALL_ENTERED);
    this.#times[SYSCALL_ENTERED] = 0;
  }

  get progress(): number {
    return Atomics.load(this.#words, PROGRESS);
  }

  observe(): Observed | null {
    const ticket = Atomics.load(this.#words, PHASE);
    if ((ticket & 3) !== RUNNING) return null;
    const observed = { ticket, message: this.#at(MESSAGE), call: this.#at(CALL), userMs: this.#userMs() };
    return Atomics.load(this.#words, PHASE) === ticket ? observed : null;
  }

  /** Returns true if the run had not ended; its thread must then be terminated. */
  stopRun(ticket: number): boolean {
    return Atomics.compareExchange(this.#words, PHASE, ticket, (ticket & ~3) | STOP_REQUESTED) === ticket;
  }

  #userMs(): number {
    const entered = this.#at(SYSCALL_ENTERED);
    return (entered === 0 ? now() : entered) - this.#at(STARTED) - this.#at(IN_SYSCALLS);
  }

  #at(index: number): number {
    return this.#times[index] ?? 0;
  }
}

const MARK_LIFETIME_MS = 10;

/** Consecutive runs share one reading, because reading costs as much as a small function. */
export class CpuMark {
  readonly #cpu: () => number;
  #markedAt = -Infinity;
  #cpuAtMark = 0;

  constructor(cpu: () => number = threadCpuMs) {
    this.#cpu = cpu;
  }

  begin(at: number): void {
    if (Math.abs(at - this.#markedAt) < MARK_LIFETIME_MS) return;
    this.#markedAt = at;
    this.#cpuAtMark = this.#cpu();
  }

  sinceMs(): number {
    return this.#cpu() - this.#cpuAtMark;
  }
}

/** Returns milliseconds. On a busy machine, wall-clock time would stop runs that used little CPU time. */
function threadCpuMs(): number {
  // Since Node 23.9; older versions only report the whole process.
  const { user, system } = typeof process.threadCpuUsage === "function" ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1_000;
}
