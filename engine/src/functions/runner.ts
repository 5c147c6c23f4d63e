import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConcurrencyLimit } from "../simulation/concurrency-limit.ts";
import { NO_SIMULATION, type Simulation } from "../simulation/options.ts";
import { Actions } from "./actions/actions.ts";
import { analyzeBundle } from "./bundles/analyze.ts";
import { prepareInlineQuery } from "./bundles/inline-query.ts";
import { sweepBundles } from "./bundles/bundle.ts";
import { openModuleStore } from "./bundles/module-store.ts";
import { openBucketFiles } from "./files/bucket/bucket-files.ts";
import { requireFileBucket, type FileBucketSettings } from "./files/bucket/bucket-settings.ts";
import { openFileStore, prepareFolders } from "./files/files.ts";
import { localFiles, type FileBytes } from "./files/local-copy.ts";
import type { Affected, Batch, LoadedCode, WireCall, WireRun } from "./transactor/transactor-protocol.ts";
import { argumentsText } from "./call.ts";
import { Committer } from "./committer.ts";
import { removeNodeFolders, type NodeSettings } from "./node/node-process.ts";
import { outcomeOf } from "./outcomes.ts";
import { APP, type ComponentPath } from "./paths.ts";
import { changedEnvironment, type EnvironmentChange } from "./settings.ts";
import { quarantineStrayFiles } from "./files/stray-files.ts";
import { trimCache } from "./thread.ts";
import { TransactorThread } from "./transactor/transactor-client.ts";
import { VectorSearches } from "./vector-searches.ts";
import type { Json } from "../values/types.ts";
import type { Bundle, Call, DataEdit, FunctionLog, FunctionRunner, MutationOutcome, Outcome, Push, QueryOutcome } from "./types.ts";

export type RunnerOptions = {
  onFailure?: ((error: Error) => void) | undefined;
  dir: string;
  cloudUrl: string;
  siteUrl: string;
  acceptLossUntil?: number | null | undefined;
  fileBucket?: FileBucketSettings | null | undefined;
  warn?: ((line: string) => void) | undefined;
  nodeSettings?: NodeSettings | undefined;
  simulation?: Simulation | undefined;
};

const UPKEEP_EVERY_MS = 10_000;
const UPKEEP_PAUSE_MS = 20;

export async function startRunner(options: RunnerOptions): Promise<FunctionRunner & { jobs: Jobs }> {
  mkdirSync(options.dir, { recursive: true });
  // Node's loader resolves symbolic links, so addresses of modules begin with this path.
  const dir = realpathSync(options.dir);
  const runner = new Runner({ ...options, dir });
  await runner.start();
  return runner;
}

export type Jobs = {
  request: TransactorThread["request"];
  runMutation: Committer["scheduled"];
  onChange(listener: () => void): () => void;
  runAction(call: Call, jobId: string | null): Promise<Outcome>;
  log(run: WireRun): void;
};

class ImportRefused extends Error {}

type TokenCall = Call & { token?: string };
type CommitListener = Parameters<FunctionRunner["onCommit"]>[0];

class Runner implements FunctionRunner {
  readonly #options: RunnerOptions;
  readonly #commitListeners = new Set<CommitListener>();
  readonly #logListeners = new Set<(entry: FunctionLog) => void>();
  readonly #jobListeners = new Set<() => void>();
  readonly #tokens = new Set<string>();
  #upkeep: NodeJS.Timeout | undefined;
  #maintained: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  readonly #simulation: Simulation;
  readonly #nodeSettings: NodeSettings;
  readonly #limits: Record<"queries" | "mutations" | "actions", ConcurrencyLimit | null>;
  readonly #committer: Committer | null;
  #transactor!: TransactorThread;
  #actions!: Actions;
  #bytes!: FileBytes;
  files!: FunctionRunner["files"];
  #swept: Promise<void> = Promise.resolve();
  #administration: Promise<unknown> = Promise.resolve();

  readonly #vectorSearches = new VectorSearches((params) => this.#transactor.request("vectorSlice", params));

  readonly jobs: Jobs = {
    request: (kind, params) => this.#transactor.request(kind, params),
    runMutation: (kind, params) => this.#committer?.scheduled(kind, params) ?? this.#transactor.request<"runJob" | "runCron">(kind, params),
    onChange: (listener) => listen(this.#jobListeners, listener),
    runAction: (call, jobId) => this.#actions.run(call, jobId),
    log: (run) => this.#log(run, "none"),
  };

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#simulation = options.simulation ?? NO_SIMULATION;
    this.#nodeSettings = options.nodeSettings ?? { nodeModules: join(process.cwd(), "node_modules"), allowsAddons: false };
    const { concurrentQueries, concurrentMutations, concurrentActions, commitDelayMs } = this.#simulation;
    this.#limits = {
      queries: limitOf("queries", concurrentQueries),
      mutations: limitOf("mutations", concurrentMutations),
      actions: limitOf("actions", concurrentActions),
    };
    const limit = this.#limits.mutations;
    const { signal } = this.#closing;
    const request: TransactorThread["request"] = (kind, params) => this.#transactor.request(kind, params);
    this.#committer =
      commitDelayMs === null && limit === null ? null : new Committer({ request, commitDelayMs: commitDelayMs ?? 0, limit, signal });
  }

  async start(): Promise<void> {
    const { dir, cloudUrl, siteUrl, acceptLossUntil = null, fileBucket = null, warn = console.warn } = this.#options;
    requireFileBucket(dir, fileBucket);
    trimCache(dir);
    this.#transactor = await TransactorThread.start({
      dir,
      cloudUrl,
      siteUrl,
      acceptLossUntil,
      hasFileBucket: fileBucket !== null,
      simulation: {
        defersCommits: this.#simulation.commitDelayMs !== null,
        writeBytesPerSecond: this.#simulation.writeBytesPerSecond,
      },
      onBatch: (batch, restarted) => this.#onBatch(batch, restarted),
      onFailure: (error) => this.#options.onFailure?.(error),
      warn,
    });
    const { code, env } = this.#transactor.code;
    sweepBundles(dir, code?.root ?? null);
    removeNodeFolders(dir);
    try {
      await prepareFolders(dir);
      this.#bytes = fileBucket
        ? await openBucketFiles({
            dir,
            settings: fileBucket,
            transactor: this.#transactor,
            hasAcceptedLoss: this.#transactor.hasAcceptedLoss,
            log: warn,
          })
        : localFiles(dir);
      this.files = await openFileStore(dir, this.#transactor, this.#bytes);
    } catch (error) {
      await this.#transactor.close();
      throw error;
    }
    this.#swept = quarantineStrayFiles({
      dir,
      transactor: this.#transactor,
      acceptLossUntil,
      hasAcceptedLoss: this.#transactor.hasAcceptedLoss,
      log: warn,
      signal: this.#closing.signal,
    }).catch((error: unknown) => warn(`Stored files could not be compared with the database: ${String(error)}`));
    this.#actions = new Actions({
      dir,
      runner: this,
      runAction: (call) => this.#actions.run(call),
      redactErrors: this.#simulation.redactErrors,
      nodeSettings: this.#nodeSettings,
      warn,
      request: (kind, params) => this.#transactor.request(kind, params),
      log: (run, identity) => this.#log(run, identity),
    });
    this.#actions.replaceCode(code, this.#visibleEnvironment(env));
    this.#upkeep = setInterval(() => {
      this.#maintained = this.#maintained.then(() => this.#maintain());
    }, UPKEEP_EVERY_MS);
    this.#upkeep.unref();
  }

  async #maintain(): Promise<void> {
    try {
      let due = await this.#transactor.request("checkpoint", null);
      while (due && !this.#closing.signal.aborted) {
        await sleep(UPKEEP_PAUSE_MS);
        due = await this.#transactor.request("clearDeleted", null);
      }
    } catch {
      // The transactor was stopped or reported its failure itself; the next turn continues.
    }
  }

  silentMs(now?: number): number {
    return this.#transactor.silentMs(now);
  }

  latest(): bigint {
    return this.#transactor.latest;
  }

  async queries(calls: TokenCall[], at?: bigint): Promise<QueryOutcome[]> {
    const outcomes: QueryOutcome[] = [];
    while (outcomes.length < calls.length) {
      const more = await this.#someQueries(calls.slice(outcomes.length), at ?? outcomes[0]?.ts, false);
      for (const outcome of more) if (outcome) outcomes.push(outcome);
    }
    return outcomes;
  }

  queryRound(calls: TokenCall[], at?: bigint): Promise<(QueryOutcome | null)[]> {
    return this.#someQueries(calls, at, true);
  }

  async #someQueries(calls: TokenCall[], at: bigint | undefined, isRound: boolean): Promise<(QueryOutcome | null)[]> {
    for (const { token } of calls) if (token !== undefined) this.#tokens.add(token);
    const request = () => this.#transactor.request("queries", { calls: calls.map(toWire), at: at ?? null, isRound });
    const runs = await limited(this.#limits.queries, request).catch((error: unknown) => {
      for (const { token } of calls) if (token !== undefined) this.#tokens.delete(token);
      throw error;
    });
    return calls.map(({ identity, token }, index): QueryOutcome | null => {
      const run = runs[index];
      if (!run) {
        if (token !== undefined) this.#tokens.delete(token);
        return null;
      }
      this.#log(run, identity.kind);
      const { readIdentity, volatile, journal, refused } = run.metadata;
      return Object.assign(outcomeOf(run), { ts: run.ts, readIdentity, volatile, journal, refused: refused !== undefined });
    });
  }

  async inlineQuery(source: string, component: ComponentPath): Promise<Outcome> {
    const environment = this.#visibleEnvironment(this.#transactor.code.env);
    const query = await prepareInlineQuery(this.#options.dir, source, environment);
    const call: Call = { path: query.module, component, args: {}, identity: { kind: "admin" }, visibility: "any" };
    const run = await limited(this.#limits.queries, () => this.#transactor.request("inlineQuery", { call: toWire(call), query }));
    return outcomeOf(run);
  }

  async mutation(call: Call, once?: { sessionId: string; requestId: number }): Promise<MutationOutcome> {
    const params = { call: toWire(call), once: once ?? null };
    const run = await (this.#committer?.mutation(params) ?? this.#transactor.request("mutation", params));
    this.#log(run, call.identity.kind);
    return Object.assign(outcomeOf(run), { ts: run.ts });
  }

  action(call: Call): Promise<Outcome> {
    return limited(this.#limits.actions, () => this.#actions.run(call));
  }

  vectorSearch(query: Json, component: ComponentPath): ReturnType<FunctionRunner["vectorSearch"]> {
    return this.#vectorSearches.run(query, component);
  }

  async anyFunction(call: Call): Promise<Outcome> {
    const kind = await this.#transactor.request("kindOf", { path: call.path, component: call.component, visibility: call.visibility });
    if (kind === "mutation") return this.mutation(call);
    if (kind === "action") return this.action(call);
    const [outcome] = await this.queries([call]);
    if (!outcome) throw new Error("A query has no outcome.");
    return outcome;
  }

  httpAction(request: Request, identity: Call["identity"]): Promise<Response> {
    return limited(this.#limits.actions, () => this.#actions.runHttp(request, identity));
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
    return this.#analyze(bundle, await this.#transactor.request("environment", null));
  }

  prepare({ analysis }: Push, component: ComponentPath = APP): ReturnType<FunctionRunner["prepare"]> {
    const { mounts, definitions } = analysis.components;
    const mount = mounts.find(({ path }) => path === component);
    const { schema = null } = mount ? (definitions[mount.definition] ?? {}) : analysis;
    return this.#transactor.request("prepare", { schema, component });
  }

  apply(push: Push): Promise<void> {
    return this.#administer(async () => {
      const { dir } = this.#options;
      const { env } = this.#transactor.code;
      const code = openModuleStore(dir, push.bundle, push.analysis);
      await this.#replaceCode(code, env, () => this.#transactor.request("apply", push));
      sweepBundles(dir, code.root);
    });
  }

  current(): ReturnType<FunctionRunner["current"]> {
    return this.#transactor.request("current", null);
  }

  readonly environment: FunctionRunner["environment"] = {
    list: () => this.#transactor.request("environment", null),
    update: (changes) => this.#administer(() => this.#updateEnvironment(changes)),
  };

  components(): Promise<ComponentPath[]> {
    return this.#transactor.request("components", null);
  }

  tables(component: ComponentPath = APP): Promise<string[]> {
    return this.#transactor.request("tables", { component });
  }

  async sizes(): Promise<Record<string, number>> {
    const inTransactor = await this.#transactor.request("sizes", null);
    return { ...inTransactor, query_tokens: this.#tokens.size, waiting_requests: this.#transactor.waiting };
  }

  tableSize(table: string, component: ComponentPath = APP): Promise<number> {
    return this.#transactor.request("tableSize", { component, table });
  }

  tablePage(options: Parameters<FunctionRunner["tablePage"]>[0]): ReturnType<FunctionRunner["tablePage"]> {
    return this.#transactor.request("tablePage", options);
  }

  editData(edit: DataEdit): ReturnType<FunctionRunner["editData"]> {
    return this.#transactor.request("editData", edit);
  }

  crons(): ReturnType<FunctionRunner["crons"]> {
    return this.#transactor.request("crons", null);
  }

  async fileUrl(id: string, component: ComponentPath): Promise<string | null> {
    return (await this.#transactor.request("findFileById", { component, id }))?.url ?? null;
  }

  importTarget(): ReturnType<FunctionRunner["importTarget"]> {
    return this.#transactor.request("importTarget", null);
  }

  applyImport(staged: string, folder: string): ReturnType<FunctionRunner["applyImport"]> {
    return this.#administer(async () => {
      let answer: Awaited<ReturnType<FunctionRunner["applyImport"]>> = { refused: "" };
      await this.#transactor
        .replaceCode(this.#transactor.code, async () => {
          answer = await this.#transactor.request("applyImport", { staged, folder });
          if ("refused" in answer) throw new ImportRefused();
        })
        .catch((error: unknown) => {
          if (!(error instanceof ImportRefused)) throw error;
        });
      return answer;
    });
  }

  isDamaged(): Promise<boolean> {
    return this.#transactor.request("isDamaged", null);
  }

  hold(): Promise<string> {
    return this.#transactor.request("hold", null);
  }

  release(hold: string): Promise<boolean> {
    return this.#transactor.request("release", { hold });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const limit of Object.values(this.#limits)) limit?.close();
    clearInterval(this.#upkeep);
    await Promise.all([this.#administration, this.#swept, this.#bytes.close()]);
    await this.#actions.close();
    await this.#transactor.close();
  }

  /** Restarts the threads, because modules read variables while loading. */
  async #updateEnvironment(changes: EnvironmentChange[]): Promise<void> {
    const { code, env } = this.#transactor.code;
    const after = changedEnvironment(env, changes);
    const current = code && (await this.current());
    let next = code;
    if (code && current) {
      const { authProviders } = await this.#analyze(current.bundle, after);
      next = { ...code, analysis: { ...code.analysis, authProviders } };
    }
    const authProviders = next?.analysis.authProviders ?? null;
    await this.#replaceCode(next, after, () => this.#transactor.request("updateEnvironment", { changes, authProviders }));
  }

  #analyze(bundle: Bundle, env: Record<string, string>): ReturnType<FunctionRunner["analyze"]> {
    const { dir } = this.#options;
    return analyzeBundle({ dir, bundle, env: this.#visibleEnvironment(env), nodeSettings: this.#nodeSettings });
  }

  async #replaceCode(code: LoadedCode | null, env: Record<string, string>, commit: () => Promise<unknown>): Promise<void> {
    await this.#transactor.replaceCode({ code, env }, commit);
    this.#actions.replaceCode(code, this.#visibleEnvironment(env));
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
    const commits = restarted ? [{ ts: batch.latest, affected: [...this.#tokens] }] : batch.affected;
    for (const commit of commits) this.#notifyOfCommit(commit);
    if (batch.committed && commits.at(-1)?.ts !== batch.latest) this.#notifyOfCommit({ ts: batch.latest, affected: [] });
    if (batch.jobsChanged) for (const listener of this.#jobListeners) listener();
  }

  #notifyOfCommit(commit: Affected): void {
    for (const token of commit.affected) this.#tokens.delete(token);
    for (const listener of this.#commitListeners) listener(commit);
  }

  #log({ outcome, metadata, repeated }: WireRun, identity: FunctionLog["identity"]): void {
    if (this.#logListeners.size === 0 || repeated) return;
    const { path, component = APP, type, startedAt, durationMs, requestId } = metadata;
    const error = outcome.ok ? null : outcome.message;
    const found = metadata.refused !== "path";
    const entry = { path, component, type, identity, startedAt, durationMs, logLines: outcome.logLines, error, found, requestId };
    for (const listener of this.#logListeners) listener(entry);
  }
}

const limitOf = (what: string, limit: number | null): ConcurrencyLimit | null =>
  limit === null ? null : new ConcurrencyLimit(what, limit);

const limited = <T>(limit: ConcurrencyLimit | null, work: () => Promise<T>): Promise<T> => (limit ? limit.run(work) : work());

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function toWire(call: Call & { token?: string }): WireCall {
  const { path, component, identity, visibility, journal, token } = call;
  return { path, component, args: argumentsText(call), identity, visibility, journal, token };
}
