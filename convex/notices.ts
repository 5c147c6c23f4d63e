import { type Infer, type ObjectType, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { type CallerCtx, ifVisible, userMutation, userQuery } from "./model/access";
import { accountNotice, isAccountNotice, notice } from "./model/accounts/noticeTables";
import { type NamesOf, peopleOf } from "./model/comments/people";
import { commentedFor } from "./model/comments/threads";
import { openOffers } from "./model/transfers/openOffers";
import { notFound } from "./model/errors";

/** Notices per page; the query returns one more to show that a next page exists. */
const LISTED = 100;
/** Allowance for notices with the same time as the last of a page. */
const MAX_SAME_TIME = 20;
const COUNTED = 100;
const BATCH = 500;

const row = { _id: v.id("notices"), at: v.number(), read: v.boolean() };
const accountRow = v.object({ ...row, notice: accountNotice });
const anyRow = v.object({
  ...row,
  notice,
  /** Of a notice about an item: by whom, and where. Absent when the caller no longer sees the item. */
  about: v.optional(
    v.object({
      actor: v.string(),
      item: v.string(),
      designId: v.id("designs"),
      imageId: v.optional(v.id("designImages")),
      /** Of an open request for a review. */
      dueOn: v.optional(v.string()),
      note: v.optional(v.string()),
    }),
  ),
});
export type ShownNotice = Infer<typeof anyRow>;

const after = { after: v.optional(v.object({ id: v.string(), at: v.number(), read: v.boolean() })) };
type After = ObjectType<typeof after>["after"];

/** Unread notices come first. `after` is the last notice of the previous page. */
export const list = userQuery({
  args: after,
  returns: v.array(anyRow),
  handler: async (ctx, args) => {
    const namesOf = peopleOf(ctx);
    return Promise.all((await noticesFrom(ctx, args.after)).map((each) => withAbout(ctx, each, namesOf)));
  },
});

/** `list` for open pages of an earlier build, which have no words for other notices. */
export const getNotices = userQuery({
  args: after,
  returns: v.array(accountRow),
  handler: async (ctx, args) =>
    (await noticesFrom(ctx, args.after)).flatMap(({ notice: each, ...rest }) => (isAccountNotice(each) ? [{ ...rest, notice: each }] : [])),
});

async function noticesFrom({ db, user }: CallerCtx, from: After): Promise<Omit<ShownNotice, "about">[]> {
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
      .take(limit + (last ? MAX_SAME_TIME : 0));
    if (!last) return rows;
    const index = rows.findIndex(({ _id }) => _id === last.id);
    return (index === -1 ? rows.filter(({ at }) => at < last.at) : rows.slice(index + 1)).slice(0, limit);
  }
  const unread = await noticesOf(false, LISTED + 1);
  const readOnes = await noticesOf(true, LISTED + 1 - unread.length);
  return [...unread, ...readOnes].map(({ _id, notice: each, at, read }) => ({ _id, notice: each, at, read }));
}

async function withAbout(ctx: CallerCtx, shown: Omit<ShownNotice, "about">, namesOf: NamesOf): Promise<ShownNotice> {
  if (isAccountNotice(shown.notice)) return shown;
  const { actorId, itemId } = shown.notice;
  const found = await ifVisible(commentedFor(ctx, itemId, "view"));
  if (!found?.design) return shown;
  const { item, design, image } = found;
  const actor = (await namesOf([actorId])).get(actorId) ?? "";
  const request = shown.notice.kind === "reviewRequested" ? await ctx.db.get(shown.notice.requestId) : null;
  const { dueOn, note } = request ?? {};
  const optional = { ...(image && { imageId: image._id }), ...(dueOn !== undefined && { dueOn }), ...(note !== undefined && { note }) };
  return { ...shown, about: { actor, item: item.name, designId: design._id, ...optional } };
}

export const getUnreadCount = userQuery({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    const { db, user } = ctx;
    const unread = await db
      .query("notices")
      .withIndex("by_read", (q) => q.eq("userId", user.id).eq("read", false))
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
