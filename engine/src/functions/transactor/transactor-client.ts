import type { Timestamp } from "../../values/types.ts";
import { TransactorProcess, errorFromWire, type Code, type Opened, type TransactorOptions } from "./transactor-process.ts";
import { unpackAnswer } from "./pack-run.ts";
import type { Answer, Batch, TransactorRequest, TransactorRequestName, TransactorRequests, Verdict } from "./transactor-protocol.ts";
import { SystemError } from "../system-error.ts";
import { OUT_OF_MEMORY, TIMED_OUT, THREAD_ENDED } from "../error-messages.ts";
import { MAX_EXTERNAL_BYTES, threadCpuMs, threadMemory } from "../thread-usage.ts";
import { nameOf, SlowLane } from "./slow-lane.ts";
import { USER_TIME_LIMIT_MS, type Observed } from "../isolate/time-limit.ts";

type Pending = { request: TransactorRequest; settle: (answer: Answer) => void };

const WATCH_EVERY_MS = 100;
/** User code is stopped after this wall-clock time even with little CPU time. */
const USER_WALL_LIMIT_MS = 10 * USER_TIME_LIMIT_MS;
const OPEN_ATTEMPTS = 3;
/** A run of this length counts as slow. A spare thread then loads the same code, in case the run must be stopped. */
const SLOW_MS = USER_TIME_LIMIT_MS / 2;
const KEPT_SPARE_MS = 10_000;
/** Beyond this, new requests are refused rather than exhausting memory; clients retry. */
const MAX_WAITING = 20_000;

export class TransactorThread {
  readonly #options: TransactorOptions;
  readonly #pending = new Map<number, Pending>();
  #outbox: TransactorRequest[] = [];
  readonly #slow = new SlowLane(() => this.#schedulePost());
  #spare: TransactorProcess | null = null;
  #spareTimer: NodeJS.Timeout | undefined;
  #dropped: string[] = [];
  #nextId = 1;
  #now: TransactorProcess;
  #code: Code = { code: null, env: {} };
  #held = true;
  #flushing = false;
  #closing = false;
  #restarting: Promise<void> = Promise.resolve();
  #failure: SystemError | null = null;
  #watching: NodeJS.Timeout | undefined;
  #seen: { transactorProcess: TransactorProcess; progress: number; at: number } | null = null;
  latest: Timestamp = 0n;
  hasAcceptedLoss = false;

  private constructor(options: TransactorOptions) {
    this.#options = options;
    this.#now = this.#startProcess(null);
  }

  static async start(options: TransactorOptions): Promise<TransactorThread> {
    const thread = new TransactorThread(options);
    try {
      thread.#take(await thread.#now.open());
    } catch (error) {
      thread.#closing = true;
      await thread.#now.worker.terminate();
      throw error;
    }
    thread.#release();
    return thread;
  }

  get waiting(): number {
    return this.#pending.size;
  }

  get code(): Code {
    return this.#code;
  }

  silentMs(now: number = performance.now()): number {
    const transactorProcess = this.#now;
    const { progress } = transactorProcess.watch;
    if (this.#seen?.transactorProcess !== transactorProcess || this.#seen.progress !== progress)
      this.#seen = { transactorProcess, progress, at: now };
    return now - this.#seen.at;
  }

  request<K extends TransactorRequestName>(kind: K, params: TransactorRequests[K]["params"]): Promise<TransactorRequests[K]["answer"]> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#closing) return Promise.reject(new SystemError("The deployment is shutting down."));
    if (this.#pending.size >= MAX_WAITING) return Promise.reject(new SystemError("Too many concurrent requests. Try again later."));
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      // The signature pairs kind and request; TypeScript cannot follow it through the union.
      const request = { id, kind, params } as unknown as TransactorRequest;
      this.#pending.set(id, {
        request,
        settle: ({ answer, error }) => {
          if (error) reject(errorFromWire(error));
          else resolve(unpackAnswer(kind, answer) as TransactorRequests[K]["answer"]);
        },
      });
      this.#send(request);
    });
  }

  drop(tokens: string[]): void {
    if (tokens.length === 0) return;
    this.#dropped.push(...tokens);
    this.#schedulePost();
  }

  /** Replaces the thread. `commit` stores the change in the old thread, and then ends that thread. */
  async replaceCode(code: Code, commit: () => Promise<unknown>): Promise<void> {
    const next = this.#startProcess(code);
    try {
      await next.loaded;
      await commit();
    } catch (error) {
      await next.worker.terminate();
      throw error;
    }
    this.#held = true;
    await this.#now.closed;
    await this.#replace(next, code);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#endSpare();
    await this.#restarting;
    this.#post();
    this.#now.post({ kind: "close" });
    if (!this.#failure) await this.#now.closed;
    await this.#now.worker.terminate();
    clearTimeout(this.#watching);
    for (const { settle } of this.#pending.values())
      settle({ id: 0, error: { message: "The deployment is shutting down.", name: "SystemError" } });
    this.#pending.clear();
  }

  #startProcess(code: Code | null): TransactorProcess {
    const transactorProcess = new TransactorProcess(this.#options, code, (batch) => {
      if (transactorProcess === this.#now) this.#receive(batch);
    });
    transactorProcess.worker.on("exit", () => {
      if (transactorProcess === this.#now) this.#replaceEnded(transactorProcess);
    });
    return transactorProcess;
  }

  /** Restarts a thread after an unclean exit. Clean exits are reported by a message, because exit and last messages can arrive together. */
  #replaceEnded(ended: TransactorProcess): void {
    if (!ended.closedCleanly && !this.#closing && !this.#held) this.#restarting = this.#restart(ended, null);
  }

  #receive({ answers, ...batch }: Batch): void {
    this.latest = batch.latest;
    this.#options.onBatch(batch, false);
    for (const answer of answers) {
      const pending = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      this.#slow.end(answer.id);
      pending?.settle(answer);
    }
  }

  #send(request: TransactorRequest): void {
    if (!this.#slow.tryQueue(request)) this.#outbox.push(request);
    this.#schedulePost();
  }

  #schedulePost(): void {
    if (this.#flushing || this.#held) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#post();
    });
  }

  #post(): void {
    if (this.#held) return;
    const slow = this.#slow.next();
    if (slow) this.#outbox.push(slow);
    this.#now.post({ kind: "work", requests: this.#outbox, dropped: this.#dropped });
    this.#outbox = [];
    this.#dropped = [];
    this.#watch();
  }

  #release(): void {
    this.#held = false;
    if (this.#now.ended) return this.#replaceEnded(this.#now);
    if (this.#outbox.length > 0 || this.#dropped.length > 0 || this.#slow.waiting.length > 0) this.#schedulePost();
  }

  #take({ latest, hasAcceptedLoss, env, code }: Opened): void {
    this.latest = latest;
    this.hasAcceptedLoss = hasAcceptedLoss;
    this.#code = { code, env };
  }

  /** Opens the next thread and sends it all pending requests. Never rejects, because failures reach all callers. */
  async #replace(next: TransactorProcess, code: Code): Promise<void> {
    this.#held = true;
    if (code !== this.#code) this.#endSpare();
    this.#code = code;
    try {
      this.latest = (await this.#open(next)).latest;
    } catch (error) {
      return this.#fail(error);
    }
    this.#slow.clear();
    this.#outbox = [...this.#pending.values()].map(({ request }) => request).filter((request) => !this.#slow.tryQueue(request));
    this.#dropped = [];
    this.#options.onBatch({ latest: this.latest, affected: [], committed: true, jobsChanged: true }, true);
    this.#release();
  }

  async #open(first: TransactorProcess): Promise<Opened> {
    let next = first;
    for (let attempt = 1; ; attempt++) {
      this.#now = next;
      try {
        return await next.open();
      } catch (error) {
        await next.worker.terminate();
        if (attempt === OPEN_ATTEMPTS || this.#closing) throw error;
        next = this.#startProcess(this.#code);
      }
    }
  }

  async #restart(ended: TransactorProcess, verdict: { message: number; call: number; text: string } | null): Promise<void> {
    this.#held = true;
    const next = this.#takeSpare();
    await ended.worker.terminate();
    const blockingFunction = verdict ?? ended.watch.observe();
    const text = verdict?.text ?? (ended.outOfMemory ? OUT_OF_MEMORY : THREAD_ENDED);
    const pending = blockingFunction && this.#pending.get(blockingFunction.message);
    if (pending) {
      this.#slow.add(pending.request, blockingFunction.call);
      this.#slow.pause();
      this.#options.warn?.(`${nameOf(pending.request, blockingFunction.call)}: ${text}`);
      rejectRequest(pending.request, { call: blockingFunction.call, message: text });
    } else this.#failUnrepeatable();
    await this.#replace(next, this.#code);
  }

  #loadSpare(): void {
    this.#spare ??= this.#startProcess(this.#code);
    clearTimeout(this.#spareTimer);
    this.#spareTimer = setTimeout(() => this.#endSpare(), KEPT_SPARE_MS).unref();
  }

  #takeSpare(): TransactorProcess {
    const spare = this.#spare;
    clearTimeout(this.#spareTimer);
    this.#spare = null;
    return spare?.ended === false ? spare : this.#startProcess(this.#code);
  }

  #endSpare(): void {
    void this.#spare?.worker.terminate();
    this.#spare = null;
  }

  /** Fails the pending requests that cannot be repeated, because their mutations may have been committed. */
  #failUnrepeatable(): void {
    const unsent = new Set([...this.#outbox, ...this.#slow.waiting]);
    for (const [id, { request, settle }] of this.#pending) {
      if (isRepeatable(request) || unsent.has(request)) continue;
      this.#pending.delete(id);
      settle({
        id,
        error: { message: "The deployment restarted while this function ran. It may or may not have completed.", name: "SystemError" },
      });
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#failure = new SystemError(`The transactor thread could not be started again: ${message}`);
    for (const [id, { settle }] of this.#pending) settle({ id, error: this.#failure });
    this.#pending.clear();
    this.#options.onFailure(error instanceof Error ? error : this.#failure);
  }

  #watch(): void {
    if (this.#watching || this.#pending.size === 0) return;
    this.#watching = setTimeout(() => {
      this.#watching = undefined;
      void this.#checkRun().finally(() => this.#watch());
    }, WATCH_EVERY_MS);
    this.#watching.unref();
  }

  async #checkRun(): Promise<void> {
    const suspect = this.#now;
    const first = suspect.watch.observe();
    if (!first || first.userMs < WATCH_EVERY_MS / 2 || this.#held) return;
    const cpuBefore = await threadCpuMs(suspect.worker);
    for (;;) {
      const { external } = await threadMemory(suspect.worker);
      const seen = suspect.watch.observe();
      if (seen?.ticket !== first.ticket || suspect !== this.#now || this.#held) return;
      const cpuMs = first.userMs + (await threadCpuMs(suspect.worker)) - cpuBefore;
      if (seen.userMs >= SLOW_MS && cpuMs >= SLOW_MS && !this.#spare && !this.#closing) this.#reportSlow(seen);
      const isTooLong = seen.userMs >= USER_TIME_LIMIT_MS && (cpuMs >= USER_TIME_LIMIT_MS || seen.userMs >= USER_WALL_LIMIT_MS);
      if (isTooLong || external > MAX_EXTERNAL_BYTES) {
        if (!suspect.watch.stopRun(first.ticket)) return;
        if (this.#closing) await suspect.worker.terminate();
        else await (this.#restarting = this.#restart(suspect, { ...seen, text: isTooLong ? TIMED_OUT : OUT_OF_MEMORY }));
        return;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, WATCH_EVERY_MS / 2);
      });
    }
  }

  #reportSlow({ message, call }: Observed): void {
    this.#loadSpare();
    const pending = this.#pending.get(message);
    if (pending) this.#slow.add(pending.request, call);
  }
}

function isRepeatable(request: TransactorRequest): boolean {
  if (request.kind === "mutation") return request.params.once !== null;
  if (request.kind === "commitMutation") return request.params.isRepeatable;
  return request.kind !== "schedule";
}

function rejectRequest(request: TransactorRequest, verdict: Verdict): void {
  request.verdicts = [...(request.verdicts ?? []), verdict];
}
