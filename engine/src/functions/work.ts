/** What the transactor does with calls of functions: their runs, transactions and commits. Everything between two flushes is one batch. */
import type { Commit, Database, Transaction } from "../transaction/types.ts";
import { StorageError } from "../values/errors.ts";
import type { FunctionKind, Timestamp } from "../values/types.ts";
import { describeFailure, PlainError } from "./failures.ts";
import { HeldFiles } from "./held-files.ts";
import { showFunctionPath } from "./paths.ts";
import type { Answer, Batch, Question, WireCall, WireOutcome, WireRun } from "./protocol.ts";
import { requestedPath, type KnownFunction } from "./registry.ts";
import { newRequestId } from "./request-id.ts";
import { Execution, invoke, Run } from "./run.ts";
import type { Stage } from "./stage.ts";
import type { Services } from "./syscalls.ts";
import { NEVER_SETTLES, TIMED_OUT } from "./texts.ts";
import { untilQuiet } from "./until-quiet.ts";
import { CpuMark, USER_TIME_LIMIT_MS } from "./watch.ts";

/** What a batch has gathered until it is durable. */
export type OpenBatch = {
  answers: Answer[];
  affected: string[];
  committed: boolean;
  jobsChanged: boolean;
  afterCommit: (() => void)[];
  /** Set when the thread closes after this batch, because new code takes over. */
  ends: boolean;
  /** The disk refused a write: nothing of this batch happened. */
  failure: StorageError | null;
};

/** The transactor's work, apart from how questions come and answers go (`transactor.ts`). */
export class Transactor {
  readonly dir: string;
  readonly services: Services;
  readonly held = new HeldFiles();
  readonly #stage: Stage;
  readonly #cpu = new CpuMark();

  constructor(dir: string, services: Services, stage: Stage) {
    this.dir = dir;
    this.services = services;
    this.#stage = stage;
  }

  get database(): Database {
    return this.services.database;
  }

  close(): void {
    this.database.close();
  }

  hold(): string {
    this.database.holdFile(true);
    return this.held.take();
  }

  /** Lets go of what is held, whoever holds it, or only of this hold. */
  release(hold?: string): boolean {
    const released = hold === undefined ? this.held.isOn : this.held.isHeldAs(hold);
    if (!released) return false;
    this.database.holdFile(false);
    this.held.end();
    return true;
  }

  drop(tokens: string[]): void {
    for (const token of tokens) this.database.unsubscribe(token);
  }

  beginBatch(): OpenBatch {
    return { answers: [], affected: [], committed: false, jobsChanged: false, afterCommit: [], ends: false, failure: null };
  }

  /** Makes the batch durable. If that fails, nothing of it happened, and every question in it is answered with the failure. */
  finishBatch(batch: OpenBatch): Batch {
    let { answers } = batch;
    try {
      if (!batch.failure) this.database.flush();
    } catch (thrown) {
      batch.failure = asStorageError(thrown);
    }
    if (batch.failure) {
      const { message, name } = batch.failure;
      answers = answers.map(({ id }) => ({ id, error: { message, name } }));
    } else {
      if (this.held.isOverdue) this.release();
      for (const action of batch.afterCommit) this.held.remove(() => attempt(action));
    }
    return {
      answers,
      latest: this.database.latest(),
      affected: batch.affected,
      committed: batch.committed,
      jobsChanged: batch.jobsChanged,
    };
  }

  async queries(batch: OpenBatch, question: Question & { kind: "queries" }): Promise<WireRun[]> {
    const { calls, at } = question.ask;
    const { database } = this;
    const latest = database.latest();
    const ts = at ?? latest;
    const runs: WireRun[] = [];
    for (const [index, call] of calls.entries()) {
      const transaction = database.beginQuery(at ?? undefined);
      runs.push(await this.run(question, index, call, "query", transaction, ts));
      if (call.token === undefined) continue;
      // Commits since an earlier snapshot may have met its ranges already.
      if (ts < latest) batch.affected.push(call.token);
      else database.subscribe(call.token, transaction.readSet());
    }
    return runs;
  }

  async mutation(batch: OpenBatch, question: Question & { kind: "mutation" }): Promise<WireRun> {
    const { call, once } = question.ask;
    const recorded = once && this.database.recorded(once.sessionId, once.requestId);
    if (recorded) {
      const facts = {
        path: call.path,
        type: "mutation",
        startedAt: Date.now(),
        durationMs: 0,
        readIdentity: true,
        journal: null,
        requestId: null,
      } as const;
      return { outcome: { ok: true, text: recorded.result, logLines: [] }, facts, ts: recorded.ts, repeated: true };
    }
    return this.runMutation(batch, question, call, {
      record: (text) => (once ? { ...once, result: text } : undefined),
    });
  }

  /**
   * Runs a mutation in a transaction of its own and commits it. `record` tells what is kept of the result in the same commit;
   * `settle` may write to the transaction after the function, before the commit.
   */
  async runMutation(
    batch: OpenBatch,
    question: { id: number; verdicts?: Question["verdicts"] },
    call: WireCall,
    options: {
      jobId?: string;
      record?: (text: string) => { sessionId: string; requestId: number; result: string } | undefined;
      settle?: (transaction: Transaction) => void;
    } = {},
  ): Promise<WireRun> {
    const { database } = this;
    const transaction = database.beginMutation();
    let execution: Execution | null = null;
    const done = await this.run(question, 0, call, "mutation", transaction, database.latest(), {
      jobId: options.jobId,
      onExecution: (begun) => {
        execution = begun;
      },
    });
    if (!done.outcome.ok) {
      this.database.rollback(transaction);
      return done;
    }
    const { text } = done.outcome;
    try {
      options.settle?.(transaction);
      const commit = database.commit(transaction, options.record?.(text));
      this.committed(batch, commit, execution);
      return { ...done, ts: commit.ts };
    } catch (error) {
      this.database.rollback(transaction);
      if (error instanceof StorageError) throw error;
      const failure = describeFailure(error instanceof Error ? new PlainError(error.message) : error, null);
      const requestId = done.facts.requestId ?? newRequestId();
      return { ...done, facts: { ...done.facts, requestId }, outcome: { ok: false, ...failure, logLines: done.outcome.logLines } };
    }
  }

  /** A transaction of the engine's own: all of `change`, or nothing. */
  transact<T>(batch: OpenBatch, change: (transaction: Transaction) => T, jobsChanged = false): T {
    const transaction = this.database.beginMutation();
    try {
      const result = change(transaction);
      this.committed(batch, this.database.commit(transaction), null);
      batch.jobsChanged ||= jobsChanged;
      return result;
    } catch (error) {
      this.database.rollback(transaction);
      throw error;
    }
  }

  committed(batch: OpenBatch, commit: Commit, execution: Execution | null): void {
    batch.committed = true;
    batch.affected.push(...commit.affected);
    if (execution) {
      batch.afterCommit.push(...execution.afterCommit);
      batch.jobsChanged ||= execution.jobsChanged;
    }
  }

  /** Runs one function to its end, in a transaction that the caller ends. */
  async run(
    question: { id: number; verdicts?: Question["verdicts"] },
    index: number,
    call: WireCall,
    kind: FunctionKind,
    transaction: Transaction,
    ts: Timestamp,
    options: { jobId?: string | undefined; onExecution?: (execution: Execution) => void } = {},
  ): Promise<WireRun> {
    const { registry } = this.services;
    const execution = new Execution(transaction, call, options.jobId ?? null);
    options.onExecution?.(execution);
    const started = performance.now();
    let path = call.path;
    let outcome: WireOutcome;
    const { logLines } = execution;
    try {
      const verdict = question.verdicts?.find((verdict) => verdict.call === index);
      if (verdict) throw new PlainError(verdict.message);
      const target = registry.find(requestedPath(call), kind, call.visibility);
      path = showFunctionPath(target.path);
      const text = await this.#toItsEnd(execution, target, call.args, question.id, index);
      outcome = { ok: true, text, logLines };
    } catch (error) {
      outcome = { ok: false, ...describeFailure(error, registry.root), logLines };
    }
    const facts = {
      path,
      type: kind,
      startedAt: execution.startedAt,
      durationMs: performance.now() - started,
      readIdentity: execution.readIdentity,
      volatile: execution.volatile,
      journal: execution.journalOut,
      requestId: outcome.ok ? execution.knownRequestId : execution.requestId,
    };
    return { outcome, facts, ts };
  }

  /** Until no microtask is left: by then the function has ended, or never will. */
  async #toItsEnd(execution: Execution, target: KnownFunction, args: string, message: number, index: number): Promise<string> {
    const { database, watch } = this.services;
    const run = new Run(execution, target, null, execution.transaction);
    this.#cpu.begin(watch.begin(message, index));
    this.#stage.execution = execution;
    const ending = await untilQuiet(invoke(run, args, database));
    this.#stage.execution = null;
    run.finished = true;
    const userMs = watch.end();
    if (userMs > USER_TIME_LIMIT_MS && this.#cpu.sinceMs() > USER_TIME_LIMIT_MS) throw new PlainError(TIMED_OUT);
    if (ending.kind === "stuck") throw new PlainError(NEVER_SETTLES);
    if (ending.kind === "error") throw ending.error;
    return ending.text;
  }
}

/** Bytes that cannot be removed now are swept at the next start. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // See above.
  }
}

const asStorageError = (thrown: unknown): StorageError =>
  thrown instanceof StorageError ? thrown : new StorageError(`Writing failed: ${messageOf(thrown)}`, thrown);

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
