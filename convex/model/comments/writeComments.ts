import { type ObjectType, v } from "convex/values";
import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import { versionFor } from "../../versions";
import { type AuthorCtx, hasRight, type UserMutationCtx } from "../access";
import { check } from "../check";
import { limit, notFound, stale } from "../errors";
import { cleanText } from "../names";
import { placeThread, writeComment, writeCommentWithImages } from "../rules";
import { deleteImages, setImages } from "./commentImages";
import { anchor } from "./commentTables";
import { mentionedIn, shownText, storedText, withoutNames } from "./mentions";
import { peopleOf } from "./people";
import { firstOf } from "./readThreads";
import { type CommentedPath, commentedFor } from "./commentedItem";
import { deleteThread, insertComment, mentionedPeople, updateMentions, threadFor } from "./threads";
import { countOpenThreads } from "./unread";

const WRITTEN_MAX = 30;
const MINUTE = 60 * 1000;

export const asAuthor = (ctx: UserMutationCtx): AuthorCtx => ({ ...ctx, author: { id: ctx.user.id } });

export const withImages = { imageIds: v.optional(v.array(v.string())) };
type WithImages = ObjectType<typeof withImages>;

const checkText = (args: WithImages & { text: string }) =>
  check((args.imageIds ?? []).length > 0 ? writeCommentWithImages : writeComment, args);

export const newThread = {
  itemId: v.string(),
  versionId: v.optional(v.string()),
  anchor: v.optional(anchor),
  text: v.string(),
  key: v.string(),
};

export async function addThread(ctx: AuthorCtx, args: ObjectType<typeof newThread> & WithImages): Promise<Id<"commentThreads">> {
  const path = await commentedFor(ctx, args.itemId, "comment");
  const { item } = path;
  const { text } = checkText(args);
  const { key, anchor: at } = check(placeThread, args);
  const { author } = ctx;
  const existing = await ctx.db
    .query("commentThreads")
    .withIndex("by_key", (q) => q.eq("authorId", author.id).eq("key", key))
    .unique();
  if (existing) return existing._id;
  await expectPace(ctx);
  const now = Date.now();
  const version = path.image ? await versionOf(ctx, path.image, args.versionId) : {};
  const threadId = await ctx.db.insert("commentThreads", {
    itemId: item._id,
    ...(at && path.image && { anchor: at }),
    ...version,
    authorId: author.id,
    lastAt: now,
    commentCount: 0,
    key,
  });
  await countOpenThreads(ctx, item._id, 1);
  const thread = await ctx.db.get(threadId);
  if (thread) await insertComment(ctx, path, thread, { text, key, at: now, imageIds: args.imageIds });
  return threadId;
}

async function versionOf(ctx: AuthorCtx, image: Doc<"designImages">, versionId: string | undefined) {
  const id = versionId ?? image.versionId;
  if (id === undefined) return { versionNumber: 1 };
  const version = await versionFor(ctx, image, id);
  return { versionId: version._id, versionNumber: version.number };
}

export const newReply = { threadId: v.string(), text: v.string(), key: v.string() };

export async function addReply(ctx: AuthorCtx, args: ObjectType<typeof newReply> & WithImages): Promise<Id<"comments">> {
  const { thread, ...path } = await threadFor(ctx, args.threadId, "comment");
  const { text } = checkText(args);
  const { key } = check(placeThread, { key: args.key });
  const existing = await ctx.db
    .query("comments")
    .withIndex("by_key", (q) => q.eq("authorId", ctx.author.id).eq("key", key))
    .unique();
  if (existing) return existing._id;
  await expectPace(ctx);
  return insertComment(ctx, path, thread, { text, key, at: Date.now(), imageIds: args.imageIds });
}

async function expectPace({ db, author }: AuthorCtx): Promise<void> {
  const written = await db
    .query("comments")
    .withIndex("by_author", (q) => q.eq("authorId", author.id).gt("createdAt", Date.now() - MINUTE))
    .take(WRITTEN_MAX);
  if (written.length >= WRITTEN_MAX) throw limit("Too many comments. Try again in a minute.");
}

export const changedComment = { commentId: v.string(), text: v.string(), from: v.optional(v.string()) };

export async function changeComment(ctx: AuthorCtx, args: ObjectType<typeof changedComment> & WithImages): Promise<void> {
  const { comment, thread, ...path } = await commentFor(ctx, args.commentId);
  if (!isBy(ctx, comment)) throw notFound();
  const { imageIds = comment.imageIds ?? [] } = args;
  const { text: typed } = checkText({ ...args, imageIds });
  const allowed = await mentionedPeople(ctx, path.project, typed);
  const text = storedText(typed, new Set(allowed));
  const hasSameImages = imageIds.join(" ") === (comment.imageIds ?? []).join(" ");
  if (text === comment.text && hasSameImages) return;
  if (args.from !== undefined && withoutNames(cleanText(args.from)) !== comment.text)
    throw stale(shownText(comment.text, await peopleOf(ctx)(mentionedIn(comment.text))));
  const mentions = mentionedIn(text);
  const editedAt = Date.now();
  if (!hasSameImages) await setImages(ctx, comment, path, imageIds);
  await ctx.db.patch(comment._id, { text, mentions, editedAt });
  await updateMentions(ctx, path, thread, { cause: { commentId: comment._id, at: editedAt }, before: comment.mentions, now: mentions });
}

export async function removeComment(ctx: AuthorCtx, commentId: string): Promise<void> {
  const path = await commentFor(ctx, commentId);
  if (!isBy(ctx, path.comment) && !(await hasRight(ctx, path.project, "moderate"))) throw notFound();
  await deleteComment(ctx, path);
}

/** Returns whether the author wrote the comment. Through a link, authors can change only comments that were written through it. */
const isBy = ({ author, user }: AuthorCtx, { authorId, linkId }: Doc<"comments">): boolean =>
  authorId === author.id && (user !== null || linkId === author.linkId);

type CommentPath = CommentedPath & { thread: Doc<"commentThreads">; comment: Doc<"comments"> };

async function deleteComment(ctx: AuthorCtx, { comment, thread, ...path }: CommentPath): Promise<void> {
  await updateMentions(ctx, path, thread, { cause: { commentId: comment._id, at: Date.now() }, before: comment.mentions, now: [] });
  await ctx.scheduler.runAfter(0, internal.jobs.comments.forgetReactions, { commentId: comment._id });
  const named = { threadId: thread._id, commentId: comment._id, cursor: null };
  if (comment.guestName !== undefined) await ctx.scheduler.runAfter(0, internal.jobs.comments.forgetGuest, named);
  const commentCount = thread.commentCount - (comment.isReply ? 1 : 0);
  await deleteImages(ctx, comment.imageIds);
  const emptied = {
    text: "",
    mentions: [],
    imageIds: undefined,
    reactions: [],
    editedAt: undefined,
    linkId: undefined,
    guestName: undefined,
    deletedAt: Date.now(),
  };
  if (comment.isReply) await ctx.db.delete(comment._id);
  else await ctx.db.patch(comment._id, emptied);
  if (commentCount > 1 || (comment.isReply && !(await isFirstDeleted(ctx, thread)))) await ctx.db.patch(thread._id, { commentCount });
  else await deleteThread(ctx, thread);
}

async function isFirstDeleted(ctx: QueryCtx, thread: Doc<"commentThreads">): Promise<boolean> {
  return (await firstOf(ctx, thread._id))?.deletedAt !== undefined;
}

/** Throws "not_found" for a deleted comment too. */
export async function commentFor(
  ctx: AuthorCtx | UserMutationCtx,
  id: string,
  right: "comment" | "react" = "comment",
): Promise<CommentPath> {
  const commentId = ctx.db.normalizeId("comments", id);
  const comment = commentId && (await ctx.db.get(commentId));
  if (!comment || comment.deletedAt !== undefined) throw notFound();
  return { ...(await threadFor(ctx, comment.threadId, right)), comment };
}
