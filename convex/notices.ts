import type { FilterBuilder, NamedTableInfo } from "convex/server";
import { type Infer, type ObjectType, v } from "convex/values";
import { internal } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { internalMutation } from "./model/functions";
import { type CallerCtx, userMutation, userQuery } from "./model/access";
import { accountNotice, earlierNotice, isAccountNotice, type Notice } from "./model/accounts/noticeTables";
import { peopleOf } from "./model/comments/people";
import { about, type ShownNotice, shownNotice, toShownNotice, withNames } from "./model/notifications/shownNotices";
import { openOffers } from "./model/transfers/openOffers";
import { notFound } from "./model/errors";

/** Notices per page; the query returns one more to show that a next page exists. */
const LISTED = 100;
const MAX_SAME_TIME = 20;
const COUNTED = 100;
const BATCH = 500;

const row = { _id: v.id("notices"), at: v.number(), read: v.boolean() };
const accountRow = v.object({ ...row, notice: accountNotice });
const earlierRow = v.object({ ...row, notice: earlierNotice, about: v.optional(about) });

const after = { after: v.optional(v.object({ id: v.string(), at: v.number(), read: v.boolean() })) };
type After = ObjectType<typeof after>["after"];

export const listAll = userQuery({
  args: after,
  returns: v.array(shownNotice),
  handler: async (ctx, args) => {
    const namesOf = peopleOf(ctx);
    const rows = await noticesFrom(ctx, args.after);
    return Promise.all(rows.map((each) => withNames(ctx, each, namesOf)));
  },
});

/** Returns the notices that open pages of an earlier build can show. */
export const list = userQuery({
  args: after,
  returns: v.array(earlierRow),
  handler: async (ctx, args) => {
    const namesOf = peopleOf(ctx);
    const rows = (await noticesFrom(ctx, args.after)).filter(({ notice }) => !LATER_KINDS.includes(notice.kind));
    const shown = await Promise.all(rows.map((each) => withNames(ctx, each, namesOf)));
    return shown.flatMap(({ _id, at, read, notice, about: of }) =>
      isEarlier(notice) ? [{ _id, at, read, notice, ...(of && { about: of }) }] : [],
    );
  },
});

export const getNotices = userQuery({
  args: after,
  returns: v.array(accountRow),
  handler: async (ctx, args) =>
    (await noticesFrom(ctx, args.after)).flatMap(({ notice, ...rest }) => (isAccountNotice(notice) ? [{ ...rest, notice }] : [])),
});

const LATER_KINDS: readonly Notice["kind"][] = ["comment", "invitation", "accessChanged"];
const isEarlier = (notice: Notice): notice is Infer<typeof earlierNotice> => !LATER_KINDS.includes(notice.kind);

type Filter = FilterBuilder<NamedTableInfo<DataModel, "notices">>;

const isNoOffer = (q: Filter) => q.neq(q.field("notice.change"), "transferOffered");

async function noticesFrom({ db, user }: CallerCtx, from: After): Promise<ShownNotice[]> {
  async function noticesOf(read: boolean, limit: number) {
    if (from && from.read && !read) return [];
    const last = from?.read === read ? from : null;
    const rows = await db
      .query("notices")
      .withIndex("by_read", (q) => {
        const ownNotices = q.eq("userId", user.id).eq("read", read);
        return last ? ownNotices.lte("at", last.at) : ownNotices;
      })
      .order("desc")
      .filter(isNoOffer)
      .take(limit + (last ? MAX_SAME_TIME : 0));
    if (!last) return rows;
    const index = rows.findIndex(({ _id }) => _id === last.id);
    return (index === -1 ? rows.filter(({ at }) => at < last.at) : rows.slice(index + 1)).slice(0, limit);
  }
  const unread = await noticesOf(false, LISTED + 1);
  const readOnes = await noticesOf(true, LISTED + 1 - unread.length);
  return [...unread, ...readOnes].map(toShownNotice);
}

export const getUnreadCount = userQuery({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    const { db, user } = ctx;
    const unread = await db
      .query("notices")
      .withIndex("by_read", (q) => q.eq("userId", user.id).eq("read", false))
      .filter(isNoOffer)
      .take(COUNTED);
    return unread.length + (await openOffers(ctx)).length;
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
