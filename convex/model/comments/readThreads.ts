import type { PaginationOptions, PaginationResult } from "convex/server";
import type { Infer } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import type { ReaderCtx } from "../access";
import { notFound } from "../errors";
import { pageOf } from "../lists/paging";
import type { Comment, pinShape, Thread, ThreadFilter } from "./commentShapes";
import { imagesOf } from "./commentImages";
import { isGuest } from "./guests";
import { shownText } from "./mentions";
import { type NamesOf, peopleOf } from "./people";
import { commentedFor } from "./commentedItem";
import { threadFor } from "./threads";
import { readUntil } from "./unread";

const REPLIES_SHOWN = 10;
/** Threads with replies of one page: 200 of them took seconds, in which all other calls waited. */
const THREADS_WITH_REPLIES = 50;
export const REACTIONS_MAX = 10;
/** Maximum pins of one image. Open threads come first, so that they remain visible. */
const PINS_MAX = 500;

type Pin = Infer<typeof pinShape>;

type ThreadsArgs = { itemId: string; filter: ThreadFilter; withReplies?: true; paginationOpts: PaginationOptions };

export async function threadsOn(ctx: ReaderCtx, { itemId, filter, withReplies, paginationOpts }: ThreadsArgs) {
  const { item } = await commentedFor(ctx, itemId, "readComments");
  const options = pageOf(paginationOpts);
  const numItems = withReplies === true ? Math.min(options.numItems, THREADS_WITH_REPLIES) : options.numItems;
  const { page, ...result } = await pageOfThreads(ctx, item._id, filter, { ...options, numItems });
  const show = await threadsShown(ctx, item._id, withReplies === true ? REPLIES_SHOWN : 0);
  return { ...result, page: (await Promise.all(page.map(show))).filter((thread) => thread !== null) };
}

async function pageOfThreads(
  { db, user }: ReaderCtx,
  item: Doc<"commentThreads">["itemId"],
  shown: ThreadFilter,
  options: PaginationOptions,
): Promise<PaginationResult<Doc<"commentThreads">>> {
  if (user === null && (shown === "mine" || shown === "mentions")) return { page: [], isDone: true, continueCursor: "" };
  const userId = user?.id ?? "";
  const threads = db.query("commentThreads");
  if (shown === "mentions") {
    const { page, ...result } = await db
      .query("commentMentions")
      .withIndex("by_user", (q) => q.eq("userId", userId).eq("itemId", item))
      .order("desc")
      .paginate(options);
    const mentioning = await Promise.all(page.map(({ threadId }) => db.get(threadId)));
    return { ...result, page: mentioning.filter((thread) => thread !== null) };
  }
  const ordered = {
    open: () => threads.withIndex("by_state", (q) => q.eq("itemId", item).eq("resolvedAt", undefined)),
    resolved: () => threads.withIndex("by_state", (q) => q.eq("itemId", item).gt("resolvedAt", 0)),
    mine: () => threads.withIndex("by_author", (q) => q.eq("authorId", userId).eq("itemId", item)),
    all: () => threads.withIndex("by_item", (q) => q.eq("itemId", item)),
  }[shown]();
  return ordered.order("desc").paginate(options);
}

export async function threadIn(ctx: ReaderCtx, threadId: string): Promise<Thread> {
  const { thread } = await threadFor(ctx, threadId, "readComments");
  const shown = await (await threadsShown(ctx, thread.itemId, 0))(thread);
  if (!shown) throw notFound();
  return shown;
}

export async function repliesIn(ctx: ReaderCtx, { threadId, paginationOpts }: { threadId: string; paginationOpts: PaginationOptions }) {
  const { thread } = await threadFor(ctx, threadId, "readComments");
  const result = await repliesOf(ctx, thread._id).paginate(pageOf(paginationOpts));
  const namesOf = peopleOf(ctx);
  return { ...result, page: await Promise.all(result.page.map((row) => toComment(ctx, row, namesOf))) };
}

export async function pinsOn(ctx: ReaderCtx, id: string): Promise<Pin[]> {
  const { item } = await commentedFor(ctx, id, "readComments");
  const readAt = await readUntil(ctx, item._id);
  const open = await ctx.db
    .query("commentThreads")
    .withIndex("by_state", (q) => q.eq("itemId", item._id).eq("resolvedAt", undefined))
    .order("desc")
    .take(PINS_MAX);
  const left = PINS_MAX - open.length;
  const resolved =
    left === 0
      ? []
      : await ctx.db
          .query("commentThreads")
          .withIndex("by_state", (q) => q.eq("itemId", item._id).gt("resolvedAt", 0))
          .order("desc")
          .take(left);
  return [...open, ...resolved].flatMap(({ _id: threadId, anchor: at, versionId, versionNumber, resolvedAt, lastAt }) =>
    at === undefined
      ? []
      : [
          {
            threadId,
            anchor: at,
            ...(versionId !== undefined && { versionId }),
            ...(versionNumber !== undefined && !ctx.link && { versionNumber }),
            isResolved: resolvedAt !== undefined,
            isUnread: lastAt > readAt,
          },
        ],
  );
}

export const firstOf = ({ db }: Pick<QueryCtx, "db">, threadId: Id<"commentThreads">) =>
  db
    .query("comments")
    .withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("isReply", false))
    .first();

const repliesOf = ({ db }: Pick<QueryCtx, "db">, threadId: Id<"commentThreads">) =>
  db.query("comments").withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("isReply", true));

export const reactionsOf = ({ db }: Pick<QueryCtx, "db">, commentId: Id<"comments">, userId: string) =>
  db
    .query("commentReactions")
    .withIndex("by_comment", (q) => q.eq("commentId", commentId).eq("userId", userId))
    .take(REACTIONS_MAX);

async function threadsShown(
  ctx: ReaderCtx,
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
      ...(thread.versionNumber !== undefined && !ctx.link && { versionNumber: thread.versionNumber }),
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

async function toComment(ctx: ReaderCtx, row: Doc<"comments">, namesOf: NamesOf): Promise<Comment> {
  const { _id, threadId, key, text, authorId, createdAt, editedAt, deletedAt, mentions, reactions = [], linkId } = row;
  const guestName = deletedAt !== undefined && isGuest(authorId) ? "Someone" : row.guestName;
  const names = await namesOf([...(guestName === undefined ? [authorId] : []), ...mentions]);
  const own = reactions.length > 0 && ctx.user ? await reactionsOf(ctx, _id, ctx.user.id) : [];
  const through = guestName === undefined ? linkId && ("link" as const) : ("guest" as const);
  return {
    _id,
    threadId,
    key,
    text: shownText(text, names),
    author: { userId: authorId, name: guestName ?? names.get(authorId) ?? "", isMe: authorId === ctx.user?.id },
    ...(through && { through }),
    ...(linkId && ctx.user && { linkId }),
    createdAt,
    ...(editedAt !== undefined && { editedAt }),
    isDeleted: deletedAt !== undefined,
    ...(row.imageIds && { images: await imagesOf(ctx, row) }),
    mentions: mentions.map((userId) => ({ userId, name: names.get(userId) ?? "" })),
    reactions: reactions.map(({ emoji, count }) => ({ emoji, count, isMine: own.some((each) => each.emoji === emoji) })),
  };
}
