import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { userMutation, userQuery } from "./model/access";
import { notice } from "./model/accounts/noticeTables";
import { notFound } from "./model/errors";

/** Notices per page; the query returns one more to show that a next page exists. */
const LISTED = 100;
/** Allowance for notices with the same time as the last of a page. */
const MAX_SAME_TIME = 20;
const COUNTED = 100;
const BATCH = 500;

const shown = v.object({ _id: v.id("notices"), notice, at: v.number(), read: v.boolean() });

/** Unread notices come first. `after` is the last notice of the previous page. */
export const getNotices = userQuery({
  args: { after: v.optional(v.object({ id: v.string(), at: v.number(), read: v.boolean() })) },
  returns: v.array(shown),
  handler: async ({ db, user }, { after }) => {
    async function noticesOf(read: boolean, limit: number) {
      if (after && after.read && !read) return [];
      const from = after?.read === read ? after : null;
      const rows = await db
        .query("notices")
        .withIndex("by_read", (q) => {
          const ownNotices = q.eq("userId", user.id).eq("read", read);
          return from ? ownNotices.lte("at", from.at) : ownNotices;
        })
        .order("desc")
        .take(limit + (from ? MAX_SAME_TIME : 0));
      if (!from) return rows;
      const last = rows.findIndex(({ _id }) => _id === from.id);
      return (last === -1 ? rows.filter(({ at }) => at < from.at) : rows.slice(last + 1)).slice(0, limit);
    }
    const unread = await noticesOf(false, LISTED + 1);
    const read = await noticesOf(true, LISTED + 1 - unread.length);
    return [...unread, ...read].map(({ _id, notice, at, read }) => ({ _id, notice, at, read }));
  },
});

export const getUnreadCount = userQuery({
  args: {},
  returns: v.number(),
  handler: async ({ db, user }) => {
    const unread = await db
      .query("notices")
      .withIndex("by_read", (q) => q.eq("userId", user.id).eq("read", false))
      .take(COUNTED);
    return unread.length;
  },
});

export const markRead = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async ({ db, user }, { id }) => {
    const noticeId = db.normalizeId("notices", id);
    const row = noticeId && (await db.get(noticeId));
    if (!row || row.userId !== user.id) throw notFound();
    if (!row.read) await db.patch(row._id, { read: true });
    return null;
  },
});

export const markAllRead = userMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await markReadUntil(ctx, ctx.user.id, Date.now());
    return null;
  },
});

export const markRest = internalMutation({
  args: { userId: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { userId, until }) => {
    await markReadUntil(ctx, userId, until);
    return null;
  },
});

async function markReadUntil({ db, scheduler }: MutationCtx, userId: string, until: number): Promise<void> {
  const unread = await db
    .query("notices")
    .withIndex("by_read", (q) => q.eq("userId", userId).eq("read", false).lte("at", until))
    .take(BATCH);
  for (const { _id } of unread) await db.patch(_id, { read: true });
  if (unread.length === BATCH) await scheduler.runAfter(0, internal.notices.markRest, { userId, until });
}
