import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { remainingPathOf } from "../model/access";
import { readUntil } from "../model/comments/unread";
import { notifyPerson } from "../model/notifications/notify";

const BATCH = 50;

export const tellOfThread = internalMutation({
  args: { threadId: v.id("commentThreads"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { threadId, cursor }) => {
    const thread = await ctx.db.get(threadId);
    const found = thread && (await remainingPathOf(ctx, thread.itemId));
    const first = thread && (await firstComment(ctx, thread));
    if (!thread || !found || !first || first.deletedAt !== undefined) return null;
    const { project } = found;
    const { page, isDone, continueCursor } = await ctx.db
      .query("projectMembers")
      .withIndex("by_project", (q) => q.eq("projectId", project._id))
      .paginate({ cursor, numItems: BATCH });
    const people = [...(cursor === null ? [project.ownerId] : []), ...page.map(({ userId }) => userId)];
    const { itemId, authorId } = thread;
    const guest = first.guestName !== undefined && { guest: first.guestName };
    const notice = { kind: "comment" as const, actorId: authorId, itemId, threadId, ...guest };
    const subject = { itemId, threadId, commentId: first._id, at: first.createdAt, ...(first.linkId && { linkId: first.linkId }) };
    for (const userId of people)
      if (userId !== authorId && !first.mentions.includes(userId)) {
        const isRead = (await readUntil({ ...ctx, user: { id: userId } }, itemId)) >= first.createdAt;
        await notifyPerson(ctx, userId, project._id, notice, { ...subject, isRead });
      }
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.notifications.tellOfThread, { threadId, cursor: continueCursor });
    return null;
  },
});

const firstComment = ({ db }: MutationCtx, { _id }: Doc<"commentThreads">) =>
  db
    .query("comments")
    .withIndex("by_thread", (q) => q.eq("threadId", _id).eq("isReply", false))
    .first();
