import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { ifVisible } from "../model/access";
import { deleteImages, deleteImagesOn, transferImage } from "../model/comments/commentImages";
import { deleteRowsOf } from "../model/comments/threads";
import { deleteReads } from "../model/comments/unread";
import { asAuthor, removeComment } from "../model/comments/writeComments";
import { userOf } from "../model/members";

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

export const purgeItem = internalMutation({
  args: { itemId: v.union(v.id("designs"), v.id("designImages")) },
  returns: v.null(),
  handler: async (ctx, { itemId }) => {
    const reads = await deleteReads(ctx, itemId, BATCH);
    const images = reads < BATCH ? await deleteImagesOn(ctx, itemId, BATCH - reads) : 0;
    const left = BATCH - reads - images;
    const isDone = left > 0 && (await deleteThreadsOf(ctx, itemId, left));
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

export const forgetGuest = internalMutation({
  args: { threadId: v.id("commentThreads"), commentId: v.string(), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { cursor, ...args }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("notices")
      .withIndex("by_thread", (q) => q.eq("threadId", args.threadId))
      .paginate({ cursor, numItems: BATCH });
    for (const { _id, commentId, notice } of page)
      if (commentId === args.commentId && "guest" in notice) await ctx.db.patch(_id, { notice: { ...notice, guest: "Someone" } });
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.comments.forgetGuest, { ...args, cursor: continueCursor });
    return null;
  },
});

export const transferImages = internalMutation({
  args: { itemId: v.union(v.id("designs"), v.id("designImages")), ownerId: v.string(), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { cursor, ...args }) => {
    const { itemId, ownerId } = args;
    const { page, isDone, continueCursor } = await ctx.db
      .query("commentImages")
      .withIndex("by_item", (q) => q.eq("itemId", itemId))
      .paginate({ cursor, numItems: BATCH });
    for (const image of page) await transferImage(ctx, image, ownerId);
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.comments.transferImages, { ...args, cursor: continueCursor });
    return null;
  },
});

const UNSENT_KEPT = 24 * 60 * 60 * 1000;

export const sweepImages = internalMutation({
  args: { before: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { before = Date.now() - UNSENT_KEPT }) => {
    const unsent = await ctx.db
      .query("commentImages")
      .withIndex("by_comment", (q) => q.eq("commentId", undefined).lt("_creationTime", before))
      .take(BATCH);
    await deleteImages(
      ctx,
      unsent.map(({ _id }) => _id),
    );
    if (unsent.length === BATCH) await ctx.scheduler.runAfter(0, internal.jobs.comments.sweepImages, { before });
    return null;
  },
});

const REMOVED_AT_ONCE = 20;

export const removeOfLink = internalMutation({
  args: { userId: v.string(), linkId: v.id("links"), authorId: v.optional(v.string()), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { cursor, ...args }) => {
    const { userId, linkId, authorId } = args;
    const user = await userOf(ctx, userId);
    if (!user) return null;
    const { page, isDone, continueCursor } = await ctx.db
      .query("comments")
      .withIndex("by_link", (q) => (authorId === undefined ? q.eq("linkId", linkId) : q.eq("linkId", linkId).eq("authorId", authorId)))
      .paginate({ cursor, numItems: REMOVED_AT_ONCE });
    for (const { _id } of page) await ifVisible(removeComment(asAuthor({ ...ctx, user }), _id));
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.comments.removeOfLink, { ...args, cursor: continueCursor });
    return null;
  },
});
