import { v } from "convex/values";
import { internal } from "../_generated/api";
import { deleteOldRows } from "../model/deleteOldRows";
import { internalMutation } from "../model/functions";
import { REVOCATION_RETENTION_MS } from "../model/rules";

export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const isMore = await deleteOldRows(ctx, "revocations", REVOCATION_RETENTION_MS);
    if (isMore) await ctx.scheduler.runAfter(0, internal.jobs.revocations.sweep, {});
    return null;
  },
});
