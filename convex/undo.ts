import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { userMutation, type UserMutationCtx } from "./model/access";
import { partOf, scheduleBatch, stateOf } from "./model/bulk/batches";
import { expectFewRunning } from "./model/bulk/expectFewRunning";
import { conflict, notFound } from "./model/errors";
import { recordChanges, stepRows } from "./model/undo/recordChanges";
import { revertAsJob } from "./model/undo/revertAsJob";
import { revertChanges } from "./model/undo/revertChanges";

/** Undoes the caller's step, and redoes it when called again; large steps in a job. Throws "conflict" if an item was changed since, and "limit" above `RUNNING_MAX` jobs. */
export const revert = userMutation({
  args: { step: v.string() },
  returns: v.null(),
  handler: async (ctx, { step }) => {
    const job = await ctx.db
      .query("bulkJobs")
      .withIndex("by_user", (q) => q.eq("userId", ctx.user.id).eq("step", step))
      .unique();
    if (job) return revertJob(ctx, job);
    const rows = await stepRows(ctx, ctx.user.id, step);
    if (rows.length === 0) throw notFound();
    if (await revertAsJob(ctx, step, rows)) return null;
    const recorder = recordChanges(ctx);
    await revertChanges(
      { ...ctx, db: recorder.db, step: { name: step } },
      rows.flatMap(({ changes }) => changes),
    );
    await recorder.save(step);
    return null;
  },
});

/** Undoes a bulk action in batches, even while it runs. The next call redoes it. */
async function revertJob(ctx: UserMutationCtx, job: Doc<"bulkJobs">): Promise<null> {
  const isRunning = (await stateOf(ctx, job)) === "running";
  if (job.phase !== "do" && isRunning) throw conflict("The action is still running. Try again when it is complete.");
  if (!isRunning) await expectFewRunning(ctx);
  const phase = job.phase === "undo" ? "redo" : "undo";
  const run = job.run + 1;
  const rows = await stepRows(ctx, ctx.user.id, partOf(job.step, job.part));
  // A part of an earlier build is already complete, so the other direction starts at the next part.
  const skipped = rows.length > 0 && rows.every(({ isUndone }) => isUndone === undefined) ? 1 : 0;
  await ctx.db.patch(job._id, {
    phase,
    run,
    state: "running",
    // A part that was only partly undone is redone too, and vice versa.
    part: phase === "undo" ? Math.min(job.phase === "do" ? Infinity : job.part - skipped, job.parts - 1) : Math.max(job.part + skipped, 0),
    waiting: [],
    total: (phase === "undo" ? job.applied : job.undone) ?? job.done,
    done: 0,
    failed: 0,
    failures: [],
    isDismissed: false,
  });
  await scheduleBatch(ctx, job._id, run);
  return null;
}
