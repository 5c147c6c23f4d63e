import { v } from "convex/values";
import { userMutation } from "./model/access";
import { notFound } from "./model/errors";
import { recordChanges, stepRows } from "./model/undo/recordChanges";
import { revertChanges } from "./model/undo/revertChanges";

/** Undoes the caller's step, and redoes it when called again. Throws "conflict" if an item was changed since. */
export const revert = userMutation({
  args: { step: v.string() },
  returns: v.null(),
  handler: async (ctx, { step }) => {
    const rows = await stepRows(ctx, ctx.user.id, step);
    if (rows.length === 0) throw notFound();
    const recorder = recordChanges(ctx);
    await revertChanges(
      { ...ctx, db: recorder.db },
      rows.flatMap(({ changes }) => changes),
    );
    await recorder.save(step);
    return null;
  },
});
