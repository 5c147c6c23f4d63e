/**
 * Running queries and mutations to their end. One top-level call is an `Execution`: one transaction, one frozen moment. Each function
 * in it, nested ones included, is a `Run`; the asynchronous context tells which run a syscall comes from, so that what a finished
 * function left behind can no longer touch anything.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Transaction } from "../transaction/types.ts";
import { argumentLimits, canonicalize } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import { MAX_ARGUMENT_BYTES, MAX_RESULT_BYTES } from "../values/limits.ts";
import type { FunctionKind, Identity, Json, LogLine } from "../values/types.ts";
import { checkArguments, checkReturns, type IdTables } from "../values/validators.ts";
import { seededRandom, type Moment } from "./environment.ts";
import { PlainError } from "./failures.ts";
import { canonicalFunctionPath } from "./paths.ts";
import type { KnownFunction } from "./registry.ts";
import { newRequestId } from "./request-id.ts";

/** What all runs of one top-level call share. */
export class Execution implements Moment {
  readonly startedAt = Date.now();
  /** Its result may be another one next time, though nothing was written: it has asked for the time, for chance or for its snapshot. */
  volatile = false;
  #random: (() => number) | null = null;
  readonly logLines: LogLine[] = [];
  readonly transaction: Transaction;
  readonly identity: Identity;
  /** Once somebody has asked for it. */
  knownRequestId: string | null = null;
  /** The journal given with the call, and the one to answer. */
  readonly journalIn: string | null;
  journalOut: string | null = null;
  readIdentity = false;
  /** The job that this execution is, when the scheduler started it. */
  readonly jobId: string | null;
  jobsChanged = false;
  /** Done once the transaction is durable. */
  readonly afterCommit: (() => void)[] = [];

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

/** One function's run. While a nested function runs, the syscalls of its caller wait. */
export class Run {
  readonly execution: Execution;
  readonly parent: Run | null;
  readonly target: KnownFunction;
  readonly transaction: Transaction;
  finished = false;
  paginated = false;
  /** Settles when no nested function is running. */
  idle: Promise<void> = Promise.resolve();
  busy = false;
  readonly limit: UsageLimit | null;

  constructor(execution: Execution, target: KnownFunction, parent: Run | null, transaction: Transaction, limit: UsageLimit | null = null) {
    this.execution = execution;
    this.target = target;
    this.parent = parent;
    this.transaction = transaction;
    this.limit = limit;
  }

  get kind(): FunctionKind {
    return this.target.kind;
  }
}

/** A nested call's own, lower limits (`transactionLimits`), as totals of the transaction. */
export type UsageLimit = Partial<Record<keyof ReturnType<Transaction["usage"]>, number>>;

const runs = new AsyncLocalStorage<Run>();

/** The run from which this code is called; undefined for what belongs to none. */
export const runOfCaller = (): Run | undefined => runs.getStore();

/**
 * Checks arguments, runs the function and checks its result.
 * @param args The one object of arguments, as JSON text.
 * @returns The result as JSON text.
 */
export async function invoke(run: Run, args: string, tables: IdTables): Promise<string> {
  const { target } = run;
  checkedArguments(target, args, tables);
  try {
    const text = await runs.run(run, () => target.invoke(`[${args}]`, ""));
    checkedResult(target, text, tables);
    return text;
  } finally {
    run.finished = true;
  }
}

/** @throws PlainError when a function's arguments are too large or not what it declares. */
export function checkedArguments(target: KnownFunction, args: string, tables: IdTables): void {
  const parsed: Json = JSON.parse(args);
  checkSize(args, parsed, MAX_ARGUMENT_BYTES, `Arguments for ${canonicalFunctionPath(target.path)} are too large`);
  if (target.args !== null) asPlain(() => checkArguments(target.args, parsed, tables));
}

/** @throws PlainError when a function's result is too large or not what it declares. */
export function checkedResult(target: KnownFunction, text: string, tables: IdTables): void {
  if (target.returns === null && !mayExceed(text, MAX_RESULT_BYTES)) return;
  const result: Json = JSON.parse(text);
  checkSize(text, result, MAX_RESULT_BYTES, `Function ${canonicalFunctionPath(target.path)} return value is too large`);
  if (target.returns !== null) asPlain(() => checkReturns(target.returns, result, tables));
}

/** A value is at most this many times larger than its JSON text ("1," is two characters, a number nine bytes). */
const SIZE_PER_CHARACTER = 5;

const mayExceed = (text: string, limit: number): boolean => text.length * SIZE_PER_CHARACTER >= limit;

function checkSize(text: string, value: Json, limit: number, message: string): void {
  if (!mayExceed(text, limit)) return;
  try {
    canonicalize(value, argumentLimits(limit));
  } catch (error) {
    if (error instanceof FunctionError && error.message.startsWith("Value is too large"))
      throw new PlainError(`${message}: ${error.message}`);
    throw asPlainError(error);
  }
}

function asPlain(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw asPlainError(error);
  }
}

const asPlainError = (error: unknown): unknown => (error instanceof FunctionError ? new PlainError(error.message) : error);
