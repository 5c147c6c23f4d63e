import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { deleteRowsOf } from "../model/comments/threads";
import { forgetReads } from "../model/comments/unread";

/** Rows per transaction: few, because other writers wait for it. */
const BATCH = 100;

export const purgeThread = internalMutation({
  args: { threadId: v.id("commentThreads") },
  returns: v.null(),
  handler: async (ctx, { threadId }) => {
    if ((await deleteRowsOf(ctx, threadId, BATCH)) === BATCH)
      await ctx.scheduler.runAfter(0, internal.jobs.comments.purgeThread, { threadId });
    return null;
  },
});

/** Deletes the threads of a deleted design or image, and their read marks. */
export const purgeItem = internalMutation({
  args: { itemId: v.union(v.id("designs"), v.id("designImages")) },
  returns: v.null(),
  handler: async (ctx, { itemId }) => {
    const reads = await forgetReads(ctx, itemId, BATCH);
    const isDone = reads < BATCH && (await deleteThreadsOf(ctx, itemId, BATCH - reads));
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.comments.purgeItem, { itemId });
    return null;
  },
});

async function deleteThreadsOf(ctx: MutationCtx, itemId: Doc<"commentThreads">["itemId"], limit: number): Promise<boolean> {
  let left = limit;
  const threads = ctx.db.query("commentThreads").withIndex("by_item", (q) => q.eq("itemId", itemId));
  for await (const thread of threads) {
    left -= await deleteRowsOf(ctx, thread._id, left);
    if (left <= 0) return false;
    await ctx.db.delete(thread._id);
    left -= 1;
    if (left <= 0) return false;
  }
  return true;
}

export const forgetReactions = internalMutation({
  args: { commentId: v.id("comments") },
  returns: v.null(),
  handler: async (ctx, { commentId }) => {
    const rows = await ctx.db
      .query("commentReactions")
      .withIndex("by_comment", (q) => q.eq("commentId", commentId))
      .take(BATCH);
    for (const { _id } of rows) await ctx.db.delete(_id);
    if (rows.length === BATCH) await ctx.scheduler.runAfter(0, internal.jobs.comments.forgetReactions, { commentId });
    return null;
  },
});
