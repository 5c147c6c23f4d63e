import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { userMutation, userQuery } from "./access";
import { notice } from "./accounts/noticeTables";
import { notFound } from "./errors";

/** How many notices the list shows; older ones are kept for a while, and gone without ever having been missed. */
const LISTED = 100;
/** Unread notices are counted up to here; beyond it there are "many". */
const COUNTED = 100;
const BATCH = 500;

const shown = v.object({ _id: v.id("notices"), notice, at: v.number(), read: v.boolean() });

/** The visitor's notices: the unread first, then the read, each from the newest. */
export const getNotices = userQuery({
  args: {},
  returns: v.array(shown),
  handler: async ({ db, user }) => {
    const of = (read: boolean, limit: number) =>
      db
        .query("notices")
        .withIndex("by_read", (q) => q.eq("userId", user.id).eq("read", read))
        .order("desc")
        .take(limit);
    const unread = await of(false, LISTED);
    const read = await of(true, LISTED - unread.length);
    return [...unread, ...read].map(({ _id, notice, at, read }) => ({ _id, notice, at, read }));
  },
});

/** How many notices the visitor has not read, up to a hundred. */
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

/** Marks one notice read. */
export const markRead = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async ({ db, user }, { id }) => {
    const known = db.normalizeId("notices", id);
    const row = known && (await db.get(known));
    if (!row || row.userId !== user.id) throw notFound();
    if (!row.read) await db.patch(row._id, { read: true });
    return null;
  },
});

/** Marks all that stand there now read; what comes later stays unread. */
export const markAllRead = userMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await markBefore(ctx, ctx.user.id, Date.now());
    return null;
  },
});

export const markRest = internalMutation({
  args: { userId: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { userId, until }) => {
    await markBefore(ctx, userId, until);
    return null;
  },
});

/** A batch at once, the rest scheduled. */
async function markBefore({ db, scheduler }: MutationCtx, userId: string, until: number): Promise<void> {
  const unread = await db
    .query("notices")
    .withIndex("by_read", (q) => q.eq("userId", userId).eq("read", false).lte("at", until))
    .take(BATCH);
  for (const { _id } of unread) await db.patch(_id, { read: true });
  if (unread.length === BATCH) await scheduler.runAfter(0, internal.notices.markRest, { userId, until });
}
