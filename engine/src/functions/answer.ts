/** Which part of the transactor answers which question. */
import { StorageError } from "../values/errors.ts";
import { answerAdministration } from "./administration.ts";
import { answerJobs } from "./job-work.ts";
import type { Question } from "./protocol.ts";
import type { OpenBatch, Transactor } from "./work.ts";

/** Answers one question of a batch. Never rejects: what goes wrong is the answer. */
export async function answerQuestion(transactor: Transactor, batch: OpenBatch, question: Question): Promise<void> {
  try {
    batch.answers.push({ id: question.id, answer: await answerOf(transactor, batch, question) });
  } catch (thrown) {
    if (thrown instanceof StorageError) batch.failure = thrown;
    const { message, name } = thrown instanceof Error ? thrown : { message: String(thrown), name: "Error" };
    batch.answers.push({ id: question.id, error: { message, name } });
  }
}

async function answerOf(transactor: Transactor, batch: OpenBatch, question: Question): Promise<unknown> {
  switch (question.kind) {
    case "queries":
      return transactor.queries(batch, question);
    case "mutation":
      return transactor.mutation(batch, question);
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
