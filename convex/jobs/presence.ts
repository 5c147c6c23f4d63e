import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";
import { EXPIRES_MS, removePresence, sweepOf } from "../model/presence/presence";

const BATCH = 100;
/** Rows older than this (ms) have missed their sweep. */
const LOST_SWEEP_MS = 60 * 60 * 1000;

export const sweep = internalMutation({
  args: { designId: v.id("designs") },
  returns: v.null(),
  handler: async (ctx, { designId }) => {
    const beats = () => ctx.db.query("presenceBeats");
    const expired = await beats()
      .withIndex("by_design", (q) => q.eq("designId", designId).lte("seenAt", Date.now() - EXPIRES_MS))
      .take(BATCH);
    for (const { presenceId } of expired) await removePresence(ctx, presenceId);
    const oldest = await beats()
      .withIndex("by_design", (q) => q.eq("designId", designId))
      .first();
    if (oldest) await ctx.scheduler.runAt(oldest.seenAt + EXPIRES_MS, internal.jobs.presence.sweep, { designId });
    else {
      const scheduled = await sweepOf(ctx, designId);
      if (scheduled) await ctx.db.delete(scheduled._id);
    }
    return null;
  },
});

export const resume = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const forgotten = await ctx.db
      .query("presenceBeats")
      .withIndex("by_age", (q) => q.lt("seenAt", Date.now() - LOST_SWEEP_MS))
      .take(BATCH);
    for (const designId of new Set(forgotten.map((beat) => beat.designId)))
      await ctx.scheduler.runAfter(0, internal.jobs.presence.sweep, { designId });
    return null;
  },
});
