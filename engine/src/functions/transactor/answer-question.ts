import { OverloadedError, StorageError } from "../../values/errors.ts";
import { answerAdministration } from "./administration.ts";
import { answerJobs } from "./job-operations.ts";
import { packRun } from "./pack-run.ts";
import type { Question } from "./transactor-protocol.ts";
import type { OpenBatch, Transactor } from "./transactor.ts";

export async function answerQuestion(transactor: Transactor, batch: OpenBatch, question: Question): Promise<void> {
  try {
    batch.answers.push({ id: question.id, answer: await answerOf(transactor, batch, question) });
  } catch (caught) {
    const thrown = transactor.database.reportDamage(caught) ?? caught;
    if (thrown instanceof StorageError) batch.failure = thrown;
    const { message, name } = thrown instanceof Error ? thrown : { message: String(thrown), name: "Error" };
    const code = thrown instanceof OverloadedError ? thrown.code : undefined;
    batch.answers.push({ id: question.id, error: { message, name, code } });
  }
}

async function answerOf(transactor: Transactor, batch: OpenBatch, question: Question): Promise<unknown> {
  switch (question.kind) {
    case "queries":
      return (await transactor.queries(batch, question)).map(packRun);
    case "inlineQuery":
      return transactor.inlineQuery(question);
    case "mutation":
      return packRun(await transactor.mutation(batch, question));
    case "commitMutation":
      return transactor.commitMutation(batch, question.params.id);
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
      return answerJobs(transactor, batch, question);
    default:
      return answerAdministration(transactor, batch, question);
  }
}
