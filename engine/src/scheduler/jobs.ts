/** Rows of `_scheduled_functions` (docs.convex.dev/scheduling/scheduled-functions), changed in the transaction of the function's writes. */
import {
  canonicalFunctionPath,
  functionHandle,
  isFunctionHandle,
  parseFunctionHandle,
  parseFunctionPath,
  type FunctionPath,
} from "../functions/paths.ts";
import type { Transaction } from "../transaction/types.ts";
import type { Json } from "../values/types.ts";

export type Job = { id: string; path: FunctionPath; args: Json; at: number };

export type JobEnd = { kind: "success" } | { kind: "failed"; error: string } | { kind: "canceled" };

type State = { kind: "pending" } | { kind: "inProgress" } | JobEnd;
type Row = { _id: string; name: string; args: Json[]; scheduledTime: number; completedTime?: number; state: State };

const TABLE = "_scheduled_functions";
const BY_STATE_AND_TIME = `${TABLE}.by_state_and_time`;
const BY_COMPLETION = `${TABLE}.by_completion`;

/** Schedules a job of the transaction's component; `at` is in ms since 1970. A job with a past time runs immediately. */
export function scheduleJob(transaction: Transaction, job: Omit<Job, "id">): string {
  if (!Number.isFinite(job.at)) throw new Error("The time of a scheduled function must be a finite number.");
  const { path } = job;
  const name = path.component === transaction.component ? canonicalFunctionPath(path) : functionHandle(path);
  return transaction.system.insert(TABLE, { name, args: [job.args], scheduledTime: job.at, state: { kind: "pending" } });
}

export function cancelJob(transaction: Transaction, id: string, now: number): void {
  const row = read(transaction, id);
  if (!row) throw new Error(`There is no scheduled function with the ID ${id}.`);
  if (row.state.kind === "pending" || row.state.kind === "inProgress") settle(transaction, id, { kind: "canceled" }, now);
}

export function pendingJob(transaction: Transaction, id: string): Job | null {
  const row = read(transaction, id);
  return row?.state.kind === "pending" ? toJob(row, transaction) : null;
}

/** Marks an action before it leaves the transactor, so that it never starts again. */
export function startJob(transaction: Transaction, id: string): Job | null {
  const job = pendingJob(transaction, id);
  if (job) transaction.system.patch(id, { state: { kind: "inProgress" } });
  return job;
}

export function finishJob(transaction: Transaction, id: string, end: JobEnd, now: number): void {
  const kind = read(transaction, id)?.state.kind;
  if (kind === "pending" || kind === "inProgress") settle(transaction, id, end, now);
}

function settle(transaction: Transaction, id: string, end: JobEnd, now: number): void {
  transaction.system.patch(id, { state: end, completedTime: now });
}

export function dueJobs(transaction: Transaction, now: number, limit: number): { due: Job[]; next: number | null } {
  const due: Job[] = [];
  const rows = rowsOf(transaction, BY_STATE_AND_TIME, [{ type: "Eq", fieldPath: "state.kind", value: "pending" }], limit + 1);
  for (const row of rows) {
    if (row.scheduledTime > now || due.length === limit) return { due, next: row.scheduledTime };
    due.push(toJob(row, transaction));
  }
  return { due, next: null };
}

/** Returns actions that a crash interrupted. They are not restarted, because actions run at most once. */
export function interruptedJobs(transaction: Transaction, limit: number): string[] {
  const range = [{ type: "Eq", fieldPath: "state.kind", value: "inProgress" }];
  return [...rowsOf(transaction, BY_STATE_AND_TIME, range, limit)].map((row) => row._id);
}

export function endedJobs(transaction: Transaction, before: number, limit: number): string[] {
  const range = [
    { type: "Gt", fieldPath: "completedTime", value: 0 },
    { type: "Lt", fieldPath: "completedTime", value: before },
  ];
  return [...rowsOf(transaction, BY_COMPLETION, range, limit)].map((row) => row._id);
}

function* rowsOf(transaction: Transaction, indexName: string, range: Json, limit: number): Generator<Row> {
  const queryId = transaction.queryStream({ source: { type: "IndexRange", indexName, range, order: "asc" }, operators: [{ limit }] });
  for (;;) {
    const { value, done }: { value: Row; done: boolean } = JSON.parse(transaction.queryStreamNext(queryId));
    if (done) break;
    yield value;
  }
  transaction.queryCleanup(queryId);
}

function read(transaction: Transaction, id: string): Row | null {
  return JSON.parse(transaction.get({ id, table: TABLE, isSystem: true, argument: "`id` for `scheduler.cancel`" }));
}

function toJob({ _id, name, args, scheduledTime }: Row, { component }: Transaction): Job {
  const path = isFunctionHandle(name) ? parseFunctionHandle(name) : parseFunctionPath(name, component);
  return { id: _id, path, args: args[0] ?? {}, at: scheduledTime };
}
