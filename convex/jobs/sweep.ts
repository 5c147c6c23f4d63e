import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { internalMutation } from "../model/functions";
import { discardFile, isFileInUse } from "../model/images/files";

// Deletes files of uploads that were never finalized. Each is checked once, since `purge.ts` deletes files with their rows.
// If too many have no row, rows are probably missing, so none is deleted. `npx convex run sweep:run '{"anyNumber": true}'` lifts the limit.

const GRACE = 60 * 60 * 1000;
const SWEEP_BATCH = 200;
const MAX_FILES = 100;
const MAX_SHARE = 0.01;
/** On small deployments 1 % is too few: up to 10 files may be deleted, but at most half of all. */
const FEW_FILES = 10;
const MAX_SHARE_OF_FEW = 0.5;

const batchShape = v.object({
  cursor: v.union(v.string(), v.null()),
  from: v.number(),
  until: v.number(),
  checked: v.optional(v.number()),
  unused: v.optional(v.array(v.id("_storage"))),
});

export const run = internalMutation({
  args: { batch: v.optional(batchShape), anyNumber: v.optional(v.boolean()) },
  returns: v.null(),
  handler: async (ctx, { batch, anyNumber = false }) => {
    const mark = await ctx.db.query("sweeps").first();
    // Earlier builds stored no count, so everything is checked once more.
    const last = mark?.files === undefined ? { sweptUntil: 0, files: 0 } : { sweptUntil: mark.sweptUntil, files: mark.files };
    const from = batch?.from ?? last.sweptUntil;
    const until = batch?.until ?? Date.now() - GRACE;
    const files = await ctx.db.system
      .query("_storage")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", from).lte("_creationTime", until))
      .paginate({ cursor: batch?.cursor ?? null, numItems: SWEEP_BATCH });

    const checked = (batch?.checked ?? last.files) + files.page.length;
    const unused: Id<"_storage">[] = [...(batch?.unused ?? [])];
    for (const { _id } of files.page) {
      if (anyNumber) await discardFile(ctx, _id);
      else if (!(await isFileInUse(ctx, _id))) unused.push(_id);
    }

    const limit = files.isDone ? limitFor(checked) : MAX_FILES;
    if (unused.length > limit) {
      console.error(
        `${unused.length} or more of ${checked} stored files have no row: too many to be abandoned uploads, so none was deleted. If rows are not missing, run sweep:run with {"anyNumber": true}.`,
      );
      return null;
    }
    if (!files.isDone) {
      const next = { cursor: files.continueCursor, from, until, checked, unused };
      await ctx.scheduler.runAfter(0, internal.jobs.sweep.run, { batch: next, anyNumber });
      return null;
    }
    for (const id of unused) await discardFile(ctx, id);
    const sweptUntil = Math.max(until, mark?.sweptUntil ?? 0);
    if (mark) await ctx.db.patch(mark._id, { sweptUntil, files: checked });
    else await ctx.db.insert("sweeps", { sweptUntil, files: checked });
    return null;
  },
});

const limitFor = (files: number): number =>
  Math.min(MAX_FILES, Math.max(1, files * MAX_SHARE, Math.min(FEW_FILES, files * MAX_SHARE_OF_FEW)));
