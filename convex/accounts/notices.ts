import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { type AccountEvent, event } from "../model/accounts/events";
import type { AccountNotice } from "../model/accounts/noticeTables";
import { isPlaceholder } from "../model/accounts/placeholder";

/** `DEVICE_KEPT` is also the cookie's lifetime. */
const NOTICE_KEPT = 180 * 24 * 60 * 60 * 1000;
const DEVICE_KEPT = 400 * 24 * 60 * 60 * 1000;
/** Limited because clients without cookies count as a new device each time. */
const DEVICES_KEPT = 50;
const NOTIFIED_ONCE_WITHIN = 24 * 60 * 60 * 1000;
const NOTICES_READ = 20;
const MAIL_EXPIRES_AFTER = 3 * 24 * 60 * 60 * 1000;
const ATTEMPT_KEPT = 7 * 24 * 60 * 60 * 1000;
const BATCH = 100;

export const tell = internalMutation({
  args: { userId: v.string(), event, at: v.number() },
  returns: v.null(),
  handler: async (ctx, { userId, event, at }) => {
    const user = await ctx.db
      .query("users")
      .withIndex("id", (q) => q.eq("id", userId))
      .unique();
    if (!user) return null;
    const notice = await noticeOf(ctx, userId, event, at);
    if (notice) await notify(ctx, user, notice, at);
    return null;
  },
});

export async function notify(
  { db }: MutationCtx,
  user: Pick<Doc<"users">, "id" | "email">,
  notice: AccountNotice,
  at: number,
): Promise<void> {
  const id = await db.insert("notices", { userId: user.id, notice, at, read: false });
  // The former address gets the notice, because the change may be a takeover.
  const to = notice.kind === "emailChanged" ? notice.from : user.email;
  if (isPlaceholder(to)) return;
  const mail = { content: { notice: id, to }, attempts: 0, dueAt: at, expiresAt: at + MAIL_EXPIRES_AFTER };
  await db.insert("mails", { userId: user.id, ...mail });
}

async function noticeOf(ctx: MutationCtx, userId: string, event: AccountEvent, at: number): Promise<AccountNotice | null> {
  switch (event.kind) {
    case "sessionMade":
      return (await isNews(ctx, userId, event, at)) ? { kind: "signIn", userAgent: event.userAgent, ipAddress: event.ipAddress } : null;
    case "accountMade":
      return (await isFirstAccount(ctx, userId)) ? null : linked(event.providerId);
    case "twoFactorChanged":
      return { kind: event.enabled ? "twoFactorEnabled" : "twoFactorDisabled" };
    case "passwordChanged":
    case "passkeyAdded":
    case "emailChanged":
      return event;
  }
}

const linked = (providerId: string): AccountNotice =>
  providerId === "credential" ? { kind: "passwordAdded" } : { kind: "providerLinked", providerId };

async function isFirstAccount({ db }: MutationCtx, userId: string): Promise<boolean> {
  const accounts = await db
    .query("accounts")
    .withIndex("userId", (q) => q.eq("userId", userId))
    .take(2);
  return accounts.length < 2;
}

async function isNews(ctx: MutationCtx, userId: string, event: AccountEvent & { kind: "sessionMade" }, at: number): Promise<boolean> {
  const { db } = ctx;
  const { device } = event;
  if (device === null) return false;
  const existing = await db
    .query("devices")
    .withIndex("by_mark", (q) => q.eq("userId", userId).eq("mark", device))
    .unique();
  if (existing) {
    await db.patch(existing._id, { seenAt: at });
    return false;
  }
  const otherNotices = await db
    .query("devices")
    .withIndex("by_user", (q) => q.eq("userId", userId))
    .take(DEVICES_KEPT);
  if (otherNotices.length === DEVICES_KEPT && otherNotices[0]) await db.delete(otherNotices[0]._id);
  await db.insert("devices", { userId, mark: device, seenAt: at });
  return otherNotices.length > 0 && !(await wasNotified(ctx, userId, event, at));
}

async function wasNotified(
  { db }: MutationCtx,
  userId: string,
  { userAgent, ipAddress }: AccountEvent & { kind: "sessionMade" },
  at: number,
) {
  const recentNotice = await db
    .query("notices")
    .withIndex("by_user", (q) => q.eq("userId", userId).gt("at", at - NOTIFIED_ONCE_WITHIN))
    .order("desc")
    .take(NOTICES_READ);
  return recentNotice.some(({ notice }) => notice.kind === "signIn" && notice.userAgent === userAgent && notice.ipAddress === ipAddress);
}

export const forget = internalMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    const rows = [
      ...(await ctx.db
        .query("notices")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH)),
      ...(await ctx.db
        .query("devices")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH)),
      ...(await ctx.db
        .query("mails")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH)),
    ];
    await deleteAll(ctx, rows);
    if (rows.length >= BATCH) await ctx.scheduler.runAfter(0, internal.accounts.notices.forget, { userId });
    return null;
  },
});

export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    const rows = [
      ...(await ctx.db
        .query("notices")
        .withIndex("by_age", (q) => q.lt("at", now - NOTICE_KEPT))
        .take(BATCH)),
      ...(await ctx.db
        .query("devices")
        .withIndex("by_age", (q) => q.lt("seenAt", now - DEVICE_KEPT))
        .take(BATCH)),
      ...(await ctx.db
        .query("mailAttempts")
        .withIndex("by_age", (q) => q.lt("at", now - ATTEMPT_KEPT))
        .take(BATCH)),
      ...(await ctx.db
        .query("mails")
        .withIndex("by_expiry", (q) => q.lt("expiresAt", now))
        .take(BATCH)),
    ];
    await deleteAll(ctx, rows);
    if (rows.length >= BATCH) await ctx.scheduler.runAfter(0, internal.accounts.notices.sweep, {});
    return null;
  },
});

async function deleteAll(
  { db }: MutationCtx,
  rows: (Doc<"notices"> | Doc<"devices"> | Doc<"mails"> | Doc<"mailAttempts">)[],
): Promise<void> {
  for (const { _id } of rows) await db.delete(_id);
}
