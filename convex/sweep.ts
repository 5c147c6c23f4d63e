import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { releaseFile } from "./files";

/**
 * Drops stored files that no row points at: bytes whose upload was never finished. Files are looked at once, in the order in which they
 * came: a row that goes takes its file with it (`purge.ts`), so what was found in use needs no second look.
 */

/** A file gets this long to be finalized (milliseconds). */
const GRACE = 60 * 60 * 1000;
/** Files that one transaction looks at. */
const SWEEP_BATCH = 200;

/** One batch, between two creation times; the next is scheduled by it, and the last one notes how far the sweep came. */
export const run = internalMutation({
  args: { batch: v.optional(v.object({ cursor: v.union(v.string(), v.null()), from: v.number(), until: v.number() })) },
  returns: v.null(),
  handler: async (ctx, { batch }) => {
    const mark = await ctx.db.query("sweeps").first();
    const from = batch?.from ?? mark?.sweptUntil ?? 0;
    const until = batch?.until ?? Date.now() - GRACE;
    const files = await ctx.db.system
      .query("_storage")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", from).lte("_creationTime", until))
      .paginate({ cursor: batch?.cursor ?? null, numItems: SWEEP_BATCH });
    for (const { _id } of files.page) await releaseFile(ctx, _id);
    if (!files.isDone) await ctx.scheduler.runAfter(0, internal.sweep.run, { batch: { cursor: files.continueCursor, from, until } });
    else if (!mark) await ctx.db.insert("sweeps", { sweptUntil: until });
    else if (until > mark.sweptUntil) await ctx.db.patch(mark._id, { sweptUntil: until });
    return null;
  },
});
