import { queueDeliveries } from "../webhooks/webhooks";
import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { recordActivity } from "../activities/recordActivity";
import type { AuthorCtx, ItemPath, ReaderCtx } from "../access";
import { notFound } from "../errors";
import { memberOf } from "../members";
import type { Right } from "../rights";
import { MENTIONS_MAX, mentionedIn, storedText } from "./mentions";
import { type CommentedPath, commentedFor } from "./commentedItem";
import { deleteImages, setImages } from "./commentImages";
import { type Cause, notifyOfComment, notifyOfThread } from "./notifyOfComment";
import { countOpenThreads, markItemRead, recordComment } from "./unread";

type Thread = Doc<"commentThreads">;
export async function threadFor(ctx: ReaderCtx, id: string, right: Right): Promise<CommentedPath & { thread: Thread }> {
  const threadId = ctx.db.normalizeId("commentThreads", id);
  const thread = threadId && (await ctx.db.get(threadId));
  if (!thread) throw notFound();
  return { ...(await commentedFor(ctx, thread.itemId, right)), thread };
}

export async function insertComment(
  ctx: AuthorCtx,
  path: CommentedPath,
  thread: Thread,
  { text: typed, key, at, imageIds = [] }: { text: string; key: string; at: number; imageIds?: readonly string[] | undefined },
): Promise<Id<"comments">> {
  const text = storedText(typed, new Set(await mentionedPeople(ctx, path.project, typed)));
  const mentions = mentionedIn(text);
  const isReply = thread.commentCount > 0;
  const { author } = ctx;
  const { linkId, guestName } = author;
  const written = { threadId: thread._id, isReply, authorId: author.id, text, createdAt: at, mentions, key };
  const comment = { ...written, ...(linkId && { linkId }), ...(guestName !== undefined && { guestName }) };
  const id = await ctx.db.insert("comments", comment);
  if (imageIds.length > 0) await setImages(ctx, { _id: id }, path, imageIds);
  if (ctx.link && !ctx.link.hasComments) await ctx.db.patch(ctx.link._id, { hasComments: true });
  await ctx.db.patch(thread._id, { commentCount: thread.commentCount + 1, lastAt: at });
  await recordComment(ctx, path, at);
  if (await isMember(ctx, path.project)) await markItemRead({ db: ctx.db, user: author }, path, at);
  const cause = { commentId: id, at };
  await updateMentions(ctx, path, thread, { cause, before: [], now: mentions });
  await recordActivity({ ...ctx, user: author }, { kind: "commented", ...path });
  await queueDeliveries(ctx, path.project, {
    event: "comment.created",
    items: path.design ? [{ designId: path.design._id, ...(path.image && { imageId: path.image._id }) }] : [],
    comment: { threadId: thread._id, commentId: id },
  });
  if (isReply) await notifyOfComment(ctx, path, thread, cause, { kind: "reply", except: mentions });
  else await notifyOfThread(ctx, path, thread._id);
  return id;
}

async function isMember({ db, author, user }: AuthorCtx, { _id, ownerId }: Doc<"projects">): Promise<boolean> {
  if (user !== null || author.id === ownerId) return true;
  return author.guestName === undefined && (await memberOf({ db }, _id, author.id)) !== null;
}

/** Returns the mentioned people with access, at most `MENTIONS_MAX`. Through a link nobody is mentioned. */
export async function mentionedPeople(ctx: AuthorCtx, project: Doc<"projects">, text: string): Promise<string[]> {
  if (ctx.author.linkId) return [];
  const people = [];
  for (const userId of mentionedIn(text).slice(0, MENTIONS_MAX))
    if (userId === project.ownerId || (await memberOf(ctx, project._id, userId))) people.push(userId);
  return people;
}

export async function updateMentions(
  ctx: AuthorCtx,
  path: ItemPath,
  thread: Thread,
  { cause, before, now }: { cause: Cause; before: string[]; now: string[] },
): Promise<void> {
  const added = now.filter((userId) => !before.includes(userId));
  for (const userId of added) await countMention(ctx, thread, userId, 1);
  for (const userId of before) if (!now.includes(userId)) await countMention(ctx, thread, userId, -1);
  if (added.length > 0) await notifyOfComment(ctx, path, thread, cause, { kind: "mention", people: added });
}

async function countMention({ db }: MutationCtx, { _id: threadId, itemId }: Thread, userId: string, added: number): Promise<void> {
  const row = await db
    .query("commentMentions")
    .withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("userId", userId))
    .unique();
  if (!row) {
    if (added > 0) await db.insert("commentMentions", { userId, itemId, threadId, count: added });
  } else if (row.count + added > 0) await db.patch(row._id, { count: row.count + added });
  else await db.delete(row._id);
}

export async function deleteThread(ctx: MutationCtx, thread: Thread): Promise<void> {
  await ctx.db.delete(thread._id);
  if (thread.resolvedAt === undefined) await countOpenThreads(ctx, thread.itemId, -1);
  await ctx.scheduler.runAfter(0, internal.jobs.comments.purgeThread, { threadId: thread._id });
}

export async function deleteRowsOf(ctx: MutationCtx, threadId: Id<"commentThreads">, limit: number): Promise<number> {
  const { db } = ctx;
  let left = limit;
  const tables = [
    () => db.query("commentReactions").withIndex("by_thread", (q) => q.eq("threadId", threadId)),
    () => db.query("commentMentions").withIndex("by_thread", (q) => q.eq("threadId", threadId)),
    () => db.query("notices").withIndex("by_thread", (q) => q.eq("threadId", threadId)),
    () => db.query("comments").withIndex("by_thread", (q) => q.eq("threadId", threadId)),
  ];
  for (const rows of tables) {
    if (left === 0) break;
    for (const row of await rows().take(left)) {
      await db.delete(row._id);
      left -= 1;
      if ("imageIds" in row) left -= await deleteImages(ctx, row.imageIds);
      if (left <= 0) return limit;
    }
  }
  return limit - left;
}
