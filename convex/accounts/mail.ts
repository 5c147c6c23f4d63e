import { type Infer, type ObjectType, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { serverMutation, serverQuery } from "../model/access";
import { reportedAttempt } from "../model/accounts/mailTables";
import { accountNotice, isAccountNotice } from "../model/accounts/noticeTables";
import { userOf } from "../model/members";
import { mailContent, notificationMail } from "../model/notifications/mailContent";
import { finishMail } from "../model/notifications/queueMails";

const OUTBOX_LIMIT = 50;
const PACE_PREFIX = "mail:";

const accountContents = [
  v.object({ sealed: v.string() }),
  v.object({ notice: accountNotice, at: v.number(), to: v.string(), name: v.string() }),
] as const;
const accountContent = v.union(...accountContents);
const content = v.union(...accountContents, v.object({ notification: notificationMail }));
type Content = Infer<typeof content>;

export const queue = serverMutation({
  args: { sealed: v.string(), userId: v.optional(v.string()), expiresAt: v.number(), isUrgent: v.optional(v.literal(true)) },
  returns: v.null(),
  handler: async ({ db }, { sealed, ...row }) => {
    await db.insert("mails", { ...row, content: { sealed }, attempts: 0, dueAt: Date.now() });
    return null;
  },
});

export const due = serverQuery({
  args: {},
  returns: v.union(v.number(), v.null()),
  handler: async ({ db }) => (await db.query("mails").withIndex("by_due").first())?.dueAt ?? null,
});

const lease = { lease: v.string(), leaseMs: v.number(), limit: v.number() };
const claimed = { id: v.id("mails"), attempts: v.number() };

/** Leases due messages, urgent ones first. A message not reported within `leaseMs` is due again, so a crash loses none but may send one twice. */
export const claimAll = serverMutation({
  args: lease,
  returns: v.array(v.object({ ...claimed, content })),
  handler: (ctx, args) => claimDue(ctx, args, () => true),
});

/** `claimAll` for app servers of an earlier build, which cannot render notifications about projects. */
export const claim = serverMutation({
  args: lease,
  returns: v.array(v.object({ ...claimed, content: accountContent })),
  handler: async (ctx, args) => {
    const rows = await claimDue(ctx, args, isAccountMail);
    return rows.flatMap(({ content: each, ...rest }) => ("notification" in each ? [] : [{ ...rest, content: each }]));
  },
});

const isAccountMail = ({ content: each }: Doc<"mails">): boolean => "sealed" in each || "to" in each;

async function claimDue(ctx: MutationCtx, { lease: by, leaseMs, limit }: ObjectType<typeof lease>, isMine: (row: Doc<"mails">) => boolean) {
  const now = Date.now();
  const rows = [];
  for (const isUrgent of [true, undefined] as const) {
    if (rows.length === limit) break;
    const due = ctx.db.query("mails").withIndex("by_urgency", (q) => q.eq("isUrgent", isUrgent).lte("dueAt", now));
    for await (const row of due) {
      if (isMine(row)) rows.push(row);
      if (rows.length === limit) break;
    }
  }
  const found = [];
  for (const row of rows) {
    const each = row.expiresAt > now ? await contentOf(ctx, row) : null;
    if (!each) {
      await ctx.db.delete(row._id);
      continue;
    }
    await ctx.db.patch(row._id, { lease: by, attempts: row.attempts + 1, dueAt: now + leaseMs, claimedAt: now });
    found.push({ id: row._id, attempts: row.attempts + 1, content: each });
  }
  return found;
}

/** `attempt`: has no reason if the message was sent. Absent for a message without a recipient. */
export const done = serverMutation({
  args: { id: v.id("mails"), lease: v.string(), attempt: v.optional(v.object(reportedAttempt)) },
  returns: v.null(),
  handler: async (ctx, { id, lease: by, attempt }) => {
    const row = await ctx.db.get(id);
    if (row?.lease !== by) return null;
    if (attempt) await recordAttempt(ctx, row, { ...attempt, result: attempt.reason === undefined ? "sent" : "failed" });
    await finishMail(ctx, row);
    return null;
  },
});

export const postpone = serverMutation({
  args: { id: v.id("mails"), lease: v.string(), dueAt: v.number(), attempt: v.optional(v.object(reportedAttempt)) },
  returns: v.null(),
  handler: async (ctx, { id, lease: by, dueAt, attempt }) => {
    const row = await ctx.db.get(id);
    if (row?.lease !== by) return null;
    if (attempt) await recordAttempt(ctx, row, { ...attempt, result: "postponed" });
    await ctx.db.patch(id, { lease: undefined, dueAt });
    return null;
  },
});

type Attempt = Pick<Doc<"mailAttempts">, "kind" | "result" | "reason">;

async function recordAttempt({ db }: MutationCtx, { attempts }: Doc<"mails">, attempt: Attempt): Promise<void> {
  await db.insert("mailAttempts", { at: Date.now(), attempt: attempts, ...attempt });
}

const queuedMail = { id: v.id("mails"), writtenAt: v.number() };

export const listQueued = serverQuery({
  args: {},
  returns: v.array(v.object({ ...queuedMail, content })),
  handler: (ctx) => lastQueued(ctx),
});

export const outbox = serverQuery({
  args: {},
  returns: v.array(v.object({ ...queuedMail, content: accountContent })),
  handler: async (ctx) =>
    (await lastQueued(ctx)).flatMap(({ content: each, ...rest }) => ("notification" in each ? [] : [{ ...rest, content: each }])),
});

async function lastQueued(ctx: QueryCtx) {
  const rows = await ctx.db.query("mails").order("desc").take(OUTBOX_LIMIT);
  const found = await Promise.all(
    rows.map(async (row) => ({ id: row._id, writtenAt: row._creationTime, content: await contentOf(ctx, row) })),
  );
  return found.flatMap(({ content: each, ...rest }) => (each ? [{ ...rest, content: each }] : []));
}

/** Counts the action and returns 0, or returns the seconds to wait. Better Auth's own rate limits delete old entries. */
export const pace = serverMutation({
  args: { key: v.string(), seconds: v.number() },
  returns: v.number(),
  handler: async ({ db }, args) => {
    const key = PACE_PREFIX + args.key;
    const now = Date.now();
    const row = await db
      .query("rateLimits")
      .withIndex("key", (q) => q.eq("key", key))
      .unique();
    const wait = row ? row.lastRequest + args.seconds * 1000 - now : 0;
    if (wait > 0) return Math.ceil(wait / 1000);
    if (row) await db.patch(row._id, { lastRequest: now, count: 1 });
    else await db.insert("rateLimits", { id: key, key, count: 1, lastRequest: now });
    return 0;
  },
});

async function contentOf(ctx: QueryCtx, { content: stored, userId }: Doc<"mails">): Promise<Content | null> {
  if ("sealed" in stored) return stored;
  if (!("to" in stored)) {
    const notification = await mailContent(ctx, userId, stored);
    return notification && { notification };
  }
  const row = await ctx.db.get(stored.notice);
  const user = await userOf(ctx, userId ?? "");
  return row && user && isAccountNotice(row.notice) ? { notice: row.notice, at: row.at, to: stored.to, name: user.name } : null;
}
