import { type PaginationOptions, paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, type ObjectType, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { type CallerCtx, hasRight, type ItemPath, projectFor, userMutation, type UserMutationCtx, userQuery } from "./model/access";
import { check } from "./model/check";
import { anchor } from "./model/comments/commentTables";
import { commentedFor, deleteThread, insertComment, mentionedPeople, noteMentions, threadFor } from "./model/comments/threads";
import { mentionedIn, shownText, storedText, withoutNames } from "./model/comments/mentions";
import { type NamesOf, peopleOf } from "./model/comments/people";
import { countReaction } from "./model/comments/reactions";
import { countOpenThreads, markItemRead, readOf } from "./model/comments/unread";
import { limit, notFound, stale } from "./model/errors";
import { pageOf } from "./model/lists/paging";
import { nameOf, userOf } from "./model/members";
import { memberRole } from "./model/memberRole";
import { cleanText } from "./model/names";
import { chooseEmoji, placeThread, writeComment } from "./model/rules";
import { internal } from "./_generated/api";
import { versionFor } from "./versions";

/** Comments on designs and images (docs/decisions/182-comments.md). */

/** Replies that a list shows per thread. */
const REPLIES_SHOWN = 10;
/** Pins of one image. Open threads come first, so that those remain visible. */
const PINS_MAX = 500;
/** People that can be mentioned: the owner and the first members. */
const PEOPLE_MAX = 1000;
/** Reactions of one person to one comment. */
const REACTIONS_MAX = 10;
/** Comments that a person can write per minute. */
const WRITTEN_MAX = 30;
const MINUTE = 60 * 1000;

const person = v.object({ userId: v.string(), name: v.string() });
export const commentShape = v.object({
  _id: v.id("comments"),
  threadId: v.id("commentThreads"),
  /** Made by the client that wrote it. */
  key: v.string(),
  /** Mentions are "@[name](userId)" with the current name. "" for a deleted comment. */
  text: v.string(),
  author: v.object({ ...person.fields, isMe: v.boolean() }),
  createdAt: v.number(),
  editedAt: v.optional(v.number()),
  isDeleted: v.boolean(),
  mentions: v.array(person),
  reactions: v.array(v.object({ emoji: v.string(), count: v.number(), isMine: v.boolean() })),
});
export type Comment = Infer<typeof commentShape>;

const place = {
  anchor: v.optional(anchor),
  versionId: v.optional(v.id("imageVersions")),
  versionNumber: v.optional(v.number()),
};
const itemId = v.union(v.id("designs"), v.id("designImages"));
export const threadShape = v.object({
  _id: v.id("commentThreads"),
  itemId,
  ...place,
  createdAt: v.number(),
  lastAt: v.number(),
  /** Without the first comment. */
  replyCount: v.number(),
  isResolved: v.boolean(),
  resolvedBy: v.optional(v.string()),
  isUnread: v.boolean(),
  first: commentShape,
  /** The oldest replies, if the query asks for them. */
  replies: v.optional(v.array(commentShape)),
});
export type Thread = Infer<typeof threadShape>;

const filter = v.union(v.literal("open"), v.literal("resolved"), v.literal("mine"), v.literal("mentions"), v.literal("all"));
export type ThreadFilter = Infer<typeof filter>;

/** Returns the threads on an item, the newest first; resolved ones by the time of their resolution. */
export const listThreads = userQuery({
  args: { itemId: v.string(), filter, withReplies: v.optional(v.literal(true)), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(threadShape),
  handler: (ctx, args) => threadsOn(ctx, args),
});

type ThreadsArgs = { itemId: string; filter: ThreadFilter; withReplies?: true; paginationOpts: PaginationOptions };

/** Also for programs (`httpApi.ts`). */
export async function threadsOn(ctx: CallerCtx, { itemId, filter, withReplies, paginationOpts }: ThreadsArgs) {
  const { item } = await commentedFor(ctx, itemId, "view");
  const { page, ...result } = await pageOfThreads(ctx, item._id, filter, pageOf(paginationOpts));
  const show = await threadsShown(ctx, item._id, withReplies === true ? REPLIES_SHOWN : 0);
  return { ...result, page: (await Promise.all(page.map(show))).filter((thread) => thread !== null) };
}

async function pageOfThreads(
  { db, user }: CallerCtx,
  item: Doc<"commentThreads">["itemId"],
  shown: ThreadFilter,
  options: Infer<typeof paginationOptsValidator>,
) {
  const threads = db.query("commentThreads");
  if (shown === "mentions") {
    const { page, ...result } = await db
      .query("commentMentions")
      .withIndex("by_user", (q) => q.eq("userId", user.id).eq("itemId", item))
      .order("desc")
      .paginate(options);
    const mentioning = await Promise.all(page.map(({ threadId }) => db.get(threadId)));
    return { ...result, page: mentioning.filter((thread) => thread !== null) };
  }
  const ordered = {
    open: () => threads.withIndex("by_state", (q) => q.eq("itemId", item).eq("resolvedAt", undefined)),
    resolved: () => threads.withIndex("by_state", (q) => q.eq("itemId", item).gt("resolvedAt", 0)),
    mine: () => threads.withIndex("by_author", (q) => q.eq("authorId", user.id).eq("itemId", item)),
    all: () => threads.withIndex("by_item", (q) => q.eq("itemId", item)),
  }[shown]();
  return ordered.order("desc").paginate(options);
}

export const getThread = userQuery({
  args: { threadId: v.string() },
  returns: threadShape,
  handler: async (ctx, { threadId }) => {
    const { thread } = await threadFor(ctx, threadId, "view");
    const shown = await (await threadsShown(ctx, thread.itemId, 0))(thread);
    if (!shown) throw notFound();
    return shown;
  },
});

/** Returns the replies of a thread, the oldest first. */
export const listReplies = userQuery({
  args: { threadId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(commentShape),
  handler: (ctx, args) => repliesIn(ctx, args),
});

/** Also for programs. */
export async function repliesIn(ctx: CallerCtx, { threadId, paginationOpts }: { threadId: string; paginationOpts: PaginationOptions }) {
  const { thread } = await threadFor(ctx, threadId, "view");
  const result = await repliesOf(ctx, thread._id).paginate(pageOf(paginationOpts));
  const namesOf = peopleOf(ctx);
  return { ...result, page: await Promise.all(result.page.map((row) => toComment(ctx, row, namesOf))) };
}

/** Returns the places of threads on an image, also of earlier versions. */
export const listPins = userQuery({
  args: { itemId: v.string() },
  returns: v.array(
    v.object({
      threadId: v.id("commentThreads"),
      anchor,
      versionId: v.optional(v.id("imageVersions")),
      versionNumber: v.optional(v.number()),
      isResolved: v.boolean(),
      isUnread: v.boolean(),
    }),
  ),
  handler: async (ctx, args) => {
    const { item } = await commentedFor(ctx, args.itemId, "view");
    const readAt = await readUntil(ctx, item._id);
    const open = await ctx.db
      .query("commentThreads")
      .withIndex("by_state", (q) => q.eq("itemId", item._id).eq("resolvedAt", undefined))
      .order("desc")
      .take(PINS_MAX);
    const resolved = await ctx.db
      .query("commentThreads")
      .withIndex("by_state", (q) => q.eq("itemId", item._id).gt("resolvedAt", 0))
      .order("desc")
      .take(Math.max(1, PINS_MAX - open.length));
    return [...open, ...resolved].flatMap(({ _id: threadId, anchor: at, versionId, versionNumber, resolvedAt, lastAt }) =>
      at === undefined
        ? []
        : [
            {
              threadId,
              anchor: at,
              ...(versionId !== undefined && { versionId }),
              ...(versionNumber !== undefined && { versionNumber }),
              isResolved: resolvedAt !== undefined,
              isUnread: lastAt > readAt,
            },
          ],
    );
  },
});

/** Returns the people of a project who can be mentioned, without the caller. */
export const listPeople = userQuery({
  args: { projectId: v.string() },
  returns: v.array(v.object({ ...person.fields, role: v.union(v.literal("owner"), memberRole) })),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "view");
    const members = await ctx.db
      .query("projectMembers")
      .withIndex("by_addition", (q) => q.eq("projectId", project._id))
      .take(PEOPLE_MAX);
    const people = [{ userId: project.ownerId, role: "owner" as const }, ...members].filter(({ userId }) => userId !== ctx.user.id);
    return Promise.all(people.map(async ({ userId, role }) => ({ userId, role, name: nameOf(await userOf(ctx, userId)) })));
  },
});

/** Returns the earlier thread for a `key` that the caller already used. */
const newThread = { itemId: v.string(), versionId: v.optional(v.string()), anchor: v.optional(anchor), text: v.string(), key: v.string() };

/** Returns the earlier thread for a `key` that the caller already used. */
export const startThread = userMutation({
  args: newThread,
  returns: v.id("commentThreads"),
  handler: (ctx, args) => addThread(ctx, args),
});

/** Also for programs. */
export async function addThread(ctx: UserMutationCtx, args: ObjectType<typeof newThread>): Promise<Id<"commentThreads">> {
  const { item, ...path } = await commentedFor(ctx, args.itemId, "comment");
  const { text } = check(writeComment, args);
  const { key, anchor: at } = check(placeThread, args);
  const existing = await ctx.db
    .query("commentThreads")
    .withIndex("by_key", (q) => q.eq("authorId", ctx.user.id).eq("key", key))
    .unique();
  if (existing) return existing._id;
  await expectPace(ctx);
  const now = Date.now();
  const version = path.image ? await versionOf(ctx, path.image, args.versionId) : {};
  const threadId = await ctx.db.insert("commentThreads", {
    itemId: item._id,
    ...(at && path.image && { anchor: at }),
    ...version,
    authorId: ctx.user.id,
    lastAt: now,
    commentCount: 0,
    key,
  });
  await countOpenThreads(ctx, item._id, 1);
  const thread = await ctx.db.get(threadId);
  if (thread) await insertComment(ctx, path, thread, { text, key, at: now });
  return threadId;
}

async function versionOf(ctx: UserMutationCtx, image: Doc<"designImages">, versionId: string | undefined) {
  const id = versionId ?? image.versionId;
  if (id === undefined) return { versionNumber: 1 };
  const version = await versionFor(ctx, image, id);
  return { versionId: version._id, versionNumber: version.number };
}

const newReply = { threadId: v.string(), text: v.string(), key: v.string() };

/** Returns the earlier comment for a `key` that the caller already used. */
export const reply = userMutation({
  args: newReply,
  returns: v.id("comments"),
  handler: (ctx, args) => addReply(ctx, args),
});

/** Also for programs. */
export async function addReply(ctx: UserMutationCtx, args: ObjectType<typeof newReply>): Promise<Id<"comments">> {
  const { thread, ...path } = await threadFor(ctx, args.threadId, "comment");
  const { text } = check(writeComment, args);
  const { key } = check(placeThread, { key: args.key });
  const existing = await ctx.db
    .query("comments")
    .withIndex("by_key", (q) => q.eq("authorId", ctx.user.id).eq("key", key))
    .unique();
  if (existing) return existing._id;
  await expectPace(ctx);
  return insertComment(ctx, path, thread, { text, key, at: Date.now() });
}

async function expectPace({ db, user }: UserMutationCtx): Promise<void> {
  const written = await db
    .query("comments")
    .withIndex("by_author", (q) => q.eq("authorId", user.id).gt("createdAt", Date.now() - MINUTE))
    .take(WRITTEN_MAX);
  if (written.length >= WRITTEN_MAX) throw limit("You are writing too fast. Try again in a minute.");
}

/** Throws "conflict" with the stored text if that is neither `from`, the text that the form started from, nor the new one. */
export const edit = userMutation({
  args: { commentId: v.string(), text: v.string(), from: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { comment, thread, ...path } = await commentFor(ctx, args.commentId);
    if (comment.authorId !== ctx.user.id) throw notFound();
    const { text: typed } = check(writeComment, args);
    const allowed = await mentionedPeople(ctx, path.project, typed);
    const text = storedText(typed, new Set(allowed));
    if (text === comment.text) return null;
    if (args.from !== undefined && withoutNames(cleanText(args.from)) !== comment.text)
      throw stale(shownText(comment.text, await peopleOf(ctx)(mentionedIn(comment.text))));
    const mentions = mentionedIn(text);
    const editedAt = Date.now();
    await ctx.db.patch(comment._id, { text, mentions, editedAt });
    await noteMentions(ctx, path, thread, { cause: { commentId: comment._id, at: editedAt }, before: comment.mentions, now: mentions });
    return null;
  },
});

/** Deletes a comment of the caller, or of anyone for the owner. A first comment with replies leaves an empty one. */
export const remove = userMutation({
  args: { commentId: v.string() },
  returns: v.null(),
  handler: async (ctx, { commentId }) => {
    const { comment, thread, ...path } = await commentFor(ctx, commentId);
    if (comment.authorId !== ctx.user.id && !(await hasRight(ctx, path.project, "moderate"))) throw notFound();
    await noteMentions(ctx, path, thread, { cause: { commentId: comment._id, at: Date.now() }, before: comment.mentions, now: [] });
    await ctx.scheduler.runAfter(0, internal.jobs.comments.forgetReactions, { commentId: comment._id });
    const commentCount = thread.commentCount - (comment.isReply ? 1 : 0);
    if (comment.isReply) await ctx.db.delete(comment._id);
    else await ctx.db.patch(comment._id, { text: "", mentions: [], reactions: [], editedAt: undefined, deletedAt: Date.now() });
    if (commentCount > 1 || (comment.isReply && !(await isFirstDeleted(ctx, thread)))) await ctx.db.patch(thread._id, { commentCount });
    else await deleteThread(ctx, thread);
    return null;
  },
});

async function isFirstDeleted(ctx: QueryCtx, thread: Doc<"commentThreads">): Promise<boolean> {
  return (await firstOf(ctx, thread._id))?.deletedAt !== undefined;
}

export const setResolved = userMutation({
  args: { threadId: v.string(), isResolved: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { threadId, isResolved }) => {
    const { thread } = await threadFor(ctx, threadId, "resolve");
    if ((thread.resolvedAt !== undefined) === isResolved) return null;
    const resolution = isResolved ? { resolvedAt: Date.now(), resolvedBy: ctx.user.id } : { resolvedAt: undefined, resolvedBy: undefined };
    await ctx.db.patch(thread._id, resolution);
    await countOpenThreads(ctx, thread.itemId, isResolved ? -1 : 1);
    return null;
  },
});

/** Throws "limit" above `REACTIONS_MAX` per person and comment. */
export const react = userMutation({
  args: { commentId: v.string(), emoji: v.string(), isOn: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { isOn, ...args }) => {
    const { comment } = await commentFor(ctx, args.commentId);
    const { emoji } = check(chooseEmoji, args);
    const own = await reactionsOf(ctx, comment._id);
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

/** Marks the comments of a design or an image as read, with the caller's notices about them. */
export const markRead = userMutation({
  args: { itemId: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { item, ...path } = await commentedFor(ctx, args.itemId, "view");
    if (item.lastCommentAt === undefined) return null;
    await markItemRead(ctx, path, Date.now());
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_item", (q) => q.eq("userId", ctx.user.id).eq("itemId", item._id).eq("read", false))
      .take(PINS_MAX);
    for (const { _id } of notices) await ctx.db.patch(_id, { read: true });
    return null;
  },
});

type CommentPath = ItemPath & { thread: Doc<"commentThreads">; comment: Doc<"comments"> };

/** Throws "not_found" for a deleted comment too. */
async function commentFor(ctx: UserMutationCtx, id: string): Promise<CommentPath> {
  const commentId = ctx.db.normalizeId("comments", id);
  const comment = commentId && (await ctx.db.get(commentId));
  if (!comment || comment.deletedAt !== undefined) throw notFound();
  return { ...(await threadFor(ctx, comment.threadId, "comment")), comment };
}

const firstOf = ({ db }: Pick<QueryCtx, "db">, threadId: Id<"commentThreads">) =>
  db
    .query("comments")
    .withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("isReply", false))
    .first();

const repliesOf = ({ db }: Pick<QueryCtx, "db">, threadId: Id<"commentThreads">) =>
  db.query("comments").withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("isReply", true));

const reactionsOf = ({ db, user }: CallerCtx, commentId: Id<"comments">) =>
  db
    .query("commentReactions")
    .withIndex("by_comment", (q) => q.eq("commentId", commentId).eq("userId", user.id))
    .take(REACTIONS_MAX);

async function readUntil(ctx: CallerCtx, item: Doc<"commentThreads">["itemId"]): Promise<number> {
  const read = await readOf(ctx, item);
  return Math.max(read?.readAt ?? 0, read?.ownReadAt ?? 0);
}

async function threadsShown(
  ctx: CallerCtx,
  item: Doc<"commentThreads">["itemId"],
  repliesShown: number,
): Promise<(thread: Doc<"commentThreads">) => Promise<Thread | null>> {
  const readAt = await readUntil(ctx, item);
  const namesOf = peopleOf(ctx);
  return async ({ _id, _creationTime: createdAt, itemId: of, lastAt, commentCount, resolvedAt, resolvedBy, ...thread }) => {
    const first = await firstOf(ctx, _id);
    if (!first) return null;
    const replies = repliesShown > 0 && commentCount > 1 ? await repliesOf(ctx, _id).take(repliesShown) : [];
    const resolver = resolvedBy === undefined ? undefined : (await namesOf([resolvedBy])).get(resolvedBy);
    return {
      _id,
      itemId: of,
      ...(thread.anchor && { anchor: thread.anchor }),
      ...(thread.versionId !== undefined && { versionId: thread.versionId }),
      ...(thread.versionNumber !== undefined && { versionNumber: thread.versionNumber }),
      createdAt,
      lastAt,
      replyCount: commentCount - 1,
      isResolved: resolvedAt !== undefined,
      ...(resolver !== undefined && { resolvedBy: resolver }),
      isUnread: lastAt > readAt,
      first: await toComment(ctx, first, namesOf),
      ...(repliesShown > 0 && { replies: await Promise.all(replies.map((row) => toComment(ctx, row, namesOf))) }),
    };
  };
}

async function toComment(ctx: CallerCtx, row: Doc<"comments">, namesOf: NamesOf): Promise<Comment> {
  const { _id, threadId, key, text, authorId, createdAt, editedAt, deletedAt, mentions, reactions = [] } = row;
  const names = await namesOf([authorId, ...mentions]);
  const own = reactions.length > 0 ? await reactionsOf(ctx, _id) : [];
  return {
    _id,
    threadId,
    key,
    text: shownText(text, names),
    author: { userId: authorId, name: names.get(authorId) ?? "", isMe: authorId === ctx.user.id },
    createdAt,
    ...(editedAt !== undefined && { editedAt }),
    isDeleted: deletedAt !== undefined,
    mentions: mentions.map((userId) => ({ userId, name: names.get(userId) ?? "" })),
    reactions: reactions.map(({ emoji, count }) => ({ emoji, count, isMine: own.some((each) => each.emoji === emoji) })),
  };
}
