/**
 * The transactor as the main thread sees it: asks questions in batches, watches the time of user code, starts the thread again when
 * it had to be ended, and changes over to new code between two batches.
 */
import type { Timestamp } from "../values/types.ts";
import { Incarnation, revived, type Code, type Opened, type TransactorOptions } from "./incarnation.ts";
import type { Answer, Batch, Question, QuestionName, Questions, Verdict } from "./protocol.ts";
import { SystemError } from "./system-error.ts";
import { OUT_OF_MEMORY, TIMED_OUT, THREAD_ENDED } from "./texts.ts";
import { USER_TIME_LIMIT_MS } from "./watch.ts";

type Pending = { question: Question; settle: (answer: Answer) => void };

const WATCH_EVERY_MS = 100;
/** Past this, user code is stopped even if it got little processor time. */
const PATIENCE_MS = 10 * USER_TIME_LIMIT_MS;
const OPEN_ATTEMPTS = 3;
/** More waiting questions than this and new ones are refused: a client that retries is better than memory that runs out. */
const MAX_WAITING = 20_000;

/** The one transactor there is at a time, over all lives of its thread. */
export class TransactorThread {
  readonly #options: TransactorOptions;
  readonly #pending = new Map<number, Pending>();
  #outbox: Question[] = [];
  #dropped: string[] = [];
  #nextId = 1;
  #now: Incarnation;
  #code: Code = { code: null, env: {} };
  /** Questions are held back while one thread hands over to the next. */
  #held = true;
  #flushing = false;
  #closing = false;
  /** The thread that follows one that ended is being opened. */
  #restarting: Promise<void> = Promise.resolve();
  #failure: SystemError | null = null;
  #watching: NodeJS.Timeout | undefined;
  latest: Timestamp = 0n;

  private constructor(options: TransactorOptions) {
    this.#options = options;
    this.#now = this.#incarnate(null);
  }

  /** Opens the database. Rejects when it cannot be used. */
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

  get code(): Code {
    return this.#code;
  }

  ask<K extends QuestionName>(kind: K, ask: Questions[K]["ask"]): Promise<Questions[K]["answer"]> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#closing) return Promise.reject(new SystemError("The deployment is shutting down."));
    if (this.#pending.size >= MAX_WAITING) return Promise.reject(new SystemError("Too many concurrent requests. Try again later."));
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      // The pair of kind and question is right by the signature above, which TypeScript cannot follow through the union.
      const question = { id, kind, ask } as unknown as Question;
      this.#pending.set(id, {
        question,
        settle: ({ answer, error }) => {
          if (error) reject(revived(error));
          else resolve(answer as Questions[K]["answer"]);
        },
      });
      this.#send(question);
    });
  }

  drop(tokens: string[]): void {
    if (tokens.length === 0) return;
    this.#dropped.push(...tokens);
    this.#schedulePost();
  }

  /**
   * Changes over to a fresh thread with this code. `commit` asks the old thread the question that makes the change durable,
   * which ends it; nothing runs in between.
   */
  async changeOver(code: Code, commit: () => Promise<unknown>): Promise<void> {
    const next = this.#incarnate(code);
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

  /** Ends the thread and lets go of the data. What is still asked is answered before; user code that runs on and on is stopped. */
  async close(): Promise<void> {
    this.#closing = true;
    // Only then is it known which thread has the data.
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

  #incarnate(code: Code | null): Incarnation {
    const incarnation = new Incarnation(this.#options, code, (batch) => {
      if (incarnation === this.#now) this.#receive(batch);
    });
    incarnation.worker.on("exit", () => {
      if (incarnation === this.#now) this.#follow(incarnation);
    });
    return incarnation;
  }

  /**
   * Starts another thread after one that ended and should not have. The end may be heard in one go with the thread's last words, before
   * whoever waits for these goes on: so it is the thread that tells whether it left in order, not how far they are.
   */
  #follow(ended: Incarnation): void {
    if (!ended.leftInOrder && !this.#closing && !this.#held) this.#restarting = this.#restart(ended, null);
  }

  #receive({ answers, ...batch }: Batch): void {
    this.latest = batch.latest;
    this.#options.onBatch(batch, false);
    for (const answer of answers) {
      const pending = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      pending?.settle(answer);
    }
  }

  #send(question: Question): void {
    this.#outbox.push(question);
    this.#schedulePost();
  }

  /** What one turn of the event loop asks goes in one message. */
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
    this.#now.post({ kind: "work", questions: this.#outbox, dropped: this.#dropped });
    this.#outbox = [];
    this.#dropped = [];
    this.#watch();
  }

  #release(): void {
    this.#held = false;
    // It may have ended meanwhile.
    if (this.#now.ended) return this.#follow(this.#now);
    if (this.#outbox.length > 0 || this.#dropped.length > 0) this.#schedulePost();
  }

  #take({ latest, env, code }: Opened): void {
    this.latest = latest;
    this.#code = { code, env };
  }

  /** Opens the next thread and asks it again what the last one has not answered. Never rejects: what cannot be opened is told to all. */
  async #replace(next: Incarnation, code: Code): Promise<void> {
    this.#held = true;
    this.#code = code;
    try {
      this.latest = (await this.#open(next)).latest;
    } catch (error) {
      return this.#fail(error);
    }
    this.#outbox = [...this.#pending.values()].map(({ question }) => question);
    this.#dropped = [];
    this.#options.onBatch({ latest: this.latest, affected: [], committed: true, jobsChanged: true }, true);
    this.#release();
  }

  async #open(first: Incarnation): Promise<Opened> {
    let next = first;
    for (let attempt = 1; ; attempt++) {
      this.#now = next;
      try {
        return await next.open();
      } catch (error) {
        await next.worker.terminate();
        if (attempt === OPEN_ATTEMPTS || this.#closing) throw error;
        next = this.#incarnate(this.#code);
      }
    }
  }

  /** `verdict`: what the watchdog found; a thread that ended by itself is blamed on the call that was running. */
  async #restart(ended: Incarnation, verdict: { message: number; call: number } | null): Promise<void> {
    this.#held = true;
    await ended.worker.terminate();
    const guilty = verdict ?? ended.watch.observe();
    const text = verdict ? TIMED_OUT : ended.outOfMemory ? OUT_OF_MEMORY : THREAD_ENDED;
    const pending = guilty && this.#pending.get(guilty.message);
    if (pending) condemn(pending.question, { call: guilty.call, message: text });
    else this.#forsake();
    await this.#replace(this.#incarnate(this.#code), this.#code);
  }

  /** Without a guilty call nobody knows whether a mutation was committed: only one that is recorded may be repeated. */
  #forsake(): void {
    const unsent = new Set(this.#outbox);
    for (const [id, { question, settle }] of this.#pending) {
      const repeatable = question.kind === "mutation" ? question.ask.once !== null : question.kind !== "schedule";
      if (repeatable || unsent.has(question)) continue;
      this.#pending.delete(id);
      settle({ id, error: { message: "The deployment restarted while this ran; it may or may not have been done.", name: "SystemError" } });
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#failure = new SystemError(`The transactor thread could not be started again: ${message}`);
    for (const [id, { settle }] of this.#pending) settle({ id, error: this.#failure });
    this.#pending.clear();
    this.#options.onFailure(this.#failure);
  }

  #watch(): void {
    if (this.#watching || this.#pending.size === 0) return;
    this.#watching = setTimeout(() => {
      this.#watching = undefined;
      void this.#look().finally(() => this.#watch());
    }, WATCH_EVERY_MS);
    this.#watching.unref();
  }

  async #look(): Promise<void> {
    const suspect = this.#now;
    const first = suspect.watch.observe();
    if (!first || first.userMs < USER_TIME_LIMIT_MS / 4 || this.#held) return;
    const cpuBefore = await suspect.cpuMs();
    const userBefore = first.userMs;
    for (;;) {
      await new Promise((resolve) => {
        setTimeout(resolve, WATCH_EVERY_MS / 2);
      });
      const seen = suspect.watch.observe();
      if (seen?.ticket !== first.ticket || suspect !== this.#now || this.#held) return;
      const cpu = userBefore + (await suspect.cpuMs()) - cpuBefore;
      if (seen.userMs < USER_TIME_LIMIT_MS || (!(cpu >= USER_TIME_LIMIT_MS) && seen.userMs < PATIENCE_MS)) continue;
      if (!suspect.watch.condemn(first.ticket)) return;
      if (this.#closing) await suspect.worker.terminate();
      else await (this.#restarting = this.#restart(suspect, seen));
      return;
    }
  }
}

function condemn(question: Question, verdict: Verdict): void {
  question.verdicts = [...(question.verdicts ?? []), verdict];
}
