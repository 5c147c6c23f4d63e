import type { MutationCtx } from "../../_generated/server";
import { changesAccessCopy, updateAccessCopies } from "../items/accessCopies";
import { recordRevocations } from "./recordRevocations";

type Db = MutationCtx["db"];

/** Wraps the database of a mutation. `save` records revocations, and updates the copies of changed projects and designs. */
export function recordAccessChanges(db: Db): { db: Db; save: () => Promise<void> } {
  const changed = new Set<string>();
  const revocations = recordRevocations(db, ({ id, fields }) => {
    if (typeof id === "string" && (fields === "all" || changesAccessCopy(fields))) changed.add(id);
  });
  return {
    db: revocations.db,
    async save() {
      await revocations.save();
      await updateAccessCopies({ db }, changed);
    },
  };
}

export async function recordingAccessChanges<Input extends { ctx: object }>(ctx: MutationCtx, input: (ctx: MutationCtx) => Promise<Input>) {
  const { db, save } = recordAccessChanges(ctx.db);
  const given = await input({ ...ctx, db });
  return { ...given, ctx: { ...given.ctx, db }, onSuccess: save };
}
