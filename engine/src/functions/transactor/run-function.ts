/** An `Execution` is one transaction; each function in it, nested ones included, is a `Run`. */
import { AsyncLocalStorage } from "node:async_hooks";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../../memory/collect-garbage.ts";
import type { Transaction } from "../../transaction/types.ts";
import type { FunctionKind, Identity, LogLine } from "../../values/types.ts";
import { detachArguments } from "../call.ts";
import { checkedArguments, checkedResult } from "../checked-values.ts";
import { seededRandom, type ExecutionState } from "../isolate/environment.ts";
import type { ComponentPath } from "../paths.ts";
import type { KnownFunction } from "../registry.ts";
import { newRequestId } from "../request-id.ts";

export class Execution implements ExecutionState {
  readonly startedAt = Date.now();
  volatile = false;
  #random: (() => number) | null = null;
  readonly logLines: LogLine[] = [];
  readonly transaction: Transaction;
  readonly identity: Identity;
  knownRequestId: string | null = null;
  readonly journalIn: string | null;
  journalOut: string | null = null;
  readIdentity = false;
  readonly jobId: string | null;
  jobsChanged = false;
  hasStarted = false;
  readonly removedFiles: string[] = [];

  constructor(transaction: Transaction, call: { identity: Identity; journal?: string | null | undefined }, jobId: string | null) {
    this.transaction = transaction;
    this.identity = call.identity;
    this.journalIn = call.journal ?? null;
    this.jobId = jobId;
  }

  get now(): number {
    this.volatile = true;
    return this.startedAt;
  }

  get random(): () => number {
    this.volatile = true;
    this.#random ??= seededRandom();
    return this.#random;
  }

  get requestId(): string {
    this.knownRequestId ??= newRequestId();
    return this.knownRequestId;
  }
}

const NO_IDENTITY: Identity = { kind: "none" };

export class Run {
  readonly execution: Execution;
  /** Identities do not cross the boundaries of components, as on Convex. */
  readonly identity: Identity;
  readonly parent: Run | null;
  readonly target: KnownFunction;
  readonly transaction: Transaction;
  finished = false;
  paginated = false;
  idle: Promise<void> = Promise.resolve();
  busy = false;
  readonly limit: UsageLimit | null;

  constructor(execution: Execution, target: KnownFunction, parent: Run | null, transaction: Transaction, limit: UsageLimit | null = null) {
    this.execution = execution;
    this.target = target;
    this.parent = parent;
    this.identity = !parent ? execution.identity : parent.component === target.path.component ? parent.identity : NO_IDENTITY;
    this.transaction = transaction.in(target.path.component);
    this.limit = limit;
  }

  get component(): ComponentPath {
    return this.target.path.component;
  }

  get kind(): FunctionKind {
    return this.target.kind;
  }
}

export type UsageLimit = Partial<Record<keyof ReturnType<Transaction["usage"]>, number>>;

const runs = new AsyncLocalStorage<Run>();
const collectGarbage = garbageCollector();

export const runOfCaller = (): Run | undefined => runs.getStore();

/** @param message contains the arguments, one object as JSON text, which are removed from it */
export async function invoke(run: Run, message: { args: string }): Promise<string> {
  const { target, transaction } = run;
  checkedArguments(target, message.args, transaction);
  if (message.args.length >= LARGE_MESSAGE_BYTES) collectGarbage(message.args.length);
  run.execution.hasStarted = true;
  try {
    const text = await runs.run(run, () => target.invoke(detachArguments(message), ""));
    checkedResult(target, text, transaction);
    return text;
  } finally {
    run.finished = true;
  }
}
