import { moveCron, readCrons } from "../../scheduler/cron-store.ts";
import { cancelJob, dueJobs, endedJobs, finishJob, interruptedJobs, pendingJob, scheduleJob, startJob } from "../../scheduler/jobs.ts";
import type { Json } from "../../values/types.ts";
import { canonicalFunctionPath, parseFunctionPath, resolveAddress, showFunctionPath } from "../paths.ts";
import type { Question, WireCall, WireRun } from "./transactor-protocol.ts";
import { asAddress, asObject } from "../isolate/syscall-arguments.ts";
import type { OpenBatch, Transactor } from "./transactor.ts";

const INTERRUPTED = "The deployment stopped while this action was running. Actions run at most once.";
const AT_A_TIME = 500;

export function answerJobs(transactor: Transactor, batch: OpenBatch, question: Question): unknown {
  const { database } = transactor;
  switch (question.kind) {
    case "dueJobs":
      return dueJobs(database.beginQuery(), question.params.now, question.params.limit);
    case "schedule": {
      const path = resolveAddress(asAddress(asObject(question.params.address)));
      const target = transactor.services.registry.lookUp(path, "any");
      if (!target) throw new Error(`Attempted to schedule function at nonexistent path: ${showFunctionPath(path)}`);
      if (target.kind === "query") throw new Error(`Queries cannot be scheduled: ${showFunctionPath(path)} is one.`);
      const job = { name: canonicalFunctionPath(path), args: question.params.args, at: question.params.at };
      return transactor.transact(batch, (transaction) => scheduleJob(transaction, job), true);
    }
    case "cancelJob":
      transactor.transact(batch, (transaction) => cancelJob(transaction, question.params.id, Date.now()), true);
      return null;
    case "runJob":
      return runJob(transactor, batch, question);
    case "startJob":
      return transactor.transact(batch, (transaction) => startJob(transaction, question.params.id));
    case "finishJob":
      transactor.transact(batch, (transaction) => finishJob(transaction, question.params.id, question.params.end, Date.now()));
      return null;
    case "recoverJobs":
      return transactor.transact(batch, (transaction) => {
        const ids = interruptedJobs(transaction, AT_A_TIME);
        for (const id of ids) finishJob(transaction, id, { kind: "failed", error: INTERRUPTED }, Date.now());
        return ids.length;
      });
    case "cleanJobs":
      return transactor.transact(batch, (transaction) => {
        const ids = endedJobs(transaction, question.params.before, question.params.limit);
        for (const id of ids) transaction.system.remove(id);
        return ids.length;
      });
    case "crons":
      return readCrons(database.settings).map((cron) => ({
        ...cron,
        type: transactor.services.registry.lookUp(parseFunctionPath(cron.path), "any")?.kind ?? "mutation",
      }));
    case "runCron":
      return runCron(transactor, batch, question);
    case "moveCron":
      return moveCron(database.settings, question.params.name, question.params.due, question.params.next);
    default:
      throw new Error(`Unknown request ${question.kind}.`);
  }
}

/** Runs exactly once, since the job's row changes in the same commit. Returns null if the job is no longer pending. */
async function runJob(transactor: Transactor, batch: OpenBatch, question: Question & { kind: "runJob" }): Promise<WireRun | null> {
  const { id } = question.params;
  const job = pendingJob(transactor.database.beginQuery(), id);
  if (!job) return null;
  return transactor.runMutation(batch, question, callOf(job.name, job.args), {
    jobId: id,
    settle: (transaction) => finishJob(transaction, id, { kind: "success" }, Date.now()),
    failed: (error, current) =>
      transactor.transact(current, (transaction) => finishJob(transaction, id, { kind: "failed", error }, Date.now())),
  });
}

/** Stores the next run in the same commit. Returns null if the cron's next run is no longer due at this time. */
async function runCron(transactor: Transactor, batch: OpenBatch, question: Question & { kind: "runCron" }): Promise<WireRun | null> {
  const { name, due, next } = question.params;
  const { settings } = transactor.database;
  const cron = readCrons(settings).find((cron) => cron.name === name && cron.next === due);
  if (!cron) return null;
  const move = (): void => void moveCron(settings, name, due, next);
  return transactor.runMutation(batch, question, callOf(cron.path, cron.args), { committed: move, failed: move });
}

/** Returns the call of a job, without a user (docs.convex.dev/scheduling/scheduled-functions#auth-in-scheduled-functions). */
const callOf = (path: string, args: Json): WireCall => ({
  path,
  args: JSON.stringify(args),
  identity: { kind: "none" },
  visibility: "any",
});
