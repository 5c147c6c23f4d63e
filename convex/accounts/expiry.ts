import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";

/** How many rows of a table one run removes at most, so that it stays a small transaction. */
const BATCH = 200;

/** No session lives this long without being used, so what was noted of it then is of none (milliseconds). */
const ACTIVITY_KEPT = 30 * 24 * 60 * 60 * 1000;

/** Removes sessions and verification values whose time is over; Better Auth itself removes only those that somebody asks for. */
export const sweep = internalMutation({
  args: {},
  handler: async ({ db, scheduler }) => {
    const now = Date.now();
    const sessions = await db
      .query("sessions")
      .withIndex("expiresAt", (q) => q.lt("expiresAt", now))
      .take(BATCH);
    const verifications = await db
      .query("verifications")
      .withIndex("expiresAt", (q) => q.lt("expiresAt", now))
      .take(BATCH);
    const activities = await db
      .query("sessionActivity")
      .withIndex("by_age", (q) => q.lt("at", now - ACTIVITY_KEPT))
      .take(BATCH);
    for (const { _id } of [...sessions, ...verifications, ...activities]) await db.delete(_id);
    if ([sessions, verifications, activities].some((rows) => rows.length === BATCH))
      await scheduler.runAfter(0, internal.accounts.expiry.sweep, {});
    return null;
  },
});
