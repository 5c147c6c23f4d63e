/**
 * The clock of user code, shared between the transactor thread, which marks when a function begins, enters a syscall and
 * ends, and the main thread, which may condemn a run that takes too long and then ends the thread.
 *
 * Both must agree on who was first. A run ends, and its results are on their way to the disk, only if the transactor wins the
 * compare-and-swap against the main thread; a condemned transactor parks itself instead. So a mutation whose thread was ended
 * has certainly not been committed, and can be repeated.
 */
import process from "node:process";

/** User time of a query or mutation: Convex's limit (facts/engine.md, Data). Time inside syscalls does not count. */
export const USER_TIME_LIMIT_MS = 1_000;

const PHASE = 0;
const IDLE = 0;
const RUNNING = 1;
const CONDEMNED = 2;

const STARTED = 0;
const IN_SYSCALLS = 1;
const SYSCALL_ENTERED = 2;
const MESSAGE = 3;
const CALL = 4;

// Kept from before time stands still for the functions on this thread.
const elapsed = performance.now.bind(performance);
const now = (): number => performance.timeOrigin + elapsed();

/** A run as the main thread sees it. `ticket` names this very run, so that a verdict can never meet the next one. */
export type Observed = { ticket: number; message: number; call: number; userMs: number };

export class Watch {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #times: Float64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(64)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 2);
    this.#times = new Float64Array(memory, 16, 5);
  }

  // On the transactor thread

  /** The call at index `call` of message `message` begins: answers when, in ms since 1970. */
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

  /** The run ended by itself. Does not return if the main thread has condemned it meanwhile. */
  end(): number {
    const phase = Atomics.load(this.#words, PHASE);
    const running = (phase & ~3) | RUNNING;
    if (Atomics.compareExchange(this.#words, PHASE, running, (phase & ~3) | IDLE) !== running) this.park();
    return this.#userMs();
  }

  park(): never {
    for (;;) Atomics.wait(this.#words, 1, 0);
  }

  enterSyscall(): void {
    this.#times[SYSCALL_ENTERED] = now();
  }

  leaveSyscall(): void {
    this.#times[IN_SYSCALLS] = this.#at(IN_SYSCALLS) + now() - this.#at(SYSCALL_ENTERED);
    this.#times[SYSCALL_ENTERED] = 0;
  }

  // On the main thread

  /** What runs now, or null. */
  observe(): Observed | null {
    const ticket = Atomics.load(this.#words, PHASE);
    if ((ticket & 3) !== RUNNING) return null;
    const observed = { ticket, message: this.#at(MESSAGE), call: this.#at(CALL), userMs: this.#userMs() };
    return Atomics.load(this.#words, PHASE) === ticket ? observed : null;
  }

  /** True when the run was still going and now never ends: its thread must be terminated. */
  condemn(ticket: number): boolean {
    return Atomics.compareExchange(this.#words, PHASE, ticket, (ticket & ~3) | CONDEMNED) === ticket;
  }

  #userMs(): number {
    const entered = this.#at(SYSCALL_ENTERED);
    return (entered === 0 ? now() : entered) - this.#at(STARTED) - this.#at(IN_SYSCALLS);
  }

  #at(index: number): number {
    return this.#times[index] ?? 0;
  }
}

/** So old a mark may be: it is what a function can be held to have used too much. */
const MARK_LIFETIME_MS = 10;

/**
 * What processor time a run has had. Asking the system costs as much as a small function, so runs that follow one another closely
 * share one mark.
 */
export class CpuMark {
  readonly #cpu: () => number;
  #markedAt = -Infinity;
  #cpuAtMark = 0;

  constructor(cpu: () => number = threadCpuMs) {
    this.#cpu = cpu;
  }

  /** A run begins at this moment (ms). */
  begin(at: number): void {
    if (Math.abs(at - this.#markedAt) < MARK_LIFETIME_MS) return;
    this.#markedAt = at;
    this.#cpuAtMark = this.#cpu();
  }

  /** Processor time since then, up to `MARK_LIFETIME_MS` of what went before included. */
  sinceMs(): number {
    return this.#cpu() - this.#cpuAtMark;
  }
}

/** Processor time of the calling thread in ms; on a busy machine the wall clock alone would condemn the innocent. */
function threadCpuMs(): number {
  // Since Node 23.9; before it the whole process's time is the best there is.
  const { user, system } = typeof process.threadCpuUsage === "function" ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1_000;
}
