import { setTimeout as sleep } from "node:timers/promises";
import type { ConcurrencyLimit } from "../simulation/concurrency-limit.ts";
import { qualifiedPath } from "./paths.ts";
import { newRequestId } from "./request-id.ts";
import type { TransactorThread } from "./transactor/transactor-client.ts";
import type { Conflict, TransactorRequests, WireRun } from "./transactor/transactor-protocol.ts";
import { WRITE_CONFLICT } from "./types.ts";

/** Convex retries several times, with growing pauses (https://docs.convex.dev/error#1). */
const BACKOFF_MS = { first: 100, longest: 2_000 };
const MAX_RETRIES = 4;

type MutationKind = "mutation" | "runJob" | "runCron";

export type CommitterOptions = {
  request: TransactorThread["request"];
  commitDelayMs: number;
  limit: ConcurrencyLimit | null;
  signal: AbortSignal;
};

export class Committer {
  readonly #options: CommitterOptions;
  readonly #lastOfSession = new Map<string, Promise<unknown>>();

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Mutations of a session run one after the other, as the protocol requires. */
  async mutation(params: TransactorRequests["mutation"]["params"]): Promise<WireRun> {
    const run = async (): Promise<WireRun> => {
      const done = await this.#untilCommitted("mutation", params, MAX_RETRIES);
      if (!done) throw new Error("A mutation has no outcome.");
      return done;
    };
    return params.once ? this.#inTurn(params.once.sessionId, run) : run();
  }

  scheduled<Kind extends "runJob" | "runCron">(kind: Kind, params: TransactorRequests[Kind]["params"]): Promise<WireRun | null> {
    return this.#untilCommitted(kind, params, Infinity);
  }

  async #untilCommitted<Kind extends MutationKind>(
    kind: Kind,
    params: TransactorRequests[Kind]["params"],
    maxRetries: number,
  ): Promise<WireRun | null> {
    for (let retries = 0; ; retries++) {
      const attempt = await this.#limited(kind, () => this.#attempt(kind, params));
      if (!attempt?.conflict) return attempt?.run ?? null;
      if (retries === maxRetries) return conflictFailure(attempt.run, attempt.conflict);
      await this.#pause(Math.random() * Math.min(BACKOFF_MS.first * 2 ** retries, BACKOFF_MS.longest));
    }
  }

  async #attempt<Kind extends MutationKind>(
    kind: Kind,
    params: TransactorRequests[Kind]["params"],
  ): Promise<{ run: WireRun; conflict?: Conflict } | null> {
    const { request, commitDelayMs } = this.#options;
    const run: WireRun | null = await request<MutationKind>(kind, params);
    if (run?.prepared === undefined) return run && { run };
    await this.#pause(commitDelayMs);
    const isRepeatable = kind !== "mutation" || ("once" in params && params.once !== null);
    return { run, ...(await request("commitMutation", { id: run.prepared, isRepeatable })) };
  }

  #limited<T>(kind: MutationKind, work: () => Promise<T>): Promise<T> {
    const { limit } = this.#options;
    return limit && kind === "mutation" ? limit.run(work) : work();
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#options.signal });
  }

  async #inTurn<T>(session: string, run: () => Promise<T>): Promise<T> {
    const before = this.#lastOfSession.get(session) ?? Promise.resolve();
    const done = before.then(run, run);
    this.#lastOfSession.set(session, done);
    try {
      return await done;
    } finally {
      if (this.#lastOfSession.get(session) === done) this.#lastOfSession.delete(session);
    }
  }
}

function conflictFailure(run: WireRun, conflict: Conflict): WireRun {
  const { metadata, outcome, ts } = run;
  const message = `${conflictText(conflict, qualifiedPath(metadata.path, metadata.component))} See https://docs.convex.dev/error#1`;
  return {
    outcome: { ok: false, message, code: WRITE_CONFLICT, logLines: outcome.logLines },
    metadata: { ...metadata, requestId: metadata.requestId ?? newRequestId() },
    ts,
  };
}

function conflictText({ table, id, path }: Conflict, own: string): string {
  const where = table === undefined ? "some table" : `the "${table}" table`;
  const changed = `Documents read from or written to ${where} changed while this mutation was being run and on every subsequent retry.`;
  if (id === undefined || typeof path !== "string") return changed;
  return `${changed} ${path === own ? "Another call to this mutation" : `A call to "${path}"`} changed the document with ID "${id}".`;
}
