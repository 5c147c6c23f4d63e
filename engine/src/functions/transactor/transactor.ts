import { join } from "node:path";
import type { Commit, Database, IdempotencyRecord, Transaction } from "../../transaction/types.ts";
import { OverloadedError, StorageError } from "../../values/errors.ts";
import type { FunctionKind, Timestamp } from "../../values/types.ts";
import { describeFailure, PlainError } from "../failures.ts";
import { PinnedFiles } from "../files/pinned-files.ts";
import { APP, qualifiedPath, showFunctionPath } from "../paths.ts";
import { WriteThroughput } from "../../simulation/write-throughput.ts";
import { PreparedMutations, type PreparedMutation } from "./prepared-mutations.ts";
import type {
  Affected,
  Answer,
  Batch,
  Conflict,
  TransactorRequest,
  TransactorSimulation,
  WireCall,
  WireOutcome,
  WireRun,
} from "./transactor-protocol.ts";
import { Registry, requestedPath, type KnownFunction } from "../registry.ts";
import { refuseNodeModules } from "../isolate/environment.ts";
import type { RemovedFiles } from "../files/removed-files.ts";
import { newRequestId } from "../request-id.ts";
import { Execution, invoke, Run } from "./run-function.ts";
import { shareKey, SHARE_MS } from "./caller-share.ts";
import type { CurrentExecution } from "../isolate/current-execution.ts";
import type { Services } from "../isolate/syscalls.ts";
import { NEVER_SETTLES, TIMED_OUT } from "../error-messages.ts";
import { settleOrIdle } from "./idle-timeout.ts";
import { CpuMark, USER_TIME_LIMIT_MS } from "../isolate/time-limit.ts";

export type OpenBatch = {
  answers: Answer[];
  affected: Affected[];
  committed: boolean;
  jobsChanged: boolean;
  removedFiles: string[];
  ends: boolean;
  /** Set if a write failed, which undoes the whole batch. */
  failure: StorageError | null;
};

export type MutationHooks = {
  jobId?: string;
  record?: (text: string) => { sessionId: string; requestId: number; result: string } | undefined;
  settle?: (transaction: Transaction) => void;
  committed?: () => void;
  failed?: (message: string, batch: OpenBatch) => void;
};

export class Transactor {
  readonly dir: string;
  readonly services: Services;
  readonly held = new PinnedFiles();
  readonly #current: CurrentExecution;
  readonly #cpu = new CpuMark();
  readonly removed: RemovedFiles;
  readonly #prepared: PreparedMutations | null;
  readonly #throughput: WriteThroughput | null;
  #refusesNodeModules = false;

  constructor(
    dir: string,
    services: Services,
    current: CurrentExecution,
    removed: RemovedFiles,
    { defersCommits, writeBytesPerSecond }: TransactorSimulation,
  ) {
    this.dir = dir;
    this.services = services;
    this.#current = current;
    this.removed = removed;
    this.#prepared = defersCommits ? new PreparedMutations(services.database) : null;
    this.#throughput = writeBytesPerSecond === null ? null : new WriteThroughput(writeBytesPerSecond);
  }

  #refuseNodeModules(): void {
    if (!this.#refusesNodeModules) refuseNodeModules(join(this.dir, "modules"));
    this.#refusesNodeModules = true;
  }

  get database(): Database {
    return this.services.database;
  }

  close(): void {
    this.database.close();
  }

  hold(): string {
    this.database.holdFile(true);
    return this.held.pin();
  }

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
    return { answers: [], affected: [], committed: false, jobsChanged: false, removedFiles: [], ends: false, failure: null };
  }

  finishBatch(batch: OpenBatch): Batch {
    let { answers, affected, committed } = batch;
    try {
      if (!batch.failure) this.database.flush();
    } catch (thrown) {
      batch.failure = asStorageError(this.database.reportDamage(thrown) ?? thrown);
    }
    if (batch.failure) {
      this.#prepared?.clear();
      const { message, name } = batch.failure;
      answers = answers.map(({ id }) => ({ id, error: { message, name } }));
      affected = [];
      committed = false;
    } else {
      if (this.held.isOverdue) this.release();
      for (const name of batch.removedFiles) this.held.remove(() => this.removed.remove(name));
    }
    return { answers, latest: this.database.latest(), affected, committed, jobsChanged: batch.jobsChanged };
  }

  async queries(batch: OpenBatch, request: TransactorRequest & { kind: "queries" }): Promise<(WireRun | null)[]> {
    const { calls, at, isRound } = request.params;
    const { database } = this;
    const latest = database.latest();
    const ts = at ?? latest;
    const runs: (WireRun | null)[] = [];
    const usedMs = new Map<string | null, number>();
    for (const [index, call] of calls.entries()) {
      const caller = shareKey(call.identity);
      const before = usedMs.get(caller) ?? 0;
      if (caller !== null && before >= SHARE_MS) {
        if (!isRound) break;
        runs.push(null);
        continue;
      }
      const transaction = database.beginQuery(at ?? undefined);
      const run = await this.run(request, index, call, "query", transaction, ts);
      runs.push(run);
      usedMs.set(caller, before + run.metadata.durationMs);
      if (call.token === undefined) continue;
      // A later commit may have changed the query's ranges. Reports the earliest possible timestamp.
      if (ts < latest) batch.affected.push({ ts: ts + 1n, affected: [call.token] });
      else database.subscribe(call.token, transaction.readSet());
    }
    return runs;
  }

  async inlineQuery(request: TransactorRequest & { kind: "inlineQuery" }): Promise<WireRun> {
    const { call, query } = request.params;
    const { database } = this;
    this.#refuseNodeModules();
    const registry = await Registry.loadInline(query, call.component ?? APP);
    return this.run(request, 0, call, "query", database.beginQuery(), database.latest(), { registry });
  }

  async mutation(batch: OpenBatch, request: TransactorRequest & { kind: "mutation" }): Promise<WireRun> {
    const { call, once } = request.params;
    const recorded = once && this.database.recorded(once.sessionId, once.requestId);
    if (recorded) {
      const metadata = {
        path: call.path,
        component: call.component,
        type: "mutation",
        startedAt: Date.now(),
        durationMs: 0,
        readIdentity: true,
        journal: null,
        requestId: null,
      } as const;
      return { outcome: { ok: true, text: recorded.result, logLines: [] }, metadata, ts: recorded.ts, repeated: true };
    }
    return this.runMutation(batch, request, call, {
      record: (text) => (once ? { ...once, result: text } : undefined),
    });
  }

  async runMutation(
    batch: OpenBatch,
    request: { id: number; verdicts?: TransactorRequest["verdicts"] },
    call: WireCall,
    hooks: MutationHooks = {},
  ): Promise<WireRun> {
    const { database } = this;
    const transaction = database.beginMutation();
    let execution: Execution | null = null;
    const run = await this.run(request, 0, call, "mutation", transaction, database.latest(), {
      jobId: hooks.jobId,
      onExecution: (begun) => {
        execution = begun;
      },
    });
    if (!run.outcome.ok) {
      database.rollback(transaction);
      hooks.failed?.(run.outcome.message, batch);
      return run;
    }
    const mutation = { run, transaction, execution, hooks };
    try {
      hooks.settle?.(transaction);
      if (this.#prepared && transaction.usage().documentsWritten > 0) {
        this.#prepared.add(request.id, mutation);
        return { ...run, prepared: request.id };
      }
      return this.#commit(batch, mutation, (record) => database.commit(transaction, record));
    } catch (error) {
      return this.#failedCommit(batch, mutation, error);
    }
  }

  commitMutation(batch: OpenBatch, id: number): { run: WireRun } | { conflict: Conflict } {
    const mutation = this.#prepared?.take(id) ?? { conflict: {} };
    if (mutation.conflict) return { conflict: mutation.conflict };
    const { transaction, token } = mutation;
    try {
      return { run: this.#commit(batch, mutation, (record) => this.database.commitSuspended(transaction, token, record)) };
    } catch (error) {
      return { run: this.#failedCommit(batch, mutation, error) };
    } finally {
      this.database.unsubscribe(token);
    }
  }

  #commit(batch: OpenBatch, mutation: PreparedMutation, commit: (record?: IdempotencyRecord) => Commit): WireRun {
    const { run, transaction, execution, hooks } = mutation;
    this.#throughput?.use(transaction.usage().bytesWritten);
    const committed = commit(run.outcome.ok ? hooks.record?.(run.outcome.text) : undefined);
    this.committed(batch, committed, transaction, { path: qualifiedPath(run.metadata.path, run.metadata.component), effects: execution });
    hooks.committed?.();
    return { ...run, ts: committed.ts };
  }

  #failedCommit(batch: OpenBatch, { run, transaction, hooks }: PreparedMutation, error: unknown): WireRun {
    this.database.rollback(transaction);
    if (error instanceof StorageError || error instanceof OverloadedError) throw error;
    const failure = describeFailure(error instanceof Error ? new PlainError(error.message) : error, null);
    const requestId = run.metadata.requestId ?? newRequestId();
    hooks.failed?.(failure.message, batch);
    return { ...run, metadata: { ...run.metadata, requestId }, outcome: { ok: false, ...failure, logLines: run.outcome.logLines } };
  }

  transact<T>(batch: OpenBatch, change: (transaction: Transaction, removedFiles: string[]) => T, jobsChanged = false): T {
    const removedFiles: string[] = [];
    const transaction = this.database.beginMutation();
    try {
      const result = change(transaction, removedFiles);
      this.committed(batch, this.database.commit(transaction), transaction, { path: null, effects: { removedFiles, jobsChanged } });
      return result;
    } catch (error) {
      this.database.rollback(transaction);
      throw error;
    }
  }

  committed(
    batch: OpenBatch,
    commit: Commit,
    transaction: Transaction,
    { path, effects }: { path: string | null; effects: Pick<Execution, "removedFiles" | "jobsChanged"> | null },
  ): void {
    batch.committed = true;
    const affected = this.#prepared ? this.#prepared.invalidate(commit, transaction, path) : commit.affected;
    if (affected.length > 0) batch.affected.push({ ts: commit.ts, affected });
    if (!effects) return;
    batch.jobsChanged ||= effects.jobsChanged;
    if (effects.removedFiles.length === 0) return;
    const now = this.database.beginQuery();
    this.removeFiles(
      batch,
      effects.removedFiles.filter((name) => !this.services.files.findByUuid(now, name)),
    );
  }

  /** Records the names in the current commit. The files are removed once it is durable. */
  removeFiles(batch: OpenBatch, names: string[]): void {
    this.removed.record(names);
    for (const name of names) batch.removedFiles.push(name);
  }

  async run(
    request: { id: number; verdicts?: TransactorRequest["verdicts"] },
    index: number,
    call: WireCall,
    kind: FunctionKind,
    transaction: Transaction,
    ts: Timestamp,
    options: { jobId?: string | undefined; onExecution?: (execution: Execution) => void; registry?: Registry } = {},
  ): Promise<WireRun> {
    const { registry = this.services.registry } = options;
    const execution = new Execution(transaction, call, options.jobId ?? null);
    options.onExecution?.(execution);
    const started = performance.now();
    let path = call.path;
    let target: KnownFunction | null = null;
    let outcome: WireOutcome;
    const { logLines } = execution;
    const verdict = request.verdicts?.find((verdict) => verdict.call === index);
    try {
      if (verdict) throw new PlainError(verdict.message);
      target = registry.find(requestedPath(call), kind, call.visibility);
      path = showFunctionPath(target.path);
      const text = await this.#toItsEnd(execution, target, call, request.id, index);
      outcome = { ok: true, text, logLines };
    } catch (error) {
      outcome = { ok: false, ...describeFailure(error, registry.root), logLines };
    }
    const metadata = {
      path,
      component: call.component,
      type: kind,
      startedAt: execution.startedAt,
      durationMs: performance.now() - started,
      readIdentity: execution.readIdentity,
      volatile: execution.volatile,
      journal: execution.journalOut,
      ...(!verdict && !execution.hasStarted && { refused: target ? ("arguments" as const) : ("path" as const) }),
      requestId: outcome.ok ? execution.knownRequestId : execution.requestId,
    };
    return { outcome, metadata, ts };
  }

  async #toItsEnd(execution: Execution, target: KnownFunction, call: WireCall, message: number, index: number): Promise<string> {
    const { watch } = this.services;
    const run = new Run(execution, target, null, execution.transaction);
    this.#cpu.begin(watch.begin(message, index));
    this.#current.execution = execution;
    const ending = await settleOrIdle(invoke(run, call));
    this.#current.execution = null;
    run.finished = true;
    const userMs = watch.end();
    if (userMs > USER_TIME_LIMIT_MS && this.#cpu.sinceMs() > USER_TIME_LIMIT_MS) throw new PlainError(TIMED_OUT);
    if (ending.kind === "stuck") throw new PlainError(NEVER_SETTLES);
    if (ending.kind === "error") throw ending.error;
    return ending.text;
  }
}

const asStorageError = (thrown: unknown): StorageError =>
  thrown instanceof StorageError ? thrown : new StorageError(`Writing failed: ${messageOf(thrown)}`, thrown);

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
