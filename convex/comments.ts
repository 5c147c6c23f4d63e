import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { projectFor, readerQuery, userMutation, userQuery } from "./model/access";
import { recordActivity } from "./model/activities/recordActivity";
import { check } from "./model/check";
import { commentShape, person, pinShape, threadFilter, threadShape } from "./model/comments/commentShapes";
import { pinsOn, REACTIONS_MAX, reactionsOf, repliesIn, threadIn, threadsOn } from "./model/comments/readThreads";
import { countReaction } from "./model/comments/reactions";
import { commentedFor } from "./model/comments/commentedItem";
import { threadFor } from "./model/comments/threads";
import { countOpenThreads, markItemRead } from "./model/comments/unread";
import {
  addReply,
  addThread,
  asAuthor,
  changeComment,
  changedComment,
  commentFor,
  newReply,
  newThread,
  removeComment,
  withImages,
} from "./model/comments/writeComments";
import { limit, notFound } from "./model/errors";
import { nameOf, userOf } from "./model/members";
import { memberRole } from "./model/memberRole";
import { chooseEmoji } from "./model/rules";

/** Comments on designs and images (docs/decisions/182-comments.md). Visitors of public links read them here (decision 191). */

/** People that can be mentioned: the owner and the first members. */
const PEOPLE_MAX = 1000;
const NOTICES_MAX = 500;

/** Returns the threads on an item, newest first. Resolved threads are sorted by the time of their resolution. */
export const listThreads = readerQuery({
  args: { itemId: v.string(), filter: threadFilter, withReplies: v.optional(v.literal(true)), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(threadShape),
  handler: (ctx, args) => threadsOn(ctx, args),
});

export const getThread = readerQuery({
  args: { threadId: v.string() },
  returns: threadShape,
  handler: (ctx, { threadId }) => threadIn(ctx, threadId),
});

export const listReplies = readerQuery({
  args: { threadId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(commentShape),
  handler: (ctx, args) => repliesIn(ctx, args),
});

export const listPins = readerQuery({
  args: { itemId: v.string() },
  returns: v.array(pinShape),
  handler: (ctx, { itemId }) => pinsOn(ctx, itemId),
});

export const listPeople = userQuery({
  args: { projectId: v.string() },
  returns: v.array(v.object({ ...person.fields, role: v.union(v.literal("owner"), memberRole) })),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "readComments");
    const members = await ctx.db
      .query("projectMembers")
      .withIndex("by_addition", (q) => q.eq("projectId", project._id))
      .take(PEOPLE_MAX);
    const people = [{ userId: project.ownerId, role: "owner" as const }, ...members].filter(({ userId }) => userId !== ctx.user.id);
    return Promise.all(people.map(async ({ userId, role }) => ({ userId, role, name: nameOf(await userOf(ctx, userId)) })));
  },
});

/** Returns the earlier thread for a `key` that the caller already used. */
export const startThread = userMutation({
  args: { ...newThread, ...withImages },
  returns: v.id("commentThreads"),
  handler: (ctx, args) => addThread(asAuthor(ctx), args),
});

export const reply = userMutation({
  args: { ...newReply, ...withImages },
  returns: v.id("comments"),
  handler: (ctx, args) => addReply(asAuthor(ctx), args),
});

/** Throws "conflict" with the stored text if it equals neither `from` (the form's initial text) nor the new text. */
export const edit = userMutation({
  args: { ...changedComment, ...withImages },
  returns: v.null(),
  handler: async (ctx, args) => {
    await changeComment(asAuthor(ctx), args);
    return null;
  },
});

/** Deletes a comment of the caller; owners can delete any. A first comment with replies stays, without its text. */
export const remove = userMutation({
  args: { commentId: v.string() },
  returns: v.null(),
  handler: async (ctx, { commentId }) => {
    await removeComment(asAuthor(ctx), commentId);
    return null;
  },
});

/** Deletes all comments that were written through a link, or those of one author. Also after the link was revoked. */
export const removeOfLink = userMutation({
  args: { projectId: v.string(), linkId: v.string(), authorId: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { projectId, authorId, ...args }) => {
    await projectFor(ctx, projectId, "moderate");
    const linkId = ctx.db.normalizeId("links", args.linkId);
    if (!linkId) throw notFound();
    const job = { userId: ctx.user.id, linkId, ...(authorId !== undefined && { authorId }), cursor: null };
    await ctx.scheduler.runAfter(0, internal.jobs.comments.removeOfLink, job);
    return null;
  },
});

export const setResolved = userMutation({
  args: { threadId: v.string(), isResolved: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { threadId, isResolved }) => {
    const { thread, ...path } = await threadFor(ctx, threadId, "resolve");
    if ((thread.resolvedAt !== undefined) === isResolved) return null;
    const resolution = isResolved ? { resolvedAt: Date.now(), resolvedBy: ctx.user.id } : { resolvedAt: undefined, resolvedBy: undefined };
    await ctx.db.patch(thread._id, resolution);
    await countOpenThreads(ctx, thread.itemId, isResolved ? -1 : 1);
    await recordActivity(ctx, { kind: isResolved ? "resolved" : "reopened", ...path });
    return null;
  },
});

/** Throws "limit" above `REACTIONS_MAX` per person and comment. */
export const react = userMutation({
  args: { commentId: v.string(), emoji: v.string(), isOn: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { isOn, ...args }) => {
    const { comment } = await commentFor(ctx, args.commentId, "react");
    const { emoji } = check(chooseEmoji, args);
    const own = await reactionsOf(ctx, comment._id, ctx.user.id);
    const existing = own.find((row) => row.emoji === emoji);
    if ((existing !== undefined) === isOn) return null;
    if (existing) await ctx.db.delete(existing._id);
    else {
      if (own.length >= REACTIONS_MAX) throw limit(`You can add at most ${REACTIONS_MAX} reactions to a comment.`);
      await ctx.db.insert("commentReactions", { commentId: comment._id, threadId: comment.threadId, userId: ctx.user.id, emoji });
    }
    await countReaction(ctx, comment, emoji, isOn ? 1 : -1);
    return null;
  },
});

export const markRead = userMutation({
  args: { itemId: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { item, ...path } = await commentedFor(ctx, args.itemId, "readComments");
    if (item.lastCommentAt === undefined) return null;
    await markItemRead(ctx, path, Date.now());
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_item", (q) => q.eq("userId", ctx.user.id).eq("itemId", item._id).eq("read", false))
      .take(NOTICES_MAX);
    for (const { _id } of notices) await ctx.db.patch(_id, { read: true });
    return null;
  },
});
