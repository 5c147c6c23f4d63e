import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { rowOfFile } from "../model/images/files";
import { liveCounts, usageOf } from "../model/limits/usage";

const COUNT_BATCH = 1000;

/** Counts files of images, then of versions, then in comments. A concurrent change restarts the count, so that the sum is consistent. */
export const count = internalMutation({
  args: {
    ownerId: v.string(),
    run: v.number(),
    cursor: v.union(v.string(), v.null()),
    ofVersions: v.optional(v.boolean()),
    ofComments: v.optional(v.boolean()),
  },
  returns: v.null(),
  handler: async (ctx, { ownerId, run, cursor, ofVersions = false, ofComments = false }) => {
    let row = await usageOf(ctx, ownerId);
    if (row && run === 0 && cursor === null && !ofVersions && !ofComments) return null;
    if (!row) {
      if (!(await isUser(ctx, ownerId))) return null;
      const id = await ctx.db.insert("usage", { ownerId, ...(await liveCounts(ctx, ownerId)), bytes: 0, counting: run });
      row = await ctx.db.get(id);
    }
    if (!row || row.counting !== run) return null;
    const rows = ofComments
      ? ctx.db.query("commentImages").withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
      : ofVersions
        ? ctx.db.query("imageVersions").withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
        : ctx.db.query("designImages").withIndex("by_trash", (q) => q.eq("ownerId", ownerId));
    const { page, isDone, continueCursor } = await rows.paginate({ cursor, numItems: COUNT_BATCH });
    let { bytes } = row;
    for (const each of page) if (ofComments || (await isFirstOfItsFile(ctx, each))) bytes += each.size;
    const isOver = isDone && ofComments;
    await ctx.db.patch(row._id, { bytes, counting: isOver ? undefined : run });
    const next = isDone ? { cursor: null, ofVersions: true, ofComments: ofVersions } : { cursor: continueCursor, ofVersions, ofComments };
    if (!isOver) await ctx.scheduler.runAfter(0, internal.jobs.countUsage.count, { ownerId, run, ...next });
    return null;
  },
});

async function isUser(ctx: QueryCtx, ownerId: string): Promise<boolean> {
  const user = await ctx.db
    .query("users")
    .withIndex("id", (q) => q.eq("id", ownerId))
    .first();
  return user !== null;
}

type FileRow = Doc<"designImages"> | Doc<"imageVersions"> | Doc<"commentImages">;

async function isFirstOfItsFile(ctx: QueryCtx, { _id, storageId, ownerId }: FileRow): Promise<boolean> {
  return (await rowOfFile(ctx, storageId, { ownerId }))?._id === _id;
}
