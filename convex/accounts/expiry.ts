import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";

const BATCH = 200;
const FEW = 10;

const ENDED_INVITATIONS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const RATE_LIMITS_KEPT_MS = 60 * 60 * 1000;

/** Unused sessions expire sooner than this (milliseconds). */
const ACTIVITY_KEPT = 30 * 24 * 60 * 60 * 1000;

export const UNDO_KEPT = 24 * 60 * 60 * 1000;

/** Deletes expired rows, because Better Auth deletes only those that it reads. */
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
    const steps = await db
      .query("undoSteps")
      .withIndex("by_age", (q) => q.lt("at", now - UNDO_KEPT))
      .take(BATCH);
    const jobs = await db
      .query("bulkJobs")
      .withIndex("by_age", (q) => q.lt("at", now - UNDO_KEPT))
      .take(FEW);
    const selections = await db
      .query("bulkSelections")
      .withIndex("by_age", (q) => q.lt("at", now - UNDO_KEPT))
      .take(FEW);
    const pages = await db
      .query("bulkPages")
      .withIndex("by_age", (q) => q.lt("at", now - UNDO_KEPT))
      .take(BATCH);
    const invitations = await db
      .query("invitations")
      .withIndex("by_expiry", (q) => q.lt("expiresAt", now - ENDED_INVITATIONS_KEPT_MS))
      .take(BATCH);
    const rateLimits = await db
      .query("rateLimits")
      .withIndex("lastRequest", (q) => q.lt("lastRequest", now - RATE_LIMITS_KEPT_MS))
      .take(BATCH);
    const batches = [sessions, verifications, activities, steps, pages, invitations, rateLimits];
    for (const { _id } of [...batches.flat(), ...jobs, ...selections]) await db.delete(_id);
    if (batches.some((rows) => rows.length === BATCH) || jobs.length + selections.length >= FEW)
      await scheduler.runAfter(0, internal.accounts.expiry.sweep, {});
    return null;
  },
});
