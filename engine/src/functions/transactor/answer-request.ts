import { OverloadedError, StorageError } from "../../values/errors.ts";
import { answerAdministration } from "./administration.ts";
import { answerJobs } from "./job-operations.ts";
import { packRun } from "./pack-run.ts";
import type { TransactorRequest } from "./transactor-protocol.ts";
import type { OpenBatch, Transactor } from "./transactor.ts";

export async function answerRequest(transactor: Transactor, batch: OpenBatch, request: TransactorRequest): Promise<void> {
  try {
    batch.answers.push({ id: request.id, answer: await answerOf(transactor, batch, request) });
  } catch (caught) {
    const thrown = transactor.database.reportDamage(caught) ?? caught;
    if (thrown instanceof StorageError) batch.failure = thrown;
    const { message, name } = thrown instanceof Error ? thrown : { message: String(thrown), name: "Error" };
    const code = thrown instanceof OverloadedError ? thrown.code : undefined;
    batch.answers.push({ id: request.id, error: { message, name, code } });
  }
}

async function answerOf(transactor: Transactor, batch: OpenBatch, request: TransactorRequest): Promise<unknown> {
  switch (request.kind) {
    case "queries":
      return (await transactor.queries(batch, request)).map(packRun);
    case "inlineQuery":
      return transactor.inlineQuery(request);
    case "mutation":
      return packRun(await transactor.mutation(batch, request));
    case "commitMutation":
      return transactor.commitMutation(batch, request.params.id);
    case "runJob":
    case "runCron":
    case "dueJobs":
    case "schedule":
    case "cancelJob":
    case "startJob":
    case "finishJob":
    case "recoverJobs":
    case "cleanJobs":
    case "crons":
    case "moveCron":
      return answerJobs(transactor, batch, request);
    default:
      return answerAdministration(transactor, batch, request);
  }
}
