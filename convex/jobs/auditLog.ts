import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";

export const AUDIT_BATCH = 200;
const DAY = 24 * 60 * 60 * 1000;
/** The default of AUDIT_LOG_RETENTION_DAYS, before an app server has stored its setting. */
const RETENTION_DAYS = 365;

export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async ({ db, scheduler }) => {
    const settings = await db.query("auditSettings").first();
    const before = Date.now() - (settings?.retentionDays ?? RETENTION_DAYS) * DAY;
    const rows = await db
      .query("auditEvents")
      .withIndex("by_age", (q) => q.lt("at", before))
      .take(AUDIT_BATCH);
    for (const { _id } of rows) await db.delete(_id);
    if (rows.length === AUDIT_BATCH) await scheduler.runAfter(0, internal.jobs.auditLog.sweep, {});
    return null;
  },
});

/** Makes a deleted account's events anonymous under a random id. Deleting them would erase the traces of a takeover of the account. */
export const anonymise = internalMutation({
  args: { userId: v.string(), pseudonym: v.optional(v.string()) },
  returns: v.null(),
  handler: async ({ db, scheduler }, { userId, pseudonym = `deleted-${crypto.randomUUID()}` }) => {
    const own = await db
      .query("auditEvents")
      .withIndex("by_user", (q) => q.eq("userId", userId))
      .take(AUDIT_BATCH);
    const removed = { otherUserId: undefined, address: undefined, target: undefined, details: undefined };
    for (const { _id } of own) await db.patch(_id, { userId: pseudonym, ...removed });
    const others = await db
      .query("auditEvents")
      .withIndex("by_other_user", (q) => q.eq("otherUserId", userId))
      .take(AUDIT_BATCH);
    for (const { _id } of others) await db.patch(_id, { otherUserId: undefined });
    if (own.length === AUDIT_BATCH || others.length === AUDIT_BATCH)
      await scheduler.runAfter(0, internal.jobs.auditLog.anonymise, { userId, pseudonym });
    return null;
  },
});
