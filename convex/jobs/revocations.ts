import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";
import { REVOCATION_RETENTION_MS } from "../model/rules";

const BATCH = 500;

export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async ({ db, scheduler }) => {
    const rows = await db
      .query("revocations")
      .withIndex("by_creation_time", (q) => q.lt("_creationTime", Date.now() - REVOCATION_RETENTION_MS))
      .take(BATCH);
    for (const { _id } of rows) await db.delete(_id);
    if (rows.length === BATCH) await scheduler.runAfter(0, internal.jobs.revocations.sweep, {});
    return null;
  },
});
