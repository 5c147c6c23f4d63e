import { moveCron, readCrons } from "../../scheduler/cron-store.ts";
import {
  cancelJob,
  dueJobs,
  endedJobs,
  finishJob,
  interruptedJobs,
  pendingJob,
  scheduleJob,
  startJob,
  type Job,
} from "../../scheduler/jobs.ts";
import type { Transaction } from "../../transaction/types.ts";
import type { Json } from "../../values/types.ts";
import { parseFunctionPath, showFunctionPath, type FunctionPath } from "../paths.ts";
import { schedulable } from "../schedulable.ts";
import type { TransactorRequest, WireCall, WireRun } from "./transactor-protocol.ts";
import { asAddress, asObject } from "../isolate/syscall-arguments.ts";
import type { OpenBatch, Transactor } from "./transactor.ts";

const INTERRUPTED = "The deployment stopped while this action was running. Actions run at most once.";
const AT_A_TIME = 500;

export function answerJobs(transactor: Transactor, batch: OpenBatch, request: TransactorRequest): unknown {
  const { database } = transactor;
  switch (request.kind) {
    case "dueJobs":
      return dueJobsOfAll(transactor, request.params.now, request.params.limit);
    case "schedule": {
      const { component, address, args, at } = request.params;
      const path = schedulable(asAddress(asObject(address)), component, transactor.services.registry);
      return transactor.transact(batch, (transaction) => scheduleJob(transaction.in(component), { path, args, at }), true);
    }
    case "cancelJob": {
      const { component, id } = request.params;
      transactor.transact(batch, (transaction) => cancelJob(transaction.in(component), id, Date.now()), true);
      return null;
    }
    case "runJob":
      return runJob(transactor, batch, request);
    case "startJob":
      return transactor.transact(batch, (transaction) => startJob(ofJob(transactor, transaction, request.params.id), request.params.id));
    case "finishJob": {
      const { id, end } = request.params;
      transactor.transact(batch, (transaction) => finishJob(ofJob(transactor, transaction, id), id, end, Date.now()));
      return null;
    }
    case "recoverJobs":
      return inEachComponent(transactor, batch, (transaction) => {
        const ids = interruptedJobs(transaction, AT_A_TIME);
        for (const id of ids) finishJob(transaction, id, { kind: "failed", error: INTERRUPTED }, Date.now());
        return ids.length;
      });
    case "cleanJobs":
      return inEachComponent(transactor, batch, (transaction) => {
        const ids = endedJobs(transaction, request.params.before, request.params.limit);
        for (const id of ids) transaction.system.remove(id);
        return ids.length;
      });
    case "crons":
      return readCrons(database.settings).map((cron) => ({
        ...cron,
        type: transactor.services.registry.lookUp(parseFunctionPath(cron.path, cron.component), "any")?.kind ?? "mutation",
      }));
    case "runCron":
      return runCron(transactor, batch, request);
    case "moveCron":
      return moveCron(database.settings, request.params);
    default:
      throw new Error(`Unknown request ${request.kind}.`);
  }
}

const ofJob = ({ database }: Transactor, transaction: Transaction, id: string): Transaction => transaction.in(database.componentOf(id));

function inEachComponent(transactor: Transactor, batch: OpenBatch, change: (transaction: Transaction) => number): number {
  return transactor.transact(batch, (transaction) =>
    Math.max(...transactor.database.components().map((component) => change(transaction.in(component)))),
  );
}

function dueJobsOfAll({ database }: Transactor, now: number, limit: number): { due: Job[]; next: number | null } {
  const transaction = database.beginQuery();
  const found = database.components().map((component) => dueJobs(transaction.in(component), now, limit));
  const [only] = found;
  if (only && found.length === 1) return only;
  const due = found.flatMap((jobs) => jobs.due).toSorted((a, b) => a.at - b.at);
  const next = [...found.map((jobs) => jobs.next), due[limit]?.at ?? null].filter((at) => at !== null);
  return { due: due.slice(0, limit), next: next.length === 0 ? null : Math.min(...next) };
}

/** Runs exactly once, since the job's row changes in the same commit. Returns null if the job is no longer pending. */
async function runJob(transactor: Transactor, batch: OpenBatch, request: TransactorRequest & { kind: "runJob" }): Promise<WireRun | null> {
  const { id } = request.params;
  const job = pendingJob(ofJob(transactor, transactor.database.beginQuery(), id), id);
  if (!job) return null;
  return transactor.runMutation(batch, request, callOf(job.path, job.args), {
    jobId: id,
    settle: (transaction) => finishJob(ofJob(transactor, transaction, id), id, { kind: "success" }, Date.now()),
    failed: (error, current) =>
      transactor.transact(current, (transaction) =>
        finishJob(ofJob(transactor, transaction, id), id, { kind: "failed", error }, Date.now()),
      ),
  });
}

/** Stores the next run in the same commit. Returns null if the cron's next run is no longer due at this time. */
async function runCron(
  transactor: Transactor,
  batch: OpenBatch,
  request: TransactorRequest & { kind: "runCron" },
): Promise<WireRun | null> {
  const { component, name, due } = request.params;
  const { settings } = transactor.database;
  const cron = readCrons(settings).find((cron) => cron.component === component && cron.name === name && cron.next === due);
  if (!cron) return null;
  const move = (): void => void moveCron(settings, request.params);
  return transactor.runMutation(batch, request, callOf(parseFunctionPath(cron.path, component), cron.args), {
    committed: move,
    failed: move,
  });
}

/** Returns the call of a job, without a user (docs.convex.dev/scheduling/scheduled-functions#auth-in-scheduled-functions). */
const callOf = (path: FunctionPath, args: Json): WireCall => ({
  path: showFunctionPath(path),
  component: path.component,
  args: JSON.stringify(args),
  identity: { kind: "none" },
  visibility: "any",
});
