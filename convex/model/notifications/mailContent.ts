import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import type { CallerCtx } from "../access";
import { isProjectNotice } from "../accounts/noticeTables";
import { isPlaceholder } from "../accounts/placeholder";
import { mentionedIn } from "../comments/mentions";
import { type NamesOf, peopleOf } from "../comments/people";
import { cutText } from "../cutText";
import { userOf } from "../members";
import type { Delivery } from "./kinds";
import { deliveryOf, muteOf, settingsOf } from "./settings";
import { type ShownNotice, shownNotice, toShownNotice, withNames } from "./shownNotices";

const LISTED = 50;
const READ_MAX = 200;
const COMMENTS = 5;
const TEXT_LENGTH = 1000;

export const notificationMail = v.object({
  to: v.string(),
  name: v.string(),
  userId: v.string(),
  notices: v.array(shownNotice),
  more: v.number(),
  isDigest: v.boolean(),
  comments: v.array(v.object({ author: v.string(), isGuest: v.optional(v.literal(true)), text: v.string() })),
  timeZone: v.optional(v.string()),
  locale: v.optional(v.string()),
});
export type NotificationMail = Infer<typeof notificationMail>;

type Content = Exclude<Doc<"mails">["content"], { sealed: string } | { to: string }>;

/** Returns the current content of an email. Null if all of it was read, deleted, muted, turned off or hidden from the person since. */
export async function mailContent(ctx: QueryCtx, userId: string | undefined, content: Content): Promise<NotificationMail | null> {
  const user = userId === undefined ? null : await userOf(ctx, userId);
  // A disabled person cannot open what the email links to. Anyone can sign up with an address that is not theirs.
  if (!user || user.disabledAt !== undefined || !user.emailVerified || isPlaceholder(user.email)) return null;
  const as = { ...ctx, user };
  const isDigest = "digest" in content;
  const namesOf = peopleOf(as);
  const found = await mailedNotices(as, await noticesOf(as, content), isDigest ? "daily" : "now", namesOf);
  const comments = "thread" in content ? await newComments(as, content, found, namesOf) : [];
  if (found.length === 0 || ("thread" in content && comments.length === 0)) return null;
  const { timeZone, locale } = (await settingsOf(ctx, user.id)) ?? {};
  return {
    to: user.email,
    name: user.name,
    userId: user.id,
    notices: found.slice(0, LISTED).map(({ shown }) => shown),
    more: Math.max(0, found.length - LISTED),
    isDigest,
    comments,
    ...(timeZone !== undefined && { timeZone }),
    ...(locale !== undefined && { locale }),
  };
}

type Notice = Doc<"notices">;

async function noticesOf({ db, user }: CallerCtx, content: Content): Promise<Notice[]> {
  if ("notification" in content) {
    const row = await db.get(content.notification);
    return row && !row.read ? [row] : [];
  }
  if ("thread" in content) {
    const rows = await db
      .query("notices")
      .withIndex("by_thread", (q) => q.eq("threadId", content.thread).eq("userId", user.id).eq("read", false))
      .collect();
    return rows.filter(({ at }) => at >= content.since);
  }
  return db
    .query("notices")
    .withIndex("by_read", (q) => q.eq("userId", user.id).eq("read", false).gte("at", content.since))
    .order("desc")
    .take(READ_MAX);
}

type Mailed = { row: Notice; shown: ShownNotice };

async function mailedNotices(ctx: CallerCtx, rows: Notice[], delivery: Delivery, namesOf: NamesOf): Promise<Mailed[]> {
  const settings = await settingsOf(ctx, ctx.user.id);
  const mailed = [];
  for (const row of rows) {
    if (!isProjectNotice(row.notice) || deliveryOf(settings, row.notice.kind) !== delivery) continue;
    if (row.commentId !== undefined && !(await isCommentKept(ctx, row.commentId))) continue;
    if (row.notice.kind === "reviewRequested" && !(await ctx.db.get(row.notice.requestId))) continue;
    const shown = await withNames(ctx, toShownNotice(row), namesOf);
    const projectId = shown.about?.projectId ?? shown.access?.projectId;
    if (projectId !== undefined && !(await muteOf(ctx, projectId, ctx.user.id))) mailed.push({ row, shown });
  }
  return mailed;
}

async function isCommentKept({ db }: QueryCtx, commentId: string): Promise<boolean> {
  const id = db.normalizeId("comments", commentId);
  const comment = id && (await db.get(id));
  return comment !== null && comment.deletedAt === undefined;
}

async function newComments(
  { db, user }: CallerCtx,
  { thread: threadId, since: queuedAt }: Extract<Content, { thread: unknown }>,
  mailed: Mailed[],
  namesOf: NamesOf,
): Promise<NotificationMail["comments"]> {
  const since = Math.max(queuedAt, Math.min(...mailed.map(({ row }) => row.since ?? 0)));
  const named = new Set<string | undefined>(mailed.map(({ row }) => row.commentId));
  const byOldest = await Promise.all(
    [false, true].map((isReply) =>
      db
        .query("comments")
        .withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("isReply", isReply))
        .order("desc")
        .take(READ_MAX),
    ),
  );
  const chosen = byOldest
    .flat()
    .filter((row) => row.deletedAt === undefined && row.authorId !== user.id && (row.createdAt >= since || named.has(row._id)))
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .slice(-COMMENTS);
  return Promise.all(
    chosen.map(async ({ authorId, guestName, text }) => {
      const names = await namesOf([...(guestName === undefined ? [authorId] : []), ...mentionedIn(text)]);
      const author = guestName ?? names.get(authorId) ?? "";
      return { author, ...(guestName !== undefined && { isGuest: true as const }), text: mailText(text, names) };
    }),
  );
}

/** Mentions become plain names, because an email has no markup. */
function mailText(text: string, names: ReadonlyMap<string, string>): string {
  const plain = text.replaceAll(/@\[\]\(([\w-]{1,64})\)/g, (_, userId: string) => `@${names.get(userId) ?? ""}`);
  return plain.length > TEXT_LENGTH ? `${cutText(plain, TEXT_LENGTH)}…` : plain;
}
