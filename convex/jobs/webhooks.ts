import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const BATCH = 500;

export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async ({ db, scheduler }) => {
    const old = await db
      .query("webhookDeliveries")
      .withIndex("by_age", (q) => q.lt("createdAt", Date.now() - RETENTION_MS))
      .take(BATCH);
    for (const { _id } of old) await db.delete(_id);
    if (old.length === BATCH) await scheduler.runAfter(0, internal.jobs.webhooks.sweep, {});
    return null;
  },
});
