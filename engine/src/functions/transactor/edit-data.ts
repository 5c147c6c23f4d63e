import { isDeepStrictEqual } from "node:util";
import { cancelJob } from "../../scheduler/jobs.ts";
import type { Transaction } from "../../transaction/types.ts";
import { FunctionError } from "../../values/errors.ts";
import type { Json } from "../../values/types.ts";
import type { DataEdit, EditResult } from "../types.ts";
import type { OpenBatch, Transactor } from "./transactor.ts";

/** Makes the change of an administrator in one transaction, or returns why it changed nothing. */
export function editData(transactor: Transactor, batch: OpenBatch, edit: DataEdit): EditResult {
  try {
    const change = (transaction: Transaction, removedFiles: string[]): string[] =>
      apply(transactor, transaction.in(edit.component), edit, removedFiles);
    return { ids: transactor.transact(batch, change, edit.kind === "cancelJobs") };
  } catch (error) {
    if (error instanceof FunctionError) return { refused: error.message };
    throw error;
  }
}

function apply({ services }: Transactor, transaction: Transaction, edit: DataEdit, removedFiles: string[]): string[] {
  switch (edit.kind) {
    case "insert":
      return edit.documents.map((document) => transaction.insert(edit.table, document));
    case "replace": {
      const current: Json = JSON.parse(transaction.get({ id: edit.id, isSystem: false }));
      if (!isDeepStrictEqual(current, edit.before))
        throw new FunctionError(
          current === null
            ? `The document ${edit.id} was deleted meanwhile. Nothing was saved.`
            : `The document ${edit.id} was changed meanwhile. Nothing was saved: open it again.`,
        );
      transaction.replace({ id: edit.id, value: edit.document });
      return [edit.id];
    }
    case "delete":
      for (const id of edit.ids) if (transaction.get({ id, isSystem: false }) !== "null") transaction.remove({ id });
      return edit.ids;
    case "deleteFiles":
      for (const id of edit.ids) if (services.files.find(transaction, id)) removedFiles.push(services.files.remove(transaction, id));
      return edit.ids;
    case "cancelJobs":
      for (const id of edit.ids) cancelJob(transaction, id, Date.now());
      return edit.ids;
  }
}
