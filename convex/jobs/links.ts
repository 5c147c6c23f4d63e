import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";

const BATCH = 100;

/** Marks an expired link, so that live queries of its visitors rerun and are refused. */
export const expire = internalMutation({
  args: { id: v.id("links") },
  returns: v.null(),
  handler: async ({ db }, { id }) => {
    const link = await db.get(id);
    const now = Date.now();
    if (link?.expiresAt !== undefined && link.expiresAt <= now) await db.patch(id, { expiredAt: now });
    return null;
  },
});

export const forgetSaved = internalMutation({
  args: { linkId: v.id("links") },
  returns: v.null(),
  handler: async ({ db, scheduler }, { linkId }) => {
    const saved = await db
      .query("savedLinks")
      .withIndex("by_link", (q) => q.eq("linkId", linkId))
      .take(BATCH);
    for (const { _id } of saved) await db.delete(_id);
    if (saved.length === BATCH) await scheduler.runAfter(0, internal.jobs.links.forgetSaved, { linkId });
    return null;
  },
});
