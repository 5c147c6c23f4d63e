import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { type AccountEvent, event } from "./events";
import type { Notice } from "./noticeTables";
import { isPlaceholder } from "./placeholder";

/** How long a notice is kept, and how long a device is remembered that is not seen again: a cookie lives no longer either. */
const NOTICE_KEPT = 180 * 24 * 60 * 60 * 1000;
const DEVICE_KEPT = 400 * 24 * 60 * 60 * 1000;
/** Devices remembered for one person; programs that keep no cookie are a new one each time. */
const DEVICES_KEPT = 50;
/** The same browser from the same address is told once within this time: who refuses cookies is not told each day of their own sign-ins. */
const TOLD_ONCE_WITHIN = 24 * 60 * 60 * 1000;
const NOTICES_LOOKED_AT = 20;
/** How long a notice may wait for a mail server. */
const MAIL_EXPIRES_AFTER = 3 * 24 * 60 * 60 * 1000;
const BATCH = 100;

/** Tells somebody what happened to their account, in the app and by mail. Scheduled in the transaction that wrote what happened. */
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
    if (!notice) return null;
    const id = await ctx.db.insert("notices", { userId, notice, at, read: false });
    // Whoever lost their address to somebody else has to hear of it at the old one.
    const to = notice.kind === "emailChanged" ? notice.from : user.email;
    if (isPlaceholder(to)) return null;
    await ctx.db.insert("mails", { userId, content: { notice: id, to }, attempts: 0, dueAt: at, expiresAt: at + MAIL_EXPIRES_AFTER });
    return null;
  },
});

async function noticeOf(ctx: MutationCtx, userId: string, event: AccountEvent, at: number): Promise<Notice | null> {
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

const linked = (providerId: string): Notice =>
  providerId === "credential" ? { kind: "passwordAdded" } : { kind: "providerLinked", providerId };

/** Signing up makes an account too, which is no news to whoever did. */
async function isFirstAccount({ db }: MutationCtx, userId: string): Promise<boolean> {
  const accounts = await db
    .query("accounts")
    .withIndex("userId", (q) => q.eq("userId", userId))
    .take(2);
  return accounts.length < 2;
}

/** Whether a sign-in comes from a device that was not seen before, and is not the first of all. Remembers the device. */
async function isNews(ctx: MutationCtx, userId: string, event: AccountEvent & { kind: "sessionMade" }, at: number): Promise<boolean> {
  const { db } = ctx;
  const { device } = event;
  // No request led to this session, so nobody has come in.
  if (device === null) return false;
  const known = await db
    .query("devices")
    .withIndex("by_mark", (q) => q.eq("userId", userId).eq("mark", device))
    .unique();
  if (known) {
    await db.patch(known._id, { seenAt: at });
    return false;
  }
  const others = await db
    .query("devices")
    .withIndex("by_user", (q) => q.eq("userId", userId))
    .take(DEVICES_KEPT);
  if (others.length === DEVICES_KEPT && others[0]) await db.delete(others[0]._id);
  await db.insert("devices", { userId, mark: device, seenAt: at });
  return others.length > 0 && !(await wasTold(ctx, userId, event, at));
}

async function wasTold({ db }: MutationCtx, userId: string, { userAgent, ipAddress }: AccountEvent & { kind: "sessionMade" }, at: number) {
  const lately = await db
    .query("notices")
    .withIndex("by_user", (q) => q.eq("userId", userId).gt("at", at - TOLD_ONCE_WITHIN))
    .order("desc")
    .take(NOTICES_LOOKED_AT);
  return lately.some(({ notice }) => notice.kind === "signIn" && notice.userAgent === userAgent && notice.ipAddress === ipAddress);
}

/** Deletes what is kept about somebody whose account is gone, a batch at a time. */
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

/** Deletes what has grown too old, a batch at a time. */
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
        .query("mails")
        .withIndex("by_expiry", (q) => q.lt("expiresAt", now))
        .take(BATCH)),
    ];
    await deleteAll(ctx, rows);
    if (rows.length >= BATCH) await ctx.scheduler.runAfter(0, internal.accounts.notices.sweep, {});
    return null;
  },
});

async function deleteAll({ db }: MutationCtx, rows: (Doc<"notices"> | Doc<"devices"> | Doc<"mails">)[]): Promise<void> {
  for (const { _id } of rows) await db.delete(_id);
}
