/** The deployment's code and data for everything that speaks to others: see `FunctionRunner` in types.ts. Runs on the main thread. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { Actions } from "./actions.ts";
import { analyzeBundle } from "./analyze.ts";
import { sweepBundles } from "./bundle.ts";
import { codeOnDisk } from "./code.ts";
import { openFileStore, sweepFiles } from "./files.ts";
import type { Batch, LoadedCode, WireCall, WireRun } from "./protocol.ts";
import { outcomeOf } from "./outcomes.ts";
import { trimCache } from "./thread.ts";
import { TransactorThread } from "./transactor-thread.ts";
import type { Bundle, Call, FunctionLog, FunctionRunner, MutationOutcome, Outcome, Push, QueryOutcome } from "./types.ts";

export type RunnerOptions = {
  /** The data cannot be used any more, and nothing will be answered: whoever supervises the process starts it anew. */
  onFailure?: ((error: Error) => void) | undefined;
  /** Where the database, the files and the code are kept. */
  dir: string;
  /** What functions see as CONVEX_CLOUD_URL, and where storage addresses point. Without a slash at the end. */
  cloudUrl: string;
  /** CONVEX_SITE_URL: where HTTP actions are served. */
  siteUrl: string;
};

/** Starts the threads on the code in force. Rejects when the data cannot be used (another process, a newer format). */
export async function startRunner(options: RunnerOptions): Promise<FunctionRunner & { jobs: Jobs }> {
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  const runner = new Runner({ ...options, dir });
  await runner.start();
  return runner;
}

/** What the scheduler needs besides calls. */
export type Jobs = {
  ask: TransactorThread["ask"];
  /** Told whenever jobs were scheduled or canceled, or crons deployed. */
  onChange(listener: () => void): () => void;
  runAction(call: Call, jobId: string | null): Promise<Outcome>;
  /** Tells the log of a finished run of the scheduler's. */
  log(run: WireRun): void;
};

type CommitListener = Parameters<FunctionRunner["onCommit"]>[0];

class Runner implements FunctionRunner {
  readonly #options: RunnerOptions;
  readonly #commitListeners = new Set<CommitListener>();
  readonly #logListeners = new Set<(entry: FunctionLog) => void>();
  readonly #jobListeners = new Set<() => void>();
  /** Every token that somebody still waits on. */
  readonly #tokens = new Set<string>();
  #transactor!: TransactorThread;
  #actions!: Actions;
  files!: FunctionRunner["files"];
  #swept: Promise<void> = Promise.resolve();
  /** Pushes and changes of settings go one after the other. */
  #administration: Promise<unknown> = Promise.resolve();

  readonly jobs: Jobs = {
    ask: (kind, ask) => this.#transactor.ask(kind, ask),
    onChange: (listener) => listen(this.#jobListeners, listener),
    runAction: (call, jobId) => this.#actions.run(call, jobId),
    log: (run) => this.#log(run, "none"),
  };

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { dir, cloudUrl, siteUrl } = this.#options;
    trimCache(dir);
    this.#transactor = await TransactorThread.start({
      dir,
      cloudUrl,
      siteUrl,
      onBatch: (batch, restarted) => this.#onBatch(batch, restarted),
      onFailure: (error) => this.#options.onFailure?.(error),
    });
    const { code, env } = this.#transactor.code;
    sweepBundles(dir, code?.root ?? null);
    this.files = await openFileStore(dir, this.#transactor);
    this.#swept = sweepFiles(dir, this.#transactor).catch(() => undefined);
    this.#actions = new Actions({
      dir,
      runner: this,
      ask: (kind, ask) => this.#transactor.ask(kind, ask),
      log: (run, identity) => this.#log(run, identity),
    });
    this.#actions.changeOver(code, this.#visibleEnvironment(env));
  }

  latest(): bigint {
    return this.#transactor.latest;
  }

  async queries(calls: (Call & { token?: string })[], at?: bigint): Promise<QueryOutcome[]> {
    for (const { token } of calls) if (token !== undefined) this.#tokens.add(token);
    const asked = this.#transactor.ask("queries", { calls: calls.map(toWire), at: at ?? null });
    const runs = await asked.catch((error: unknown) => {
      for (const { token } of calls) if (token !== undefined) this.#tokens.delete(token);
      throw error;
    });
    return runs.map((run, index): QueryOutcome => {
      this.#log(run, calls[index]?.identity.kind ?? "none");
      const { readIdentity, volatile, journal } = run.facts;
      return Object.assign(outcomeOf(run), { ts: run.ts, readIdentity, volatile, journal });
    });
  }

  async mutation(call: Call, once?: { sessionId: string; requestId: number }): Promise<MutationOutcome> {
    const run = await this.#transactor.ask("mutation", { call: toWire(call), once: once ?? null });
    this.#log(run, call.identity.kind);
    return Object.assign(outcomeOf(run), { ts: run.ts });
  }

  action(call: Call): Promise<Outcome> {
    return this.#actions.run(call);
  }

  async anyFunction(call: Call): Promise<Outcome> {
    const kind = await this.#transactor.ask("kindOf", { path: call.path, visibility: call.visibility });
    if (kind === "mutation") return this.mutation(call);
    if (kind === "action") return this.action(call);
    const [outcome] = await this.queries([call]);
    if (!outcome) throw new Error("A query has no outcome.");
    return outcome;
  }

  httpAction(request: Request, identity: Call["identity"]): Promise<Response> {
    return this.#actions.runHttp(request, identity);
  }

  unsubscribe(tokens: string[]): void {
    for (const token of tokens) this.#tokens.delete(token);
    this.#transactor.drop(tokens);
  }

  onCommit(listener: CommitListener): () => void {
    return listen(this.#commitListeners, listener);
  }

  onLog(listener: (entry: FunctionLog) => void): () => void {
    return listen(this.#logListeners, listener);
  }

  async analyze(bundle: Bundle): ReturnType<FunctionRunner["analyze"]> {
    return analyzeBundle(this.#options.dir, bundle, this.#visibleEnvironment(await this.#transactor.ask("environment", null)));
  }

  prepare(push: Push): ReturnType<FunctionRunner["prepare"]> {
    return this.#transactor.ask("prepare", { schema: push.analysis.schema });
  }

  apply(push: Push): Promise<void> {
    return this.#administer(async () => {
      const { dir } = this.#options;
      const { env } = this.#transactor.code;
      const code = codeOnDisk(dir, push.bundle, push.analysis);
      await this.#changeOver(code, env, () => this.#transactor.ask("apply", push));
      sweepBundles(dir, code.root);
    });
  }

  current(): ReturnType<FunctionRunner["current"]> {
    return this.#transactor.ask("current", null);
  }

  readonly environment: FunctionRunner["environment"] = {
    list: () => this.#transactor.ask("environment", null),
    update: (changes) => this.#administer(() => this.#updateEnvironment(changes)),
  };

  tables(): Promise<string[]> {
    return this.#transactor.ask("tables", null);
  }

  tableSize(table: string): Promise<number> {
    return this.#transactor.ask("tableSize", { table });
  }

  tablePage(options: Parameters<FunctionRunner["tablePage"]>[0]): ReturnType<FunctionRunner["tablePage"]> {
    return this.#transactor.ask("tablePage", options);
  }

  hold(): Promise<string> {
    return this.#transactor.ask("hold", null);
  }

  release(hold: string): Promise<boolean> {
    return this.#transactor.ask("release", { hold });
  }

  async close(): Promise<void> {
    await Promise.all([this.#administration, this.#swept]);
    await this.#actions.close();
    await this.#transactor.close();
  }

  /** New variables mean fresh threads, since modules read them when they are loaded, and other auth providers. */
  async #updateEnvironment(changes: { name: string; value: string | null }[]): Promise<void> {
    const { code, env } = this.#transactor.code;
    const after = { ...env };
    for (const { name, value } of changes) {
      if (value === null) delete after[name];
      else after[name] = value;
    }
    let next = code;
    if (code) {
      const current = await this.current();
      if (current?.bundle.authConfig) {
        const { authProviders } = await analyzeBundle(this.#options.dir, current.bundle, this.#visibleEnvironment(after));
        next = { ...code, analysis: { ...code.analysis, authProviders } };
      }
    }
    const authProviders = next?.analysis.authProviders ?? null;
    await this.#changeOver(next, after, () => this.#transactor.ask("updateEnvironment", { changes, authProviders }));
  }

  async #changeOver(code: LoadedCode | null, env: Record<string, string>, commit: () => Promise<unknown>): Promise<void> {
    await this.#transactor.changeOver({ code, env }, commit);
    this.#actions.changeOver(code, this.#visibleEnvironment(env));
  }

  #administer<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#administration.then(work, work);
    this.#administration = done.catch(() => undefined);
    return done;
  }

  #visibleEnvironment(env: Record<string, string>): Record<string, string> {
    return { ...env, CONVEX_CLOUD_URL: this.#options.cloudUrl, CONVEX_SITE_URL: this.#options.siteUrl };
  }

  #onBatch(batch: Omit<Batch, "answers">, restarted: boolean): void {
    const affected = restarted ? [...this.#tokens] : batch.affected;
    for (const token of affected) this.#tokens.delete(token);
    if (batch.committed || affected.length > 0) {
      for (const listener of this.#commitListeners) listener({ ts: batch.latest, affected });
    }
    if (batch.jobsChanged) for (const listener of this.#jobListeners) listener();
  }

  #log({ outcome, facts, repeated }: WireRun, identity: FunctionLog["identity"]): void {
    if (this.#logListeners.size === 0 || repeated) return;
    const { path, type, startedAt, durationMs } = facts;
    const { requestId } = facts;
    const error = outcome.ok ? null : outcome.message;
    const entry = { path, type, identity, startedAt, durationMs, logLines: outcome.logLines, error, requestId };
    for (const listener of this.#logListeners) listener(entry);
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function toWire({ path, args, identity, visibility, journal, token }: Call & { token?: string }): WireCall {
  return { path, args: JSON.stringify(args), identity, visibility, journal, token };
}
