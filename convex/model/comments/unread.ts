import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import type { ItemPath } from "../access";

/** Items store a copy of the time of their last comment. An item is unread for people who last read it before that time. */

type Reader = Pick<QueryCtx, "db"> & { user: Pick<Doc<"users">, "id"> | null };
type Writer = Pick<MutationCtx, "db"> & { user: Pick<Doc<"users">, "id"> };
type ItemId = Doc<"commentReads">["itemId"];

/** Maximum number of unread items that `markRead` checks in a list. A list with more items remains unread. */
const CHECKED_MAX = 100;

export async function readOf({ db, user }: Reader, itemId: ItemId): Promise<Doc<"commentReads"> | null> {
  if (user === null) return null;
  return db
    .query("commentReads")
    .withIndex("by_item", (q) => q.eq("itemId", itemId).eq("userId", user.id))
    .unique();
}

export async function readUntil(ctx: Reader, itemId: ItemId): Promise<number> {
  if (ctx.user === null) return Infinity;
  const read = await readOf(ctx, itemId);
  return Math.max(read?.readAt ?? 0, read?.ownReadAt ?? 0);
}

type Commented = { _id: ItemId; lastCommentAt?: number; isUnread?: boolean };

/** Adds `isUnread` to items with unread comments. Reads nothing for items without comments, and for visitors of public links. */
export const withUnread = <Item extends Commented>(ctx: Reader, items: Item[]): Promise<Item[]> =>
  Promise.all(items.map((item) => withUnreadMark(ctx, item)));

export async function withUnreadMark<Item extends Commented>(ctx: Reader, item: Item): Promise<Item> {
  return (await isUnread(ctx, item)) ? { ...item, isUnread: true } : item;
}

async function isUnread(ctx: Reader, { _id, lastCommentAt }: Commented): Promise<boolean> {
  if (lastCommentAt === undefined || ctx.user === null) return false;
  return lastCommentAt > ((await readOf(ctx, _id))?.readAt ?? 0);
}

export async function recordComment(ctx: Pick<MutationCtx, "db">, { project, design, image }: ItemPath, at: number): Promise<void> {
  for (const row of [image, design, project]) if (row && (row.lastCommentAt ?? 0) < at) await ctx.db.patch(row._id, { lastCommentAt: at });
}

export async function countOpenThreads(
  { db }: Pick<MutationCtx, "db">,
  itemId: Doc<"commentThreads">["itemId"],
  added: number,
): Promise<void> {
  const item = await db.get(itemId);
  if (item) await db.patch(itemId, { openThreadCount: Math.max(0, (item.openThreadCount ?? 0) + added) });
}

/** Updates the last comment time of a parent. Call it for items that arrive there, because their comments count in the parent. */
export async function recordArrivals(
  { db }: Pick<MutationCtx, "db">,
  targetId: Id<"projects"> | Id<"designs">,
  items: { lastCommentAt?: number }[],
): Promise<void> {
  const lastCommentAt = Math.max(0, ...items.map((item) => item.lastCommentAt ?? 0));
  const target = lastCommentAt > 0 ? await db.get(targetId) : null;
  if (target && (target.lastCommentAt ?? 0) < lastCommentAt) await db.patch(targetId, { lastCommentAt });
}

export async function markItemRead(ctx: Writer, { project, design, image }: ItemPath, at: number): Promise<void> {
  if (image) await setRead(ctx, image._id, { readAt: at });
  else if (design) await setRead(ctx, design._id, { ownReadAt: at });
  if (design && (await isDesignRead(ctx, design))) await setRead(ctx, design._id, { readAt: at });
  if (await isProjectRead(ctx, project)) await setRead(ctx, project._id, { readAt: at });
}

async function setRead(ctx: Writer, itemId: ItemId, fields: { readAt?: number; ownReadAt?: number }): Promise<void> {
  const row = await readOf(ctx, itemId);
  if (row) await ctx.db.patch(row._id, fields);
  else await ctx.db.insert("commentReads", { userId: ctx.user.id, itemId, readAt: 0, ...fields });
}

async function isDesignRead(ctx: Writer, { _id }: Doc<"designs">): Promise<boolean> {
  const { readAt = 0, ownReadAt = 0 } = (await readOf(ctx, _id)) ?? {};
  const last = await ctx.db
    .query("commentThreads")
    .withIndex("by_latest", (q) => q.eq("itemId", _id))
    .order("desc")
    .first();
  if (last && last.lastAt > Math.max(ownReadAt, readAt)) return false;
  const images = await ctx.db
    .query("designImages")
    .withIndex("by_comment", (q) => q.eq("designId", _id).eq("removedAt", undefined).gt("lastCommentAt", readAt))
    .take(CHECKED_MAX + 1);
  return areRead(ctx, images);
}

async function isProjectRead(ctx: Writer, { _id }: Doc<"projects">): Promise<boolean> {
  const { readAt = 0 } = (await readOf(ctx, _id)) ?? {};
  const designs = await ctx.db
    .query("designs")
    .withIndex("by_comment", (q) => q.eq("projectId", _id).eq("removedAt", undefined).gt("lastCommentAt", readAt))
    .take(CHECKED_MAX + 1);
  return areRead(ctx, designs);
}

async function areRead(ctx: Writer, items: Commented[]): Promise<boolean> {
  if (items.length > CHECKED_MAX) return false;
  for (const item of items) if (await isUnread(ctx, item)) return false;
  return true;
}

export async function deleteReads({ db }: Pick<MutationCtx, "db">, itemId: ItemId, limit: number): Promise<number> {
  const rows = await db
    .query("commentReads")
    .withIndex("by_item", (q) => q.eq("itemId", itemId))
    .take(limit);
  for (const { _id } of rows) await db.delete(_id);
  return rows.length;
}
