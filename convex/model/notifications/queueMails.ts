import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import type { Delivery } from "./kinds";
import { nextMorning } from "./nextMorning";
import { changeSettings, settingsOf } from "./settings";

/** Lets an open page mark a notice as read before it is emailed (milliseconds). */
export const GRACE_MS = 10 * 1000;
const THREAD_PAUSE_MS = 60 * 60 * 1000;
/** How long sending is retried, and how late a digest can be. */
const RETRIED_MS = 3 * 24 * 60 * 60 * 1000;
const DIGEST = "digest";

type Mail = Doc<"mails">;
type Sent = {
  userId: string;
  delivery: Delivery;
  noticeId: Id<"notices">;
  threadId: Id<"commentThreads"> | undefined;
  /** Set for a link with too many unread notices: its threads then share one email an hour, about the last one. */
  linkId?: Id<"links">;
  at: number;
};

/** Queues the email of a new notice. An email of the same thread, or a digest, that is already queued will include it. */
export async function queueNotification(ctx: MutationCtx, { userId, delivery, noticeId, threadId, linkId, at }: Sent): Promise<void> {
  if (delivery === "never") return;
  const key = delivery === "daily" ? DIGEST : linkId === undefined ? threadId : `link ${linkId}`;
  const waiting = key === undefined ? null : await queued(ctx, userId, key);
  if (waiting && linkId !== undefined && threadId !== undefined && "thread" in waiting.content)
    await ctx.db.patch(waiting._id, { content: { ...waiting.content, thread: threadId } });
  if (waiting) return;
  const dueAt = delivery === "daily" ? nextMorning(at, (await settingsOf(ctx, userId))?.timeZone) : at + GRACE_MS;
  const content =
    delivery === "daily"
      ? { digest: true as const, since: at }
      : threadId === undefined
        ? { notification: noticeId }
        : { thread: threadId, since: at };
  await ctx.db.insert("mails", {
    userId,
    content,
    attempts: 0,
    dueAt,
    expiresAt: dueAt + RETRIED_MS,
    ...(key !== undefined && { key }),
  });
}

const queued = ({ db }: MutationCtx, userId: string, key: string): Promise<Mail | null> =>
  db
    .query("mails")
    .withIndex("by_key", (q) => q.eq("userId", userId).eq("key", key))
    .unique();

export async function finishMail(ctx: MutationCtx, row: Mail): Promise<void> {
  const { _id, content, userId = "", claimedAt = Date.now() } = row;
  if (!("since" in content)) {
    await ctx.db.delete(_id);
    return;
  }
  const now = Date.now();
  const dueAt = "digest" in content ? nextMorning(now, (await settingsOf(ctx, userId))?.timeZone) : now + THREAD_PAUSE_MS;
  const next = { content: { ...content, since: claimedAt }, dueAt, expiresAt: dueAt + RETRIED_MS };
  await ctx.db.patch(_id, { ...next, attempts: 0, lease: undefined, claimedAt: undefined });
}

export async function storeDateSettings(ctx: MutationCtx, userId: string, place: { timeZone?: string; locale?: string }): Promise<void> {
  const settings = await settingsOf(ctx, userId);
  const timeZone = place.timeZone ?? settings?.timeZone;
  const locale = place.locale ?? settings?.locale;
  if (timeZone === settings?.timeZone && locale === settings?.locale) return;
  await changeSettings(ctx, userId, { ...(timeZone !== undefined && { timeZone }), ...(locale !== undefined && { locale }) });
  const digest = timeZone === settings?.timeZone ? null : await queued(ctx, userId, DIGEST);
  const now = Date.now();
  if (!digest || digest.lease !== undefined || digest.dueAt <= now) return;
  const dueAt = nextMorning(now, timeZone);
  await ctx.db.patch(digest._id, { dueAt, expiresAt: dueAt + RETRIED_MS });
}
